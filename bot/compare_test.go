package bot

import (
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// A stream misses a move: nothing but the list of games in play ever tells.
func TestGame_FindsAMissedMove(t *testing.T) {
	for _, tt := range []struct {
		name   string
		color  string // the person's
		change func(*Bot)
	}{
		{"of the opponent", "white", func(b *Bot) { b.timing.liveSyncInterval = 50 * time.Millisecond }},
		{"the first, before an abort", "white", func(b *Bot) { b.opts.AbortAfter = 300 * time.Millisecond }},
		{"of ours", "black", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			r.start(tt.change)
			r.Faults.DropMoves(1)
			p := r.challengeAsHuman(withColor(blitz, tt.color))
			if tt.color == "white" {
				eventually(t, "the stream is open", func() bool { return r.log.messages("game joined") == 1 })
				p.play(0, "e2e4")
				r.plies(p.id, 2)
			} else {
				r.plies(p.id, 1)
			}
			eventually(t, "the game is read again", func() bool { return r.requests(endpointGameStream) > 1 })
			if result, _ := r.Game(p.id); result.Status != "started" {
				t.Errorf("ended by %s", result.Status)
			}
			if n := r.log.messages("stream has missed a move: reading the game again"); n != 1 {
				t.Errorf("logged %d times", n)
			}
			r.checkNoViolations()
		})
	}
}

// The first line of a stream may come after that of a later move: no takeback.
func TestGame_OlderFirstLineIsNoTakeback(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.start(nil)
	r.Faults.DelayGameFull(1)
	p := r.challengeAsHuman(withColor(blitz, "white"))
	eventually(t, "the stream is being opened", func() bool { return r.requests(endpointGameStream) == 1 })
	p.play(0, "e2e4")
	r.plies(p.id, 2)
	p.play(2, "g1f3")
	r.plies(p.id, 4)
	if n := r.requests(endpointGameStream); n != 1 {
		t.Errorf("the game was read %d times", n)
	}
	r.checkNoViolations()
}

// Each opening of a stream can miss a move, so the list is read after each.
func TestGame_ReadsTheListAfterEachOpening(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.start(func(b *Bot) { b.timing.syncInterval, b.timing.liveSyncInterval = time.Hour, time.Hour })
	eventually(t, "the first list is read", func() bool { return r.requests(endpointPlaying) > 0 })
	lists := r.requests(endpointPlaying)
	p := r.challengeAsHuman(withColor(blitz, "white"))
	eventually(t, "the list is read", func() bool { return r.requests(endpointPlaying) > lists })
	p.play(0, "e2e4")
	r.plies(p.id, 2)
	lists = r.requests(endpointPlaying)
	r.Faults.CutStreams(1)
	p.play(2, "g1f3")
	r.plies(p.id, 4)
	eventually(t, "the list is read again", func() bool { return r.requests(endpointPlaying) > lists })
}

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
			g := newGame(New(Options{}), "abcd1234", zerolog.Nop())
			g.full, g.state = new(lichess.GameFull), &lichess.GameState{Moves: "e2e4"}
			if tt.clock {
				g.full.Clock = new(lichess.Clock)
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

// The list is read often only while a clock runs.
func TestBot_ReadsTheListWhileAClockRuns(t *testing.T) {
	b := New(Options{})
	for _, clock := range []bool{false, true} {
		b.slots.Register("abcd1234", slots.Game{})
		b.slots.Update("abcd1234", slots.Game{Clock: clock})
		for range 100 {
			if wait := b.syncWait(); clock && (wait < 15*time.Second || wait > 30*time.Second) || !clock && wait != b.timing.syncInterval {
				t.Fatalf("with a clock: %t, next list in %s", clock, wait)
			}
		}
	}
}

// A game that a complete list lacks is told so; a full list says nothing of others.
func TestRunningGames_DeliverListings(t *testing.T) {
	for _, tt := range []struct {
		name     string
		complete bool
		others   int
	}{{"complete", true, 2}, {"full", false, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			table := slots.New(slots.Limits{Max: 4}, func() {})
			running := newRunningGames(table)
			listed := map[string]chan listing{}
			for _, id := range []string{"here", "gone"} {
				listed[id] = make(chan listing, 1)
				table.Register(id, slots.Game{})
				running.attach(id, listed[id], func() {})
			}
			for range 2 { // the older list gives way
				running.deliverListings([]lichess.Game{{ID: "here"}}, time.Now(), tt.complete)
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

// The final event of a game waits for it, also if its goroutine has not started yet.
func TestRunningGames_DeliverFinal(t *testing.T) {
	table := slots.New(slots.Limits{Max: 1}, func() {})
	running := newRunningGames(table)
	running.deliverFinal(&lichess.Game{ID: "unknown"})
	table.Register("a", slots.Game{Clock: true})
	running.deliverFinal(&lichess.Game{ID: "a", RatingDiff: 7})
	running.deliverFinal(&lichess.Game{ID: "a", RatingDiff: 8}) // a duplicate must not block
	if g := <-running.final("a"); g.RatingDiff != 7 {
		t.Errorf("rating change %d, want 7", g.RatingDiff)
	}
	if running.remove("a"); len(running.games) != 0 {
		t.Errorf("%d games left", len(running.games))
	}
}
