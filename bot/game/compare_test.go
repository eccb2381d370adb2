package game

import (
	"errors"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Only a list that is newer than the board knows better than the board, and once
// for each difference.
func TestGame_ComparesWithTheList(t *testing.T) {
	begin := time.Now()
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	const (
		before = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR/ w KQkq - 0 2"
		ours   = "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR/P b KQkq - 7 9" // counters do not count
		pocket = "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR/ b KQkq - 0 2"
		turn   = "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR/P w KQkq - 0 2"
	)
	for _, tt := range []struct {
		name      string
		fen       string
		asked     time.Time
		connected time.Time
		clock     bool
		again     bool
	}{
		{"alike", ours, at(20), at(0), true, false},
		{"other pieces", before, at(20), at(0), true, true},
		{"other pockets", pocket, at(20), at(0), true, true},
		{"other turn", turn, at(20), at(0), true, true},
		{"asked before the last move", before, at(5), at(0), true, false},
		{"asked before the connection", before, at(20), at(30), true, false},
		{"blindfold", "9/9/9/9/9/9/9/9/9/9 w - - 0 1", at(20), at(0), true, false},
		{"without a clock", before, at(20), at(0), false, false},
		{"not listed", "", at(20), at(0), true, true},
		{"not listed, asked before the last move", "", at(5), at(0), true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newTestGame(t, nil)
			g.full, g.state = new(lichess.GameFull), &lichess.GameState{Moves: "e2e4 d7d5 e4d5"}
			if tt.clock {
				g.full.Clock = lichess.Clock{Initial: time.Minute}
			}
			g.us, g.board = rules.White, newBoard(rules.StartPosition())
			show(t, g.board, "e2e4", "d7d5", "e4d5")
			g.board.changed, g.connectedAt = at(10), tt.connected
			for i, want := range []bool{tt.again, false} {
				l := listing{asked: tt.asked}
				if tt.fen != "" {
					l.game = &lichess.Game{FEN: tt.fen}
				}
				g.compare(t.Context(), l)
				if again := g.rereadTimer.Stop(); again != want {
					t.Errorf("list %d: read again %t, want %t", i, again, want)
				}
			}
		})
	}
}

// A game is given up when the lists have lacked it for long and its stream does not show
// its end.
func TestGame_UnlistedForLong(t *testing.T) {
	begin := time.Now()
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	g := newTestGame(t, func(o *Options) { o.Timing.Stream.UnlistedTimeout = time.Minute })
	if err := g.checkListed(listing{asked: begin.Add(-time.Hour), ended: true}); err != nil { // the final event is no list
		t.Error(err)
	}
	for _, step := range []struct {
		asked     int
		listed    bool
		connected int // of the newest state; 0 for none
		want      error
	}{
		{10, false, 0, nil},
		{60, false, 0, nil},
		{80, true, 0, nil},
		{90, false, 85, nil},
		{140, false, 85, nil},
		{160, false, 100, nil}, // it was read again, as in progress
		{170, false, 85, errEndUnread},
	} {
		l := listing{asked: at(step.asked)}
		if step.listed {
			l.game = new(lichess.Game)
		}
		if g.connectedAt = (time.Time{}); step.connected > 0 {
			g.state, g.connectedAt = &lichess.GameState{Status: lichess.StatusStarted}, at(step.connected)
		}
		if err := g.checkListed(l); !errors.Is(err, step.want) {
			t.Errorf("after %d s: %v, want %v", step.asked, err, step.want)
		}
	}
}

// A game that was only announced is given up when a list lacks it and there are too many games.
func TestGame_UnlistedBeyondLimit(t *testing.T) {
	g := newTestGame(t, nil)
	for limit, want := range map[int]error{1: nil, 0: errUnknown} {
		g.opts.Games.Resize(config.Games{Max: limit})
		if err := g.checkListed(listing{asked: time.Now()}); !errors.Is(err, want) {
			t.Errorf("with games.max %d: %v, want %v", limit, err, want)
		}
	}
}

// An unknown status is the end once the lists lack the game, and reading it again has shown no other.
func TestGame_UnlistedWithUnknownStatus(t *testing.T) {
	begin := time.Now()
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	g := newTestGame(t, nil)
	g.state = &lichess.GameState{Status: "adjourned"}
	for _, step := range []struct {
		asked     int
		listed    bool
		connected int
		over      bool
	}{{10, false, 5, false}, {20, false, 5, false}, {30, true, 5, false}, {40, false, 35, false}, {50, false, 45, true}} {
		l := listing{asked: at(step.asked)}
		if step.listed {
			l.game = new(lichess.Game)
		}
		g.connectedAt = at(step.connected)
		if err := g.checkListed(l); err != nil || g.state.Status.Over() != step.over || g.entry.isOver() != step.over {
			t.Errorf("after %d s: over %t, %v", step.asked, g.state.Status.Over(), err)
		}
	}
}
