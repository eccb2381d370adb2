package mover

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// contendersOf returns the settings of a small engine with contenders.
func contendersOf(list ...config.Contender) *config.Config {
	c := config.Default()
	c.Engine.Threads, c.Engine.HashMB, c.Contenders, c.Engine.Book = 1, 4, list, nil
	return &c
}

// openContenders returns the mover of settings.
func openContenders(t *testing.T, c *config.Config) *Mover {
	t.Helper()
	p, err := New(t.Context(), c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// play searches the start position for a contender, in a game of its name.
func play(t *testing.T, p *Mover, contender string) game.SearchResult {
	t.Helper()
	l := game.SearchLimits{Limits: engine.Limits{Nodes: 200}, Game: contender, Contender: contender}
	r, err := p.Search(t.Context(), rules.NewGame(rules.StartPosition()), l, nil)
	if err != nil {
		t.Fatalf("%q: %v", contender, err)
	}
	return r
}

// otherNetwork writes a network like the embedded one, and returns its file and its name.
func otherNetwork(t *testing.T) (file, name string) {
	t.Helper()
	w := *nnue.Default().Weights()
	w.Summary = "another network"
	n, err := nnue.New(w)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "other.zhnn")
	fixture.Write(t, file, n.Encode())
	return file, n.Name()
}

// Contenders play with networks and books of their own, and else with the general ones.
func TestMover_Contenders(t *testing.T) {
	t.Parallel()
	file, name := otherNetwork(t)
	c := contendersOf(
		config.Contender{Name: "no book", Network: &file, Book: []string{}},
		config.Contender{Name: "other network", Network: &file},
		config.Contender{Name: "other book", Book: []string{enginetest.WriteBook(t, "h2h4")}},
		config.Contender{Name: "base"},
	)
	c.Engine.Book = []string{enginetest.WriteBook(t, "a2a4")}
	p := openContenders(t, c)
	moves := func(want map[string]string) {
		t.Helper()
		for contender, move := range want {
			if r := play(t, p, contender); r.Move.String() != move || r.Info.Depth > 0 {
				t.Errorf("%q plays %s at depth %d, want %s of the book", contender, r.Move, r.Info.Depth, move)
			}
		}
	}
	moves(map[string]string{"": "a2a4", "base": "a2a4", "other network": "a2a4", "other book": "h2h4"})
	if r := play(t, p, "no book"); r.Info.Depth == 0 {
		t.Errorf("without a book %s is played without a search", r.Move)
	}
	for contender, network := range map[string]string{"no book": name, "other network": name,
		"other book": p.Network(), "base": p.Network()} {
		if k := p.contenders[contender]; k.Network() != network || k.Program() != "" {
			t.Errorf("%q has the network %s and the program %q, want %s", contender, k.Network(), k.Program(), network)
		}
	}
	if a, b := p.contenders["no book"].searcher, p.contenders["other network"].searcher; a != b ||
		a == p.searcher || p.contenders["base"].searcher != p.searcher {
		t.Error("contenders with the same network have engines of their own")
	}
	c.Engine.Book = []string{enginetest.WriteBook(t, "c2c4")}
	reload(t, p, c)
	moves(map[string]string{"": "c2c4", "base": "c2c4", "other network": "c2c4", "other book": "h2h4"})
}

func TestMover_InvalidContenders(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	for want, contender := range map[string]config.Contender{
		"contenders[1]: engine.network: ": {Name: "b", Network: &missing},
		"contenders[1]: engine.book: ":    {Name: "b", Book: []string{missing}},
		"contenders[1]: engine.command: ": {Name: "b", Command: &missing, Weight: 1},
	} {
		p, err := New(t.Context(), contendersOf(config.Contender{Name: "a"}, contender), Options{})
		if err == nil {
			defer p.Close()
			err = p.AwaitReady(t.Context())
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), missing) {
			t.Errorf("error %v, want one of %s", err, want)
		}
	}
	c := contendersOf(config.Contender{Name: "a", Command: new(string), Weight: 1, For: config.For{Color: lichess.White}})
	c.Engine.Command = missing // which plays Black
	p := openContenders(t, c)
	if err := p.AwaitReady(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "engine.command: ") {
		t.Errorf("error %v for the section engine", err)
	}
}

