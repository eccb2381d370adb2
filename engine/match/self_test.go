package match

import (
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// newSelf returns our engine with options, each a name and a value.
func newSelf(t *testing.T, pairs ...string) (side Side, err error) {
	t.Helper()
	o := uci.DefaultOptions(engine.Options{Threads: 1, HashMB: 1})
	for i := 0; i < len(pairs); i += 2 {
		if err := o.Set(pairs[i], pairs[i+1]); err != nil {
			return side, err
		}
	}
	err = side.UseSelf("test", o, 1)
	return side, err
}

// It plays from the book that its options name, and searches beyond it.
func TestSide_UseSelf(t *testing.T) {
	t.Parallel()
	side, err := newSelf(t, "OwnBook", "true", "BookFile", enginetest.WriteBook(t, "a2a4"), "Skill Level", "19")
	if err != nil {
		t.Fatal(err)
	}
	other, err := newSelf(t, "OwnBook", "true", "BookFile", enginetest.WriteBook(t, "h2h4"), "Skill Level", "19")
	if err != nil || other.Name != side.Name || other.Command == side.Command {
		t.Errorf("with another book of the same size it is %q, %v", other.Command, err)
	}
	own := "test with " + nnue.Default().Name() + " at level 19"
	if want := own + ", zhbot book, 1 positions, 1 moves"; side.Name != want ||
		!strings.HasPrefix(side.Command, " of "+own+", book ") {
		t.Errorf("name %q, command %q, want %q", side.Name, side.Command, want)
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
	fixture.Play(t, g, "a2a4")
	if r, err = p.Search(t.Context(), g, engine.Limits{Nodes: 100}); err != nil || r.Info.Nodes == 0 {
		t.Errorf("%+v, %v, want a search", r, err)
	}
}

// Options that are set between games, as a tuning sets the parameters, are those of the next.
func TestSide_UseSelf_SetsOptions(t *testing.T) {
	t.Parallel()
	side, err := newSelf(t)
	if err != nil {
		t.Fatal(err)
	}
	started, err := side.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := started.(*inProcess)
	defer p.Close()
	nodes := func(reductionBase string) uint64 {
		if err := p.SetOption(external.Option{Name: "reductionBase", Value: reductionBase}); err != nil {
			t.Fatal(err)
		}
		if err := p.NewGame(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := p.Search(t.Context(), rules.NewGame(rules.StartPosition()), engine.Limits{Depth: 7})
		if err != nil {
			t.Fatal(err)
		}
		return r.Info.Nodes
	}
	a, b, again := nodes("205"), nodes("900"), nodes("205")
	if a == b || a != again {
		t.Errorf("nodes %d, %d with another base, %d with the first again", a, b, again)
	}
	err = p.SetOption(external.Option{Name: "reductionBase", Value: "9999"})
	if err == nil || !strings.Contains(err.Error(), "option reductionBase=9999: value") {
		t.Errorf("a base out of bounds: error %v", err)
	}
}
