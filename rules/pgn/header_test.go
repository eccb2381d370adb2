package pgn

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/rules"
)

// readHeaders returns the headers of a text, without the last comments, and without their
// offsets, which must divide it.
func readHeaders(t *testing.T, text string) (list []*Header) {
	t.Helper()
	end := int64(0)
	for o, err := range Headers(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		if o.Start != end || o.End <= o.Start || o.End > int64(len(text)) {
			t.Fatalf("game %d is in the bytes %d to %d of %d, after one to %d",
				len(list), o.Start, o.End, len(text), end)
		}
		end, o.Start, o.End, o.Comment = o.End, 0, 0, ""
		list = append(list, o)
	}
	return list
}

// The text of each game has this game alone, whatever surrounds it.
func TestHeaders_Offsets(t *testing.T) {
	const text = "\ufeff[Event \"1\"]\n\n1. e4 { [%clk 0:03:00] } *\n\n\n[Event \"2\"]\n\n1. d4\n\n" +
		"[Event \"3\"]\r\n\r\n1. c4 0-1\r\n\r\n1. e4 * 1. d4 1-0 {\n} [\n\x00[Event \"4\"]\n"
	var got []string
	for h, err := range Headers(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, text[h.Start:h.End])
	}
	want := []string{
		"\ufeff[Event \"1\"]\n\n1. e4 { [%clk 0:03:00] } *\n\n\n", "[Event \"2\"]\n\n1. d4\n\n",
		"[Event \"3\"]\r\n\r\n1. c4 0-1\r\n\r\n", "1. e4 * ", "1. d4 1-0 {\n} [\n", "\x00[Event \"4\"]\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNextGame(t *testing.T) {
	long := "1. e4 { " + strings.Repeat("x", 2*maxToken) + " } *"
	for _, tt := range []struct {
		name, text     string
		from, nextFrom string // the text at the offsets
	}{
		{"in tags", "[Event \"1\"]\n[Site \"1\"]\n\n*\n\n[Event \"2\"]\n", "Site \"1", "[Event \"2"},
		{"in moves", "*\n\n[Event \"1\"]\n\n1. e4 *\n\n[Event \"2\"]\n", "4 *", "[Event \"2"},
		{"after moves", "*\n\n[Event \"1\"]\n\n1. e4 *\n\n[Event \"2\"]\n", "\n\n[Event \"2", "[Event \"2"},
		{"at the end of a tag", "[Event \"1\"]\n[Site \"1\"]\n\n*\n\n[Event \"2\"]\n", "\n[Site", "[Event \"2"},
		{"in a long line", "*\n\n" + long + "\r\n\r\n[Event \"2\"]\n", "e4", "[Event \"2"},
		{"none", "[Event \"1\"]\n\n*\n\n", "Event", ""},
	} {
		from, want := strings.Index(tt.text, tt.from), len(tt.text)
		if tt.nextFrom != "" {
			want = strings.LastIndex(tt.text, tt.nextFrom)
		}
		if got, err := NextGame(strings.NewReader(tt.text), int64(from)); err != nil || got != int64(want) {
			t.Errorf("%s: %d, %v, want %d", tt.name, got, err, want)
		}
	}
	if got, err := NextGame(strings.NewReader("1. e4 *"), -1); err != nil || got != 0 {
		t.Errorf("from the beginning: %d, %v", got, err)
	}
}

// A header agrees with reading the whole game.
func TestHeaders_AgreeWithReader(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	var want []*Header
	for range 200 {
		g := randomGame(rng, rules.StartPosition())
		text.WriteString(g.String())
		o := &Header{Tags: g.Tags, Plies: len(g.Moves), Result: g.Result}
		p := g.Start
		for _, m := range g.Moves {
			o.Last, o.Drops = p.SAN(m.Move), o.Drops || m.Move.IsDrop()
			p = p.After(m.Move)
		}
		want = append(want, o)
	}
	for name, file := range map[string]string{
		"as written": text.String(),
		"as Windows writes it, with a mark at the start": "\ufeff" + strings.ReplaceAll(text.String(), "\n", "\r\n"),
		"one word a line": wrapped(text.String()),
	} {
		if diff := cmp.Diff(want, readHeaders(t, file)); diff != "" {
			t.Errorf("%s (-want +got):\n%.2000s", name, diff)
		}
	}
}

