package game

import (
	"errors"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
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
		again     bool
	}{
		{"alike", ours, at(20), at(0), false},
		{"other pieces", before, at(20), at(0), true},
		{"other pockets", pocket, at(20), at(0), true},
		{"other turn", turn, at(20), at(0), true},
		{"asked before the last move", before, at(5), at(0), false},
		{"asked before the connection", before, at(20), at(30), false},
		{"blindfold", "9/9/9/9/9/9/9/9/9/9 w - - 0 1", at(20), at(0), false},
		{"not listed", "", at(20), at(0), true},
		{"not listed, asked before the last move", "", at(5), at(0), false},
	} {
		g, _ := gameAfter(t, "e2e4 d7d5 e4d5", config.Config{})
		g.board.changed, g.connectedAt = at(10), tt.connected
		for i, want := range []bool{tt.again, false} {
			l := listing{asked: tt.asked}
			if tt.fen != "" {
				l.game = &lichess.Game{FEN: tt.fen}
			}
			g.compare(t.Context(), l)
			if again := g.rereadTimer.Stop(); again != want {
				t.Errorf("%s, list %d: read again %t, want %t", tt.name, i, again, want)
			}
		}
	}
	g, _ := gameAfter(t, "e2e4", config.Config{})
	if g.compare(t.Context(), listing{asked: begin, ended: true}); !g.rereadTimer.Stop() {
		t.Error("not read again after its final event")
	}
}

// A game is given up when the lists have lacked it for long and its stream does not show its
// end. An unknown status is the end once the lists lack the game, and reading it again has
// shown no other.
func TestGame_CheckListed(t *testing.T) {
	begin := time.Now()
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	type step struct {
		asked     int
		listed    bool
		connected int // of the newest state; 0 for none
		want      error
		over      bool
	}
	unknown := []step{
		{asked: 10, connected: 5}, {asked: 20, connected: 5}, {asked: 30, connected: 5, listed: true},
		{asked: 40, connected: 35}, {asked: 50, connected: 45, over: true},
	}
	for status, steps := range map[lichess.Status][]step{
		"adjourned": unknown, "": unknown,
		lichess.StatusStarted: {
			{asked: 10}, {asked: 60}, {asked: 80, listed: true}, {asked: 90, connected: 85},
			{asked: 140, connected: 85},
			{asked: 160, connected: 100}, // it was read again, as in progress
			{asked: 170, connected: 85, want: errEndUnread},
		},
	} {
		g := newTestGame(t, func(o *Options) { o.Timing.Stream.UnlistedTimeout = time.Minute })
		// the final event is no list
		if err := g.checkListed(listing{asked: begin.Add(-time.Hour), ended: true}); err != nil {
			t.Error(err)
		}
		for _, s := range steps {
			l := listing{asked: at(s.asked)}
			if s.listed {
				l.game = new(lichess.Game)
			}
			if g.connectedAt = (time.Time{}); s.connected > 0 {
				g.state, g.connectedAt = &lichess.GameState{Status: status}, at(s.connected)
			}
			err := g.checkListed(l)
			over := g.state != nil && g.state.Status.Over()
			if !errors.Is(err, s.want) || over != s.over || g.entry.isOver() != s.over {
				t.Errorf("%s, after %d s: %v, over %t", status, s.asked, err, over)
			}
		}
	}
}
