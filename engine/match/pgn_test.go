package match

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

func TestRun_pgn(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	c := testMatch(t, inProcessEngine(), scriptedEngine(resign))
	c.Engine.Limit = Limit{Clock: time.Minute, Increment: time.Second, Nodes: 500}
	c.PGN = &text
	mustRun(t, c)
	games := readPGN(t, &text)
	if len(games) != 4 {
		t.Fatalf("the PGN has %d games, want 4", len(games))
	}
	g := games[0]
	if g.Tag("White") != "A" || g.Tag("Black") != "Scripted" || g.Result != rules.WhiteWins ||
		g.Tag("Round") != "1.1" ||
		g.Tag("WhiteLimit") != "60+1, 500 nodes" || !strings.HasPrefix(g.Tag("Termination"), "resignation (opponent)") {
		t.Errorf("tags %v", g.Tags)
	}
	if len(g.Moves) != 1 || !g.Moves[0].HasClock || !g.Moves[0].Eval.Known {
		t.Errorf("moves %+v, want one with clock and score", g.Moves)
	}
}

func readPGN(t *testing.T, r io.Reader) (games []pgn.Game) {
	t.Helper()
	for reader := pgn.NewReader(r); ; {
		g, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return games
		}
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, *g)
	}
}

// Both clocks have a single tag if they are the same, as elsewhere.
func TestRun_pgnTimeControl(t *testing.T) {
	t.Parallel()
	blitz := Limit{Clock: 3 * time.Minute, Increment: 30 * time.Millisecond}
	for name, tt := range map[string]struct {
		engine, opponent Limit
		want             [3]string // of both, of White, of Black
	}{
		"the same clock": {blitz, blitz, [3]string{"180+0.03"}},
		"another clock":  {blitz, Limit{Clock: time.Minute}, [3]string{"", "180+0.03", "60+0"}},
		"a time for moves": {Limit{MoveTime: 20 * time.Millisecond}, Limit{MoveTime: 20 * time.Millisecond},
			[3]string{"1/0.02"}},
		"nodes":              {smallLimit, Limit{Depth: 3}, [3]string{"-"}},
		"a clock and no one": {blitz, smallLimit, [3]string{"", "180+0.03", "-"}},
	} {
		var text bytes.Buffer
		c := testMatch(t, scriptedEngine(resign), scriptedEngine(resign))
		c.Engine.Limit, c.Opponent.Limit, c.Games, c.PGN = tt.engine, tt.opponent, 2, &text
		mustRun(t, c)
		g := readPGN(t, &text)[0] // the engine has White
		if got := [3]string{g.Tag("TimeControl"), g.Tag("WhiteTimeControl"),
			g.Tag("BlackTimeControl")}; got != tt.want {
			t.Errorf("%s: TimeControl, of White, of Black %q, want %q", name, got, tt.want)
		}
	}
}
