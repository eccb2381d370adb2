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
	for _, tt := range []struct{ name, text, moves, result string }{
		{"plain", "1. e4 e5 2. Nf3 *", "e2e4 e7e5 g1f3", "*"},
		{"no spaces after numbers", "1.e4 e5 2.Nf3 1-0", "e2e4 e7e5 g1f3", "1-0"},
		{"dots for Black", "1. e4 1... e5 0-1", "e2e4 e7e5", "0-1"},
		{"ellipses for Black", "1. e4 1… e5 2. Nf3 2…Nc6 3.… *", "e2e4 e7e5 g1f3 b8c6", "*"},
		{"no numbers", "e4 e5\n1/2-1/2", "e2e4 e7e5", "1/2-1/2"},
		{"one drop", "1. e4 d5 2. exd5 Qxd5 3. @e4 *", "e2e4 d7d5 e4d5 d8d5 P@e4", "*"},
		{"glyphs", "1. e4! $1 e5?? $14 2. Nf3 !? *", "e2e4 e7e5 g1f3", "*"},
		{"NAGs without spaces", "1. e4$1 e5$14$10 2. Nf3 *", "e2e4 e7e5 g1f3", "*"},
		{"signs", "1. e4 ± e5⩲ 2. Nf3 ∞ -- = Nc6 +- N D □ 3. Bc4= Nf6+- \xb1 *",
			"e2e4 e7e5 g1f3 b8c6 f1c4 g8f6", "*"},
		{"en passant", "1. e4 a6 2. e5 d5 3. exd6e.p. a5 4. dxc7 e.p. *", "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 d6c7", "*"},
		{"long algebraic", "1. e2-e4 d7-d5 2. e4xd5 Qd8xd5 3. P@e4 Ng8-f6 ½-½",
			"e2e4 d7d5 e4d5 d8d5 P@e4 g8f6", "1/2-1/2"},
		{"UCI", "1. e2e4 e7e5 2. g1f3 b8c6 3. f1c4 f8c5 4. e1g1 g8f6 *",
			"e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6", "*"},
		{"promotions", "[FEN \"8/PPPPP3/7k/8/8/8/8/4K3[] w - - 0 1\"]\n\n1. a7a8n Kg6 2. b7-b8=R Kg5 3. c8Q Kg6 4. d7d8N *",
			"a7a8n h6g6 b7b8r g6g5 c7c8q g5g6 d7d8n", "*"},
		{"comments", "{before} 1. e4 {a { b} e5 ; to the end\n2. Nf3 *", "e2e4 e7e5 g1f3", "*"},
		{"variations", "1. e4 (1. d4 d5 (1... Nf6 {)})) e5 *", "e2e4 e7e5", "*"},
		{"escaped line", "%quiet\n1. e4 *", "e2e4", "*"},
		{"no result", "1. e4 e5", "e2e4 e7e5", "*"},
		{"tags only", "[Variant \"crazyhouse\"]\n[Result \"1-0\"]\n", "", "1-0"},
		{"a half", "1. e4 1/2", "e2e4", "1/2-1/2"},
		{"castling with zeros", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 o-o *",
			"e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 e8h8", "*"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := NewReader(strings.NewReader(tt.text)).Next()
			if err != nil || len(g.Warnings) > 0 {
				t.Fatal(err, g.Warnings)
			}
			if got := movesOf(g); got != tt.moves || g.Result.String() != tt.result {
				t.Errorf("moves %q, result %s; want %q, %s", got, g.Result, tt.moves, tt.result)
			}
		})
	}
}

func movesOf(g *Game) string {
	var moves []string
	for _, m := range g.Moves {
		moves = append(moves, m.Move.String())
	}
	return strings.Join(moves, " ")
}

