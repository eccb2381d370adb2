package app

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestPrintResult(t *testing.T) {
	var out strings.Builder
	PrintResult(&out, 1, 2, lichesstest.Result{White: SandboxBot, Black: Drifter, Status: "mate", Winner: "white", Plies: 13, WhiteLeft: 9 * time.Second, Moves: strings.Fields("e2e4 e7e5 d1h5 b8c6 Q@f7")})
	PrintResult(&out, 2, 0, lichesstest.Result{White: Magpie, Black: SandboxBot, Status: "resign", Winner: "white", Plies: 1, WhiteLeft: time.Second, BlackLeft: 7 * time.Second, Moves: []string{"e2e4"}})
	PrintResult(&out, 3, 0, lichesstest.Result{White: SandboxBot, Black: Magpie, Status: "outoftime", Winner: "black", Plies: 8, Moves: []string{"e2e4"}})
	PrintResult(&out, 4, 0, lichesstest.Result{White: SandboxBot, Black: Magpie, Status: "timeout", Winner: "white", Plies: 8, WhiteLeft: time.Second, Moves: []string{"e2e4"}})
	want := "game 1/2     won as white against Drifter   by checkmate in 7 moves (0s, 9s left); last: d1h5 b8c6 Q@f7\n" +
		"game 2       lost as black against Magpie    by resignation in 1 move (0s, 7s left); last: e2e4\n" +
		"game 3       lost as white against Magpie    on time in 4 moves (0s, 0s left); last: e2e4\n" +
		"game 4       won as white against Magpie    by abandonment in 4 moves (0s, 1s left); last: e2e4\n"
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", &out, want)
	}
}
