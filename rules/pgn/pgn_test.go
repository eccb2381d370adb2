package pgn

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/rules"
)

func readAll(t *testing.T, r io.Reader) (games []*Game) {
	t.Helper()
	for in := NewReader(r); ; {
		g, err := in.Next()
		if err == io.EOF {
			return games
		}
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, g)
	}
}

func TestReader_Forms(t *testing.T) {
	for _, tt := range []struct {
		name, text, moves, result string
	}{
		{"plain", "1. e4 e5 2. Nf3 *", "e2e4 e7e5 g1f3", "*"},
		{"no spaces after numbers", "1.e4 e5 2.Nf3 1-0", "e2e4 e7e5 g1f3", "1-0"},
		{"dots for Black", "1. e4 1... e5 0-1", "e2e4 e7e5", "0-1"},
		{"no numbers", "e4 e5\n1/2-1/2", "e2e4 e7e5", "1/2-1/2"},
		{"drops both ways", "1. e4 d5 2. exd5 Qxd5 3. P@e4 Qa5 4. @d4 *", "e2e4 d7d5 e4d5 d8d5 P@e4 d5a5", "bad"},
		{"one drop", "1. e4 d5 2. exd5 Qxd5 3. @e4 *", "e2e4 d7d5 e4d5 d8d5 P@e4", "*"},
		{"glyphs", "1. e4! $1 e5?? $14 2. Nf3 !? *", "e2e4 e7e5 g1f3", "*"},
		{"comments", "{before} 1. e4 {a { b} e5 ; to the end\n2. Nf3 *", "e2e4 e7e5 g1f3", "*"},
		{"variations", "1. e4 (1. d4 d5 (1... Nf6 {)})) e5 *", "e2e4 e7e5", "*"},
		{"escaped line", "%quiet\n1. e4 *", "e2e4", "*"},
		{"no result", "1. e4 e5", "e2e4 e7e5", "*"},
		{"tags only", "[Event \"x\"]\n[Result \"1-0\"]\n", "", "*"},
		{"castling with zeros", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 *", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1", "*"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := NewReader(strings.NewReader(tt.text)).Next()
			if tt.result == "bad" {
				if !errors.Is(err, rules.ErrIllegalMove) {
					t.Errorf("error %v, want an illegal move", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var moves []string
			for _, m := range g.Moves {
				moves = append(moves, m.Move.String())
			}
			if got := strings.Join(moves, " "); got != tt.moves || g.Result.String() != tt.result {
				t.Errorf("moves %q, result %s; want %q, %s", got, g.Result, tt.moves, tt.result)
			}
		})
	}
}

func TestReader_Comments(t *testing.T) {
	const text = "1. e4 { [%eval 0.35,18] [%clk 0:03:00] } " +
		"1... e5 { good [%eval #-3] [%clk 1:02:03.5] [%emt 5] indeed } *"
	g, err := NewReader(strings.NewReader(text)).Next()
	if err != nil {
		t.Fatal(err)
	}
	want := []Move{
		{Move: g.Moves[0].Move, Clock: 3 * time.Minute, HasClock: true,
			Eval: Eval{Known: true, Score: Score{Centipawns: 35}, Depth: 18}},
		{
			Move: g.Moves[1].Move, Clock: time.Hour + 2*time.Minute + 3500*time.Millisecond, HasClock: true,
			Eval: Eval{Known: true, Score: Score{Mate: -3}}, Comment: "good [%emt 5] indeed",
		},
	}
	if diff := cmp.Diff(want, g.Moves); diff != "" {
		t.Error(diff)
	}
}

// A comment over several lines is written on one, whatever ends the lines.
func TestWriteTo_CommentOverLines(t *testing.T) {
	g, err := NewReader(strings.NewReader("1. e4 { one\r\ntwo\nthree } *\r\n")).Next()
	if err != nil {
		t.Fatal(err)
	}
	if want := "\n1. e4 { one two three } *\n\n"; g.String() != want {
		t.Errorf("%q, want %q", g.String(), want)
	}
}

// An invalid game is reported with its line, and the next one is read.
func TestReader_ContinuesAfterBadGames(t *testing.T) {
	const text = `[Event "1"]

1. e4 e5 *

[Event "2"]
[Variant "Standard"]

1. e4 e5 *

[Event "3"]

1. e4 Ke4 2. d4 *

[Event "4"]
[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]

1. e4 *

[Event "5]

1. e4 *

[Event "6"]

1. d4 d5 1-0
`
	in := NewReader(strings.NewReader(text))
	var events []string
	bad := 0
	for {
		g, err := in.Next()
		if err == io.EOF {
			break
		}
		if _, ok := errors.AsType[*GameError](err); ok {
			bad++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, g.Tag("Event"))
	}
	if diff := cmp.Diff([]string{"1", "6"}, events); diff != "" || bad != 4 {
		t.Errorf("%d bad games; good ones: %s", bad, diff)
	}
}

// A game without a result that ends with an error does not cost the next one.
func TestReader_ContinuesAfterBadEnd(t *testing.T) {
	for name, end := range map[string]string{"move": "2. Ke4", "comment": "{" + strings.Repeat("x", maxToken+1) + "}"} {
		in := NewReader(strings.NewReader("1. e4 e5 " + end + "\n[Event \"2\"]\n1. d4 *\n[Event \"3\"]\n1. c4 *\n"))
		_, err := in.Next()
		if _, ok := errors.AsType[*GameError](err); !ok {
			t.Errorf("%s: error %v, want a *GameError", name, err)
		}
		for _, want := range []string{"2", "3"} {
			if g, err := in.Next(); err != nil || g.Tag("Event") != want {
				t.Errorf("%s: not game %s next, error %v", name, want, err)
			}
		}
	}
}

func TestReader_ErrorNamesGameAndLine(t *testing.T) {
	_, err := NewReader(strings.NewReader("[Event \"1\"]\n\n1. e4 e5\n2. Ke4 *\n")).Next()
	if err == nil || !strings.HasPrefix(err.Error(), "PGN game 1, line 4: move 2: illegal move") {
		t.Errorf("error %v", err)
	}
}

func TestWriteTo_AsLichess(t *testing.T) {
	g, err := NewReader(strings.NewReader("1. e4 e5 2. Nf3 *")).Next()
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{"y", "x"} {
		g.SetTag("Event", event)
	}
	g.Moves[0].Clock, g.Moves[0].HasClock = 3*time.Minute, true
	const want = "[Event \"x\"]\n\n1. e4 { [%clk 0:03:00] } 1... e5 2. Nf3 *\n\n"
	var text strings.Builder
	if n, err := g.WriteTo(&text); err != nil || text.String() != want || n != int64(len(want)) {
		t.Errorf("written, %v\n%s\nwant\n%s", err, &text, want)
	}
}

// Each of these makes its game unreadable, and not the next one.
func TestReader_BadText(t *testing.T) {
	for name, text := range map[string]string{
		"comment too long":          "1. e4 {" + strings.Repeat("x", maxToken+1) + "} *",
		"long comment on lines":     "1. e4 {" + strings.Repeat(strings.Repeat("x", 79)+"\n", maxToken/80+1) + "} *",
		"escaped line too long":     "1. e4\n%" + strings.Repeat("x", 2*maxToken) + "\n*",
		"tag without end":           "[Event \"" + strings.Repeat("x", 2*maxToken) + "\n\n*",
		"comment in a variation":    "1. e4 (1. d4 {" + strings.Repeat("x", 2*maxToken) + "}) *",
		"too many tags":             strings.Repeat("[Event \"x\"]\n", maxTags+1) + "\n*",
		"too many moves":            strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", maxMoves/4) + "e4 *",
		"start position unplayable": "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*",
	} {
		t.Run(name, func(t *testing.T) {
			in := NewReader(strings.NewReader(text + "\n\n[Event \"next\"]\n\n1. d4 1-0\n"))
			_, err := in.Next()
			if bad, ok := errors.AsType[*GameError](err); !ok || bad.Unwrap() == nil {
				t.Errorf("error %v, want a *GameError", err)
			}
			for {
				g, err := in.Next()
				if err == io.EOF {
					t.Fatal("the next game was not found")
				}
				if err == nil && g.Tag("Event") == "next" && g.Result == rules.WhiteWins && len(g.Moves) == 1 {
					return
				}
			}
		})
	}
}

// Comments between games are no games.
func TestReader_CommentsBetweenGames(t *testing.T) {
	const text = "{ two games }\n1. e4 * { the first }\n; the second\n[Event \"x\"]\n\n1. d4 * { the end }\n"
	games, headers := readAll(t, strings.NewReader(text)), readHeaders(t, text)
	if len(games) != 2 || len(headers) != 2 || games[1].Tag("Event") != "x" || headers[1].Tag("Event") != "x" {
		t.Errorf("%d games, %d headers, want 2", len(games), len(headers))
	}
}

func TestReader_EndsInText(t *testing.T) {
	for text, good := range map[string]bool{
		"1. e4 (1. d4":           false,
		"[Event \"x":             false,
		"1. e4 {to the end":      true,
		"1. e4 e5 ; to the end":  true,
		"1. e4 (1. d4 ;)\n) e5":  true,
		"[Event \"a\\\"]b\"]\n*": true,
	} {
		g, err := NewReader(strings.NewReader(text)).Next()
		if (err == nil) != good || good && len(g.Moves) == 0 && g.Tag("Event") != `a"]b` {
			t.Errorf("%q: %+v, %v", text, g, err)
		}
	}
}

// A line may be longer than the buffer, and end in the middle of a word there.
func TestLexer_LongLine(t *testing.T) {
	const words = 20_000
	for _, word := range []string{"Nf3", "exd8=Q+", "@f7"} {
		l := newLexer(strings.NewReader("{" + strings.Repeat("x", maxToken-10) + "} " +
			strings.Repeat(word+" ", words)))
		n := 0
		for tok, err := l.next(); err != io.EOF; tok, err = l.next() {
			if err != nil {
				t.Fatal(err)
			}
			if tok.kind == moveToken && string(tok.text) == word {
				n++
			}
		}
		if n != words {
			t.Errorf("%d times %s, want %d", n, word, words)
		}
	}
}

type failingReadWriter struct{}

func (failingReadWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
func (failingReadWriter) Read([]byte) (int, error)  { return 0, io.ErrUnexpectedEOF }

func TestErrors_PassThrough(t *testing.T) {
	if _, err := (&Game{}).WriteTo(failingReadWriter{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("write: %v", err)
	}
	if _, err := NewReader(failingReadWriter{}).Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("read: %v", err)
	}
}
