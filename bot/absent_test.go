package bot

import (
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// An opponent who left loses, or where the server gives no win for that, draws.
func TestGame_ClaimsAgainstTheAbsent(t *testing.T) {
	for _, tt := range []struct {
		claim  string
		winner string
		refuse bool // the win
	}{
		{"victory", "black", false},
		{"draw", "", true},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			r := newRig(t, lichesstest.Options{ClaimAfter: time.Millisecond})
			r.start(nil)
			rival := r.rival(withColor(blitz, "white"))
			stream, err := rival.StreamGame(t.Context(), rival.id)
			if err != nil {
				t.Fatal(err)
			}
			rival.play(0, "e2e4")
			r.plies(rival.id, 2)
			if tt.refuse {
				r.Faults.Fail("command", 1, 400)
			}
			stream.Close()
			if result := r.finished(rival.id); result.Status != "timeout" || result.Winner != tt.winner {
				t.Errorf("ended by %s, winner %q; want a claimed %s", result.Status, result.Winner, tt.claim)
			}
		})
	}
}

// The win is claimed when the server says so, and not if the opponent is back, has
// moved, or the server does not say when.
func TestGame_ClaimsOnlyWhenClaimable(t *testing.T) {
	now, later := new(lichess.Seconds), new(lichess.Seconds)
	*later = 20
	for _, tt := range []struct {
		name   string
		events []lichess.OpponentGone
		known  bool // the game's first line
		armed  bool
	}{
		{"now", []lichess.OpponentGone{{Gone: true, ClaimWinIn: now}}, true, true},
		{"later", []lichess.OpponentGone{{Gone: true, ClaimWinIn: later}}, true, true},
		{"not said when", []lichess.OpponentGone{{Gone: true}}, true, false},
		{"came back", []lichess.OpponentGone{{Gone: true, ClaimWinIn: later}, {}}, true, false},
		{"game not known yet", []lichess.OpponentGone{{Gone: true, ClaimWinIn: later}}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGame(New(Options{}), "abcd1234", zerolog.Nop())
			if tt.known {
				g.full = new(lichess.GameFull)
			}
			for _, e := range tt.events {
				g.opponentGone(&e)
			}
			if armed := g.claim.Stop(); armed != tt.armed { // armed also if it was due at once
				t.Errorf("claims: %t", armed)
			}
		})
	}
}

// In a correspondence game an opponent has days for the first move.
func TestGame_NoAbortWithoutClock(t *testing.T) {
	for name, tt := range map[string]struct {
		spec  lichesstest.ChallengeSpec
		armed bool
	}{"correspondence": {lichesstest.ChallengeSpec{Days: 2}, false}, "clock": {blitz, true}} {
		t.Run(name, func(t *testing.T) {
			g := newGame(New(Options{AbortAfter: time.Hour}), "abcd1234", zerolog.Nop())
			g.full = &lichess.GameFull{}
			if tt.spec.Limit > 0 {
				g.full.Clock = new(lichess.Clock)
			}
			g.board = newBoard(position(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"))
			g.us = 1 - g.board.start.Turn()
			g.watchFirstMove(true)
			if armed := g.noShow.Stop(); armed != tt.armed {
				t.Errorf("aborts: %t", armed)
			}
		})
	}
}