// wrapped puts each word of the moves on a line.
func wrapped(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line[0] != '[' {
			line = strings.Join(strings.Fields(line), "\n") + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

func TestHeaders_Forms(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []*Header
	}{
		{"nothing", "\n\n", nil},
		{"moves only", "1.e4 e5 2.Nf3! $1 1-0", []*Header{{Plies: 3, Last: "Nf3!", Result: rules.WhiteWins}}},
		{
			"games begin on new lines", "1. e4 [Event \"no\"] * c4 {\n1-0} 1-0\n1. d4 d5 1/2-1/2",
			[]*Header{{Plies: 3, Last: "\"no\""}, {Plies: 2, Last: "d5", Result: rules.Draw}},
		},
		{
			"two games on a line", "1. e4 * 1. d4 d5 1/2-1/2",
			[]*Header{{Plies: 1, Last: "e4"}, {Plies: 2, Last: "d5", Result: rules.Draw}},
		},
		{
			"tags after a result", "1. e4 1-0 [Event \"1\"] 1. d4 d5 0-1 [no tag] * [Event \"2\"] {[x]} 1. c4 *",
			[]*Header{
				{Plies: 1, Last: "e4", Result: rules.WhiteWins},
				{Tags: []Tag{{"Event", "1"}}, Plies: 2, Last: "d5", Result: rules.BlackWins},
				{}, {Tags: []Tag{{"Event", "2"}}, Plies: 1, Last: "c4"},
			},
		},
		{
			"result missing", "[Event \"1\"]\n\n1. e4\n\n[Event \"2\"]\n\n1. d4 0-1",
			[]*Header{{Tags: []Tag{{"Event", "1"}}, Plies: 1, Last: "e4"},
				{Tags: []Tag{{"Event", "2"}}, Plies: 1, Last: "d4", Result: rules.BlackWins}},
		},
		{"tags only", "[Event \"1\"]\n", []*Header{{Tags: []Tag{{"Event", "1"}}, Truncated: true}}},
		{"a quote in a tag's name", "[\"a \"b\"]\n[Site \"x\"]\n\n*", []*Header{{Tags: []Tag{{"Site", "x"}}}}},
		{"a bad tag", "[Event]\n[Site \"x\"]\n\n*", []*Header{{Tags: []Tag{{"Site", "x"}}}}},
		{
			"comments and variations",
			"1. e4 {a\n[Event \"no\"] 1-0 (\n} (1. d4 (1. c4 {)}) 0-1) e5 ; 1-0\n%1-0\n2. P@e3 *",
			[]*Header{{Plies: 3, Last: "P@e3", Drops: true}},
		},
		{
			"cut in comments", "[Result \"1-0\"]\n\n1. e4 {a} (1. d4 {[%cl[Event \"2\"]\n[Result \"0-1\"]\r\n\r\n" +
				"1. d4 0-1 {[%cl\n[Event \"3\"]\n\n*",
			[]*Header{
				{Tags: []Tag{{"Result", "1-0"}}, Plies: 1, Last: "e4", Result: rules.WhiteWins},
				{Tags: []Tag{{"Result", "0-1"}}, Plies: 1, Last: "d4", Result: rules.BlackWins},
				{Tags: []Tag{{"Event", "3"}}},
			},
		},
		{"glyphs of their own", "1. e4 !? e5 ?? 1-0", []*Header{{Plies: 2, Last: "e5", Result: rules.WhiteWins}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, readHeaders(t, tt.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// By the standard a game without a variant is chess.
func TestHeader_IsCrazyhouse(t *testing.T) {
	for text, want := range map[string]bool{
		"[Variant \"crazyhouse\"]": true, "[Variant \"Standard\"]\n1. P@e4 *": false,
		"[White \"anna\"]\n\n1. e4 *": false, "[Event \"FICS rated crazyhouse game\"]": true,
		"[White \"anna\"]\n\n1. @e4 *": true, "[Event \"FICS bughouse match\"]\n\n1. P@e4 *": false,
		"[WhiteA \"anna\"]\n\n1. P@e4 *": false, "[FEN \"4k3/8/8/8/8/8/8/4K3[P] w - - 0 1\"]": true,
		"[FEN \"4k3/8/8/8/8/8/8/4K3/ w - - 0 1\"]": true, "[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]": false,
		"1. e4 *": true,
	} {
		if h := readHeaders(t, text)[0]; h.IsCrazyhouse() != want {
			t.Errorf("%q: crazyhouse %t", text, !want)
		}
	}
}

func TestHeaders_LongLine(t *testing.T) {
	list := readHeaders(t, "1. e4 { "+strings.Repeat("x", 12*maxToken)+" } e5 1-0\n\n1. d4 *\n")
	if len(list) != 2 || list[0].Plies != 2 || list[0].Result != rules.WhiteWins {
		t.Errorf("%d games, first %+v", len(list), list[0])
	}
}

func TestHeaders_ReadError(t *testing.T) {
	for _, err := range Headers(failingReadWriter{}) {
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("error %v", err)
		}
		return
	}
	t.Error("no error")
}

func TestHeaders_Stop(t *testing.T) {
	n := 0
	for range Headers(strings.NewReader("1. e4 *\n1. d4 *")) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d games after the first was enough", n)
	}
}

// FuzzHeaders: nothing makes the scanner hang or panic.
func FuzzHeaders(f *testing.F) {
	f.Add("[Event \"x\"]\n\n1. e4 { [%clk 0:03:00] } e5 (1... d5) 2. Nf3 $1 1-0\n")
	f.Add("{\n[\n(;%\n}")
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		for _, err := range Headers(strings.NewReader(text)) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n > len(text) {
				t.Fatal("more games than bytes")
			}
		}
	})
}
