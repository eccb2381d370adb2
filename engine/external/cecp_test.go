package external

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// In two games the engine plays one side against the last legal move of each position.
// It knows the rules and would reject a wrong move.
func TestCECP_playsGames(t *testing.T) {
	t.Parallel()
	c := newFake(t, "cecp-plays")
	if c.Name() != "Fake 1.0" {
		t.Errorf("Name() = %q", c.Name())
	}
	for _, color := range []rules.Color{rules.White, rules.Black} {
		if err := c.NewGame(t.Context()); err != nil {
			t.Fatal(err)
		}
		g := fixture.Game(t, "e2e4", "d7d5", "e4d5", "d8d5")
		for g.Ply() < 120 && !g.Outcome(rules.Threefold).Over() {
			if err := g.Play(nextMove(t, c, g, color)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func nextMove(t *testing.T, c *Engine, g *rules.Game, color rules.Color) rules.Move {
	t.Helper()
	if g.Position().Turn() != color {
		moves := g.Position().LegalMoves()
		return moves[len(moves)-1]
	}
	r, err := c.Search(t.Context(), g, oneMinute)
	if err != nil {
		t.Fatalf("ply %d: %v", g.Ply(), err)
	}
	return r.Move
}

// Moves that were taken back begin the game anew.
func TestCECP_takeback(t *testing.T) {
	t.Parallel()
	c := newFake(t, "cecp-plays")
	for _, moves := range []string{"e2e4 d7d5 e4d5 d8d5", "e2e4 d7d5", "d2d4 d7d5 c2c4 d5c4"} {
		g := fixture.Game(t, strings.Fields(moves)...)
		if r, err := c.Search(t.Context(), g, oneMinute); err != nil || !g.Position().IsLegal(r.Move) {
			t.Errorf("after %s: %s, %v", moves, r.Move, err)
		}
	}
}

func TestCECP_thinking(t *testing.T) {
	t.Parallel()
	r, err := newFake(t, "cecp-prints-thinking").Search(t.Context(), fixture.Game(t), oneMinute)
	if err != nil {
		t.Fatal(err)
	}
	if i := r.Info; i.Depth != 10 || i.Score != -31 || i.Nodes != 4321 || i.Time <= 0 {
		t.Errorf("Search reported %+v", i)
	}
	var lines []string
	r, err = newFake(t, "cecp-prints-thinking").
		SearchAndReport(t.Context(), fixture.Game(t), oneMinute,
			func(i engine.Info) { lines = append(lines, fmt.Sprint(i.Depth, i.PV)) })
	if want := []string{"2 [g1f3]", "10 [e2e4]"}; err != nil || !slices.Equal(lines, want) || r.Info.Depth != 10 {
		t.Errorf("lines %q, %+v, %v, want %q", lines, r.Info, err, want)
	}
}

// commentRecorder records the last comment that the engine sends.
type commentRecorder struct {
	*Process
	comment string
}

func (w *commentRecorder) Read(b []byte) (int, error) {
	n, err := w.Process.Read(b)
	for line := range strings.Lines(string(b[:n])) {
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			w.comment = strings.TrimSpace(comment)
		}
	}
	return n, err
}

func TestCECP_sendsLimits(t *testing.T) {
	t.Parallel()
	afterE4 := fixture.Game(t, "e2e4")
	for _, c := range []struct {
		game   *rules.Game
		limits engine.Limits
		want   string
	}{
		{fixture.Game(t), engine.Limits{White: 65 * time.Second, Black: 5 * time.Second,
			WhiteInc: 30 * time.Millisecond},
			"memory 32; option King Safety=7; level 0 1:05 0.03; time 6500; otim 500;"},
		{afterE4, engine.Limits{White: 65 * time.Second, Black: 5 * time.Second},
			"memory 32; option King Safety=7; level 0 0:05 0; time 500; otim 6500;"},
		{fixture.Game(t), engine.Limits{MoveTime: 2 * time.Second}, "memory 32; option King Safety=7; st 2;"},
		{fixture.Game(t), engine.Limits{Depth: 6}, "memory 32; option King Safety=7; sd 6;"},
		{rules.NewGame(*afterE4.Position()), engine.Limits{Depth: 6},
			"memory 32; option King Safety=7; sd 6; " +
				"setboard rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1;"},
	} {
		engine := &commentRecorder{Process: startFake(t, "cecp-prints-commands")}
		e, err := New(t.Context(), engine, Config{
			Protocol:  CECP,
			Options:   []Option{{"King Safety", "7"}},
			Preferred: []Option{{"Hash", "32"}, {"Threads", "2"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.NewGame(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Search(t.Context(), c.game, c.limits); !errors.Is(err, ErrResigned) {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if engine.comment != c.want {
			t.Errorf("limits %+v: sent %q, want %q", c.limits, engine.comment, c.want)
		}
	}
}

func TestCECP_rejectsLimits(t *testing.T) {
	t.Parallel()
	start, pawns, pockets := fixture.Game(t), fixture.Game(t, "e2e4"), fixture.Game(t, "e2e4", "d7d5", "e4d5")
	for want, c := range map[string]struct {
		behavior string
		game     *rules.Game
		limits   engine.Limits
	}{
		"no node limit":             {"plays", start, engine.Limits{Nodes: 100}},
		"whole seconds a move":      {"plays", start, engine.Limits{MoveTime: 20 * time.Millisecond}},
		"cannot set up the pockets": {"plays", rules.NewGame(*pockets.Position()), oneMinute},
		"cannot set up positions":   {"no-setboard", rules.NewGame(*pawns.Position()), oneMinute},
	} {
		_, err := newFake(t, "cecp-"+c.behavior).Search(t.Context(), c.game, c.limits)
		if err == nil || !strings.Contains(err.Error(), want) || errors.As(err, new(*IllegalMoveError)) {
			t.Errorf("Search returned %v, want %q", err, want)
		}
	}
}

func TestFeatures_add(t *testing.T) {
	t.Parallel()
	f := features{}
	names := f.add(`ping=1 setboard=0 myname="A b=c" variants="normal,crazyhouse" option="Skill -spin 1 0 9" done`)
	if want := []string{"ping", "setboard", "myname", "variants", "option"}; !reflect.DeepEqual(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	want := features{"ping": "1", "setboard": "0", "myname": "A b=c", "variants": "normal,crazyhouse",
		"option Skill": "spin 1 0 9"}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("features %q, want %q", f, want)
	}
}

func FuzzFeatures(f *testing.F) {
	f.Add(`ping=1 myname="A b" option="X -check 1"`)
	f.Add(`a="`)
	f.Fuzz(func(t *testing.T, text string) {
		all := features{}
		for _, name := range all.add(text) {
			if _, ok := all[name]; !ok && name != "option" {
				t.Errorf("%q: %q was returned but not stored", text, name)
			}
		}
	})
}
