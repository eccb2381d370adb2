package match

import (
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/rules"
)

// writeBook writes a book in which White begins with a move.
func writeBook(t *testing.T, uci string) (path string) {
	t.Helper()
	counter, start := book.NewCounter(1), rules.StartPosition()
	m, err := start.ParseUCI(uci)
	if err != nil {
		t.Fatal(err)
	}
	counter.Add(&start, []rules.Move{m}, rules.WhiteWins)
	b, err := counter.Table(1, "")
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "test.zhbk")
	if err := b.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// newSelf returns our engine with options.
func newSelf(t *testing.T, options ...external.Option) (side Side, err error) {
	t.Helper()
	self, err := NewSelf("test", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, option := range options {
		if err := self.Set(option); err != nil {
			return side, err
		}
	}
	err = self.Side(&side)
	return side, err
}

// It plays from the book that its options name, and searches beyond it.
func TestSelf_Book(t *testing.T) {
	side, err := newSelf(t, external.Option{Name: "OwnBook", Value: "true"}, external.Option{Name: "BookFile", Value: writeBook(t, "a2a4")})
	if err != nil {
		t.Fatal(err)
	}
	p, err := side.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	g := rules.NewGame(rules.StartPosition())
	r, err := p.Search(t.Context(), g, engine.Limits{Nodes: 100})
	if err != nil || r.Move.String() != "a2a4" || r.Info.Nodes != 0 {
		t.Errorf("%+v, %v, want the book's a2a4", r, err)
	}
	if err := g.PlayUCI("a2a4"); err != nil {
		t.Fatal(err)
	}
	if r, err = p.Search(t.Context(), g, engine.Limits{Nodes: 100}); err != nil || r.Info.Nodes == 0 {
		t.Errorf("%+v, %v, want a search", r, err)
	}
}

func TestSelf_BadBook(t *testing.T) {
	for _, options := range [][]external.Option{
		{{Name: "OwnBook", Value: "yes"}},
		{{Name: "OwnBook", Value: "true"}, {Name: "BookFile", Value: "none.bin"}},
		{{Name: "OwnBooks", Value: "true"}},
	} {
		if _, err := newSelf(t, options...); err == nil {
			t.Errorf("%v is accepted", options)
		}
	}
}
