package app

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

var results = []lichesstest.Result{
	{White: SandboxBot, Black: Drifter, Status: "mate", Winner: "white", Plies: 13, WhiteLeft: 9 * time.Second, Moves: strings.Fields("e2e4 e7e5 d1h5 b8c6 Q@f7")},
	{White: Magpie, Black: SandboxBot, Status: "resign", Winner: "white", Plies: 1, WhiteLeft: time.Second, BlackLeft: 7 * time.Second, Moves: []string{"e2e4"}},
	{White: SandboxBot, Black: Drifter, Status: "draw", WhiteLeft: 8250 * time.Millisecond},
}

func TestSummarize(t *testing.T) {
	var out strings.Builder
	if err := summarize(&out, results, lichesstest.Audit{Moves: 8}); err != nil {
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
	for name, a := range map[string]lichesstest.Audit{
		"lost on time": {LostOnTime: 1}, "illegal": {Illegal: 1}, "twice": {Duplicates: 1}, "out of turn": {OutOfTurn: 1},
	} {
		if err := summarize(&strings.Builder{}, results, a); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
