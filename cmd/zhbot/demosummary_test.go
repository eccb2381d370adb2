package main

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

var demoResults = []lichesstest.Result{
	{White: demoBot, Black: drifter, Status: "mate", Winner: "white", Plies: 13, WhiteLeft: 9 * time.Second, Moves: strings.Fields("e2e4 e7e5 d1h5 b8c6 Q@f7")},
	{White: magpie, Black: demoBot, Status: "resign", Winner: "white", Plies: 1, WhiteLeft: time.Second, BlackLeft: 7 * time.Second, Moves: []string{"e2e4"}},
	{White: demoBot, Black: drifter, Status: "draw", WhiteLeft: 8250 * time.Millisecond},
}

func TestPrintResult(t *testing.T) {
	var out strings.Builder
	printResult(&out, 1, 2, demoResults[0])
	printResult(&out, 2, 0, demoResults[1])
	want := "game 1/2     won as white against Drifter   by mate in 7 moves (0s, 9s left); last: d1h5 b8c6 Q@f7\n" +
		"game 2       lost as black against Magpie    by resign in 1 moves (0s, 7s left); last: e2e4\n"
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", &out, want)
	}
}

func TestSummarize(t *testing.T) {
	var out strings.Builder
	if err := summarize(&out, demoResults, lichesstest.Audit{Moves: map[string]int{demoBot: 8}}); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"  opponent  games  won  drawn  lost  least clock left\n",
		"   Drifter      2    1      1     0              8.3s\n",
		"    Magpie      1    0      0     1                7s\n",
		"     total      3    1      1     1                7s\n",
		"8 moves posted; lost on time: 0; illegal posts: 0;",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("printed\n%swithout %q", &out, want)
		}
	}
}

// What no bot may do fails the demo, whatever the games' results.
func TestSummarize_FailsOnMisplay(t *testing.T) {
	count := func(user string) map[string]int { return map[string]int{user: 1} }
	for name, a := range map[string]lichesstest.Audit{
		"lost on time": {LostOnTime: count(demoBot)},
		"illegal":      {Illegal: count(demoBot)},
		"twice":        {Duplicates: count(demoBot)},
		"out of turn":  {OutOfTurn: count(demoBot)},
	} {
		if err := summarize(&strings.Builder{}, demoResults, a); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := summarize(&strings.Builder{}, demoResults, lichesstest.Audit{LostOnTime: count(drifter)}); err != nil {
		t.Errorf("an opponent's loss on time gives %v", err)
	}
}