// The memory is divided among the engines, of which there is one for each network.
func TestDivide(t *testing.T) {
	t.Parallel()
	first, other := "first.zhnn", "other.zhnn"
	for _, tt := range []struct {
		total      int
		contenders []config.Contender
		want       int
	}{
		{90, nil, 90},
		{90, []config.Contender{{Command: &other},
			{Command: &other, Options: []config.Option{{Name: "A", Value: "1"}}}}, 30},
		{90, []config.Contender{{Name: "a"}, {Name: "b", Book: []string{"x"}}}, 90},
		{90, []config.Contender{{Network: &first}, {Network: &first}}, 45},
		{90, []config.Contender{{}, {Network: &first}, {Network: &other}}, 30},
		{1, []config.Contender{{Network: &first}, {Network: &other}}, 1},
	} {
		if got, _ := divide(config.Engine{HashMB: tt.total}, tt.contenders); got != tt.want {
			t.Errorf("of %d MiB for %+v: %d, want %d", tt.total, tt.contenders, got, tt.want)
		}
	}
}

// A program plays for the contender that has it, and no other.
func TestMover_ContenderWithProgram(t *testing.T) {
	t.Parallel()
	command, failing, own := enginetest.Command(t, "ok"), enginetest.Command(t, "illegal"), ""
	c := contendersOf(config.Contender{Name: "other", Command: &command, Weight: 1},
		config.Contender{Name: "failing", Weight: 1}, config.Contender{Name: "own", Command: &own})
	c.Engine.Command = failing
	c.Games.Max = 1
	p := openContenders(t, c)
	if err := p.AwaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	for contender, want := range map[string]struct {
		program  string
		fallback bool
	}{"other": {"zhbot fake ok", false}, "failing": {"zhbot fake illegal", true}, "own": {"", false}} {
		if got := p.contenders[contender].Program(); got != want.program {
			t.Errorf("%q has the program %q, want %q", contender, got, want.program)
		}
		if r := play(t, p, contender); r.Info.Depth == 0 || (r.Fallback != "") != want.fallback {
			t.Errorf("%q: %+v", contender, r)
		}
		p.EndGame(contender)
	}
	if n := len(p.programs); n != 2 {
		t.Errorf("%d programs, want 2", n)
	}
}

// The program of a contender without new games starts when a game of an earlier run names
// it, and our own search plays until it is ready. What is missing disturbs nobody else.
func TestMover_ContenderWithoutWeight(t *testing.T) {
	t.Parallel()
	command, missing, own := enginetest.Command(t, "ok"), "/no/such/engine", ""
	c := contendersOf(config.Contender{Name: "old", Command: &command},
		config.Contender{Name: "gone", Command: &missing}, config.Contender{Name: "own", Command: &own, Weight: 1})
	p := openContenders(t, c)
	if err := p.AwaitReady(t.Context()); err != nil {
		t.Errorf("not ready for new games: %v", err)
	}
	fallback := func(contender string) event.Fallback {
		r := play(t, p, contender)
		if r.Info.Depth == 0 {
			t.Fatalf("%q: %+v", contender, r)
		}
		return r.Fallback
	}
	if program := p.contenders["old"].Program; program() != filepath.Base(os.Args[0]) {
		t.Errorf("before it starts, the program is %q", program())
	}
	p.EndGame("another")
	if started := p.contenders["gone"].program.places; len(started) > 0 {
		t.Errorf("the end of a game has started %d processes of a program that no game needs", len(started))
	}
	if reason := fallback("old"); reason != event.FallbackStarting {
		t.Errorf("the first move: %q", reason)
	}
	fixture.Until(t, "one program is ready, the other not running", func() bool {
		return fallback("old") == "" && fallback("gone") == event.FallbackNotRunning
	})
	if program := p.contenders["old"].Program; !strings.HasPrefix(program(), "zhbot fake") {
		t.Errorf("the program is %q", program())
	}
}
