package soak

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// A win that was claimed is no fault; a draw that was claimed instead fails the
// soak, and so does a game that the opponent could claim.
func TestReport_Claims(t *testing.T) {
	for _, tt := range []struct {
		name   string
		winner lichess.Color
		fault  string
	}{
		{"win claimed", "white", ""},
		{"draw claimed", "", "1 games were drawn by claim"},
		{"claimed by the opponent", "black", "1 games were lost by something other than chess"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newReport(&Options{Games: 1})
			r.addGame(lichesstest.Result{ID: "abcd1234", White: app.SandboxBot, Black: app.Magpie, Status: "timeout", Winner: tt.winner})
			err := r.write(io.Discard)
			if (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("verdict %v, want %q", err, tt.fault)
			}
		})
	}
}

// A move that the engine did not choose fails the soak, in whatever notation the
// server tells it.
func TestReport_CountsUnexpectedMoves(t *testing.T) {
	moves := strings.Fields("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1")
	for _, tt := range []struct{ name, chosen, fault string }{
		{"the engine's moves", "e1g1", ""},
		{"another move", "d2d3", "1 moves were not the ones that the engine chose"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newReport(&Options{Games: 1})
			g := rulestest.Game(t, moves[:6]...)
			chosen := rulestest.Move(t, g.Position(), tt.chosen)
			r.watch.observe(event.Searched{Game: "abcd1234", Board: g, Move: chosen})
			r.addGame(lichesstest.Result{
				ID: "abcd1234", White: app.SandboxBot, Black: app.Magpie, Status: "mate", Winner: "white",
				Moves: moves, Turns: make([]time.Duration, len(moves)),
			})
			if err := r.write(io.Discard); (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("verdict %v, want %q", err, tt.fault)
			}
		})
	}
}
