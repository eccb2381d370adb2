package mover

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// openBooks returns the openings that settings with these books have.
func openBooks(t *testing.T, paths ...string) *openings {
	t.Helper()
	o, err := newOpenings(paths)
	if err != nil {
		t.Fatal(err)
	}
	o.draw = rand.New(rand.NewPCG(3, 4)).IntN
	return o
}

// Of the book's moves, one that leaves the lines of the last games comes first; without
// such a move, the book's others will do. Books are not for pondering, nor after a panic.
func TestOpenings_Pick(t *testing.T) {
	t.Parallel()
	g := rules.NewGame(rules.StartPosition())
	o := openBooks(t, enginetest.WriteBook(t, "e2e4", "e2e4", "e2e4", "d2d4"), enginetest.WriteBook(t, "g1f3"))
	for _, tt := range []struct {
		moves, fresh  string
		ponder, plain bool
		want          string
	}{
		{"", "d2d4 a2a3", false, false, "d2d4"},
		{"", "g1f3 a2a3", false, false, "g1f3"},
		{"e2e4 a2a3", "a2a3", false, false, "e2e4"},
		{"a2a3", "a2a3", false, false, ""},
		{"", "d2d4", true, false, ""},
		{"", "d2d4", false, true, ""},
	} {
		parse := func(text string) (list []rules.Move) {
			for uci := range strings.FieldsSeq(text) {
				list = append(list, fixture.Move(t, g.Position(), uci))
			}
			return list
		}
		l := game.SearchLimits{Fresh: parse(tt.fresh)}
		l.SearchMoves, l.Ponder, l.Plain = parse(tt.moves), tt.ponder, tt.plain
		for range 20 {
			m, ok := o.pick(g, l)
			if ok != (tt.want != "") || ok && m.String() != tt.want {
				t.Fatalf("of %+v picked %s, %t", tt, m, ok)
			}
		}
	}
}

// reload puts changed settings in force.
func reload(t *testing.T, m *Mover, c *config.Config) {
	t.Helper()
	apply, err := m.Prepare(c)
	if err != nil {
		t.Fatal(err)
	}
	apply()
}

func TestMover_Reload(t *testing.T) {
	t.Parallel()
	o := openBooks(t, enginetest.WriteBook(t, "a2a4"))
	p := newMover(o)
	g := rules.NewGame(rules.StartPosition())
	c := config.Default()
	c.Engine.Book = []string{enginetest.WriteBook(t, "h2h4")}
	reload(t, p, &c)
	if m, ok := o.pick(g, game.SearchLimits{}); !ok || m.String() != "h2h4" {
		t.Errorf("after the reload: %s, %t, want h2h4", m, ok)
	}
	c.Engine.Book = []string{filepath.Join(t.TempDir(), "none.bin")}
	if _, err := p.Prepare(&c); err == nil || !strings.Contains(err.Error(), "none.bin") {
		t.Errorf("a book that is missing: %v", err)
	}
	if m, ok := o.pick(g, game.SearchLimits{}); !ok || m.String() != "h2h4" {
		t.Errorf("after a bad reload: %s, %t, want the old book's h2h4", m, ok)
	}
	c.Engine.Book = nil
	reload(t, p, &c)
	if m, ok := o.pick(g, game.SearchLimits{}); ok {
		t.Errorf("without a book: %s", m)
	}
}
