package mover

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/book/booktest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// openBooks returns the openings that settings with these books have.
func openBooks(t *testing.T, paths ...string) *openings {
	t.Helper()
	o, err := newOpenings(paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.draw = rand.New(rand.NewPCG(3, 4)).IntN
	return o
}

// Pondering fills the table for the search: a book has nothing to add.
func TestOpenings_NotForPondering(t *testing.T) {
	t.Parallel()
	o := openBooks(t, booktest.Write(t, "a2a4"))
	if m, ok := o.pick(t.Context(), rules.NewGame(rules.StartPosition()), game.SearchLimits{Limits: engine.Limits{Ponder: true}}); ok {
		t.Errorf("picked %s", m)
	}
}

// Of the book's moves, one that leaves the lines of the last games comes first; without
// such a move, the book's others will do.
func TestOpenings_Fresh(t *testing.T) {
	t.Parallel()
	o, g := openBooks(t, booktest.Write(t, "e2e4", "e2e4", "e2e4", "d2d4"), booktest.Write(t, "g1f3")), rules.NewGame(rules.StartPosition())
	for _, tt := range []struct{ moves, fresh, want string }{
		{"", "d2d4 a2a3", "d2d4"},
		{"", "g1f3 a2a3", "g1f3"},
		{"e2e4 a2a3", "a2a3", "e2e4"},
		{"a2a3", "a2a3", ""},
	} {
		parse := func(text string) (list []rules.Move) {
			for uci := range strings.FieldsSeq(text) {
				m := rulestest.Move(t, g.Position(), uci)
				list = append(list, m)
			}
			return list
		}
		for range 20 {
			m, ok := o.pick(t.Context(), g, game.SearchLimits{Limits: engine.Limits{SearchMoves: parse(tt.moves)}, Fresh: parse(tt.fresh)})
			if ok != (tt.want != "") || ok && m.String() != tt.want {
				t.Fatalf("of %+v picked %s, %t", tt, m, ok)
			}
		}
	}
}

// By default the first move comes from the embedded book.
func TestMover_DefaultBook(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Engine.HashMB, c.Engine.Threads = 1, 1
	p, err := New(t.Context(), &c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	b, err := book.Open(book.Embedded)
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(rules.StartPosition())
	r, err := p.Search(t.Context(), g, game.SearchLimits{}, nil)
	if err != nil || r.Info.Nodes != 0 || len(book.Filter(b.Moves(g.Position()), []rules.Move{r.Move})) == 0 {
		t.Errorf("first move %s after %d nodes, %v; want one of the book", r.Move, r.Info.Nodes, err)
	}
}

func TestMover_Reload(t *testing.T) {
	t.Parallel()
	o := openBooks(t, booktest.Write(t, "a2a4"))
	p := newMover(o)
	g := rules.NewGame(rules.StartPosition())
	var out bytes.Buffer
	log := zerolog.New(&out)
	c := config.Default()
	c.Engine.Book = []string{booktest.Write(t, "h2h4")}
	p.Prepare(&c, log)()
	if m, ok := o.pick(t.Context(), g, game.SearchLimits{}); !ok || m.String() != "h2h4" {
		t.Errorf("after the reload: %s, %t, want h2h4", m, ok)
	}
	c.Engine.Book = []string{filepath.Join(t.TempDir(), "none.bin")}
	p.Prepare(&c, log)()
	if m, ok := o.pick(t.Context(), g, game.SearchLimits{}); !ok || m.String() != "h2h4" {
		t.Errorf("after a bad reload: %s, %t, want the old book's h2h4", m, ok)
	}
	if text := out.String(); strings.Count(text, "the old ones stay") != 1 || !strings.Contains(text, "none.bin") {
		t.Errorf("the log says %q", text)
	}
	c.Engine.Book = nil
	p.Prepare(&c, log)()
	if m, ok := o.pick(t.Context(), g, game.SearchLimits{}); ok {
		t.Errorf("without a book: %s", m)
	}
}

func TestExplorerWait(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limits engine.Limits
		us     rules.Color
		want   time.Duration
	}{
		{engine.Limits{}, rules.White, time.Second},
		{engine.Limits{White: 3 * time.Minute, Black: time.Second}, rules.White, time.Second},
		{engine.Limits{White: 3 * time.Minute, Black: time.Second}, rules.Black, 0},
		{engine.Limits{White: 30 * time.Second}, rules.White, 600 * time.Millisecond},
		{engine.Limits{White: 19 * time.Second}, rules.White, 0},
		{engine.Limits{MoveTime: 100 * time.Millisecond}, rules.White, 50 * time.Millisecond},
	} {
		if got := explorerWait(&tt.limits, tt.us); got != tt.want {
			t.Errorf("%+v, %s: %s, want %s", tt.limits, tt.us, got, tt.want)
		}
	}
}