// Text in the encoding of Western Windows is read, and annotations are written again.
func TestReader_Annotations(t *testing.T) {
	const text = "[White \"M\xfcller\"]\n[Variant \"Crazyhouse\"]\n\n{ Intro. } 1. e4! " +
		"(1. d4 { my (line) } d5 (1... c5)) { sch\xf6n } 1... e5 ?! $1 $40 $14 (1... c5) *"
	g, err := NewReader(strings.NewReader(text)).Next()
	if err != nil || g.Variations != 2 {
		t.Fatal(g, err)
	}
	const want = "[White \"Müller\"]\n[Variant \"Crazyhouse\"]\n\n{ Intro. } 1. e4 $1 { schön } 1... e5 $1 $40 $14 *\n\n"
	if got := g.String(); got != want {
		t.Errorf("written as %q, want %q", got, want)
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

// Each text is what stands before another game: what cannot be read spoils neither the rest of
// its game nor the next one, and is said.
func TestReader_BadText(t *testing.T) {
	long := strings.Repeat("x", 2*maxToken)
	for _, tt := range []struct{ name, text, moves, warning string }{
		{"illegal move", "1. e4 e5\n2. Ke4 {no} d4 $1 0-1", "e2e4 e7e5", "line 2: move 2: illegal move \"Ke4\""},
		{"no move", "1. e4 hello 1-0", "e2e4", "line 1: move 1: not a move \"hello\""},
		{"at the end", "1. e4 e5 2. Ke4", "e2e4 e7e5", "illegal move"},
		{"drop from an empty pocket", "1. e4 d5 2. @d4 *", "e2e4 d7d5", "illegal move"},
		{"a bad tag", "[Event \"5]\n[Variant \"Crazyhouse\"]\n\n1. e4 *", "e2e4", "want [Name \"value\"]"},
		{"castling rights", "[FEN \"4k3/8/8/8/8/8/8/4K2R[] w KQ - 0 1\"]\n\n1. O-O *", "e1h1", "cleared castling right Q"},
		{"comment too long", "1. e4 {" + long + "} e5 *", "e2e4 e7e5", "more than 65536 bytes"},
		{"comment without end", "1. e4 e5 {" + long + "}", "e2e4 e7e5", "more than 65536 bytes"},
		{"long comment on lines", "1. e4 {" + strings.Repeat(strings.Repeat("x", 79)+"\n", maxToken/80+1) + "} e5 *",
			"e2e4 e7e5", "more than 65536 bytes"},
		{"comment cut", "1. e4 (1. d4 { [%cl", "e2e4", "comment without end"},
		{"escaped line too long", "1. e4\n%" + long + "\ne5 *", "e2e4 e7e5", "more than 65536 bytes"},
		{"tag without end", "[Event \"" + long + "\n[Variant \"Crazyhouse\"]\n\n1. e4 *", "e2e4", "want [Name \"value\"]"},
		{"comment in a variation", "1. e4 (1. d4 {" + long + "}) e5 *", "e2e4 e7e5", "more than 65536 bytes"},
		{"variation without end", "1. e4 (1. d4 *\n", "e2e4", "variation without end"},
		{"too many tags", strings.Repeat("[Event \"crazyhouse\"]\n", maxTags+1) + "\n1. e4 *", "e2e4", "more than 200 tags"},
		{"other variant", "[Variant \"Standard\"]\n\n1. e4 e5 *", "bad", "not crazyhouse: variant \"Standard\""},
		{"chess", "[Event \"x\"]\n\n1. e4 e5 *", "bad", "not crazyhouse: variant \"none, which is chess\""},
		{"unplayable", "[FEN \"8/8/8/8/8/8/8/8[] w - - 0 1\"]\n\n1. e4 *", "bad", "no king"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := NewReader(strings.NewReader(tt.text + "\n\n[Event \"crazyhouse\"]\n\n1. d4 1-0\n"))
			g, err := in.Next()
			if bad, ok := errors.AsType[*GameError](err); ok && tt.moves == "bad" {
				g = &Game{Warnings: []*GameError{bad}}
			} else if err != nil || tt.moves == "bad" || tt.moves != movesOf(g) {
				t.Fatalf("%v, %v, want the moves %s", g, err, tt.moves)
			}
			if len(g.Warnings) == 0 || !strings.Contains(g.Warnings[0].Error(), tt.warning) ||
				!strings.HasPrefix(g.Warnings[0].Error(), "PGN game 1, line ") {
				t.Errorf("warnings %v, want %q", g.Warnings, tt.warning)
			}
			for {
				g, err := in.Next()
				if err == io.EOF {
					t.Fatal("the next game was not found")
				}
				if err == nil && g.Tag("Event") == "crazyhouse" && g.Result == rules.WhiteWins && len(g.Moves) == 1 {
					return
				}
			}
		})
	}
	g, err := NewReader(strings.NewReader(strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", maxMoves/4) + "e4 *")).Next()
	if err != nil || len(g.Moves) != maxMoves || len(g.Warnings) != 1 {
		t.Errorf("too many moves: %d are read, %v", len(g.Moves), err)
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
	const want = "[Event \"x\"]\n[Variant \"Crazyhouse\"]\n\n1. e4 { [%clk 0:03:00] } 1... e5 2. Nf3 *\n\n"
	var text strings.Builder
	if n, err := g.WriteTo(&text); err != nil || text.String() != want || n != int64(len(want)) {
		t.Errorf("written, %v\n%s\nwant\n%s", err, &text, want)
	}
}

// Comments between games are no games.
func TestReader_CommentsBetweenGames(t *testing.T) {
	const text = "{ two games }\n1. e4 * { the first }\n; the second\n[Event \"crazyhouse\"]\n\n1. d4 * { the end }\n"
	games, headers := readAll(t, strings.NewReader(text)), readHeaders(t, text)
	if len(games) != 2 || len(headers) != 2 || games[1].Tag("Event") != "crazyhouse" ||
		headers[1].Tag("Event") != "crazyhouse" {
		t.Errorf("%d games, %d headers, want 2", len(games), len(headers))
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
