package game

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Only a list that is newer than the board knows better than the board, and once
// for each difference.
func TestGame_ComparesWithTheList(t *testing.T) {
	begin := time.Now()
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	const (
		before = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq - 0 1"
		ours   = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR/ b KQkq - 7 9" // counters do not count
		pocket = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR/P b KQkq - 0 1"
		turn   = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR/ w KQkq - 0 1"
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
			g.full, g.state = new(lichess.GameFull), &lichess.GameState{Moves: "e2e4"}
			if tt.clock {
				g.full.Clock = lichess.Clock{Initial: time.Minute}
			}
			g.us, g.board = rules.White, newBoard(rules.StartPosition())
			if _, err := g.board.update([]string{"e2e4"}); err != nil {
				t.Fatal(err)
			}
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
	g := newTestGame(t, func(o *Options) { o.Timing.Stream.RefusalTimeout = time.Minute })
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
			g.connectedAt = at(step.connected)
		}
		if err := g.checkListed(l); !errors.Is(err, step.want) {
			t.Errorf("after %d s: %v, want %v", step.asked, err, step.want)
		}
	}
}

// A game that a complete list lacks is told so; a full list says nothing of others.
func TestGames_DeliverListings(t *testing.T) {
	for _, tt := range []struct {
		name     string
		complete bool
		others   int
	}{{"complete", true, 2}, {"full", false, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			table := NewRegistry(Limits{Max: 4}, func() {})
			games := NewManager(Options{Slots: table})
			listed := map[string]chan listing{}
			for _, id := range []string{"here", "gone"} {
				table.Register(id, Info{})
				listed[id] = games.inbox(id).listed
			}
			for range 2 { // the older list gives way
				games.DeliverListings([]lichess.Game{{ID: "here"}}, time.Now(), tt.complete)
			}
			told := 0
			for id, list := range listed {
				select {
				case l := <-list:
					told++
					if (l.game != nil) != (id == "here") {
						t.Errorf("%s: listed %v", id, l.game)
					}
				default:
				}
			}
			if told != tt.others {
				t.Errorf("%d games told, want %d", told, tt.others)
			}
		})
	}
}

// An abandoned game has ended when a complete list lacks it.
func TestGames_DeliverListingsAbandoned(t *testing.T) {
	table := NewRegistry(Limits{Max: 4}, func() {})
	games := NewManager(Options{Slots: table})
	table.Register("a", Info{})
	inbox := games.inbox("a")
	inbox.view.Store(&event.GameView{Summary: record.Summary{ID: "a"}})
	if n := len(games.Views()); n != 1 {
		t.Errorf("%d games are shown", n)
	}
	table.Abandon("a")
	if err := games.Resign(t.Context(), "a"); !errors.Is(err, errNotInTouch) || len(games.Views()) != 0 {
		t.Errorf("resigned with %v; shown: %+v", err, games.Views())
	}
	later := time.Now().Add(time.Hour)
	ended := games.DeliverListings([]lichess.Game{{ID: "a"}}, later, true)
	ended = append(ended, games.DeliverListings(nil, later, false)...)
	if len(ended) != 0 || table.Use().Games != 1 {
		t.Errorf("ended while it may be in progress: %v, slots %+v", ended, table.Use())
	}
	ended = games.DeliverListings(nil, later, true)
	ended = append(ended, games.DeliverListings(nil, later, true)...)
	if !slices.Equal(ended, []string{"a"}) || table.Use().Games != 0 {
		t.Errorf("ended %v, want a, once; slots %+v", ended, table.Use())
	}
	games.Forget("a")
	select {
	case <-inbox.forgotten:
	default:
		t.Error("whoever waits for it is not told")
	}
	if table.Has("a") || len(games.inboxes) != 0 {
		t.Error("not forgotten")
	}
}

// A game that has ended according to a list, but is in progress, counts again.
func TestGame_NotOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWalk(t)
		table, id := w.game.Slots, w.game.id
		table.Register(id, Info{})
		if !table.Abandon(id) || !table.EndAbandoned(id, time.Now().Add(time.Hour)) {
			t.Fatal("the game has not ended")
		}
		w.game.alreadyOver = true
		w.follow("turn")
		if !table.IsLive(id) || table.Use().Games != 1 || !slices.Equal(table.Unfinished(), []string{id}) {
			t.Errorf("running %q, slots %+v", table.Unfinished(), table.Use())
		}
		w.end()
	})
}

// The final event of a game waits for it, also if its goroutine has not started yet.
func TestGames_DeliverFinal(t *testing.T) {
	table := NewRegistry(Limits{Max: 1}, func() {})
	games := NewManager(Options{Slots: table})
	games.DeliverFinal(&lichess.Game{ID: "unknown"})
	table.Register("a", Info{Clock: true})
	games.DeliverFinal(&lichess.Game{ID: "a", RatingDiff: new(7)})
	games.DeliverFinal(&lichess.Game{ID: "a", RatingDiff: new(8)}) // a duplicate must not block
	if g := <-games.inbox("a").final; *g.RatingDiff != 7 {
		t.Errorf("rating change %d, want 7", *g.RatingDiff)
	}
	if games.Forget("a"); len(games.inboxes) != 0 {
		t.Errorf("%d games left", len(games.inboxes))
	}
}
