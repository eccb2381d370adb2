package lichesstest

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
)

// An older stream of the same program ends after the lines that wait for it.
func TestGameStream_NewerEndsOlder(t *testing.T) {
	w := match(t, Options{}, blitz)
	w.mu.Lock()
	defer w.mu.Unlock()
	g := w.games[w.values["id"]]
	older, other, newer := newSubscriber(), newSubscriber(), newSubscriber()
	g.subscribe(0, "zhbot/1", older)
	g.subscribe(0, "other/1", other)
	older.send(object{"type": "chatLine"})
	g.subscribe(0, "zhbot/1", newer)
	if n := len(older.lines); n != 1 || !older.ended || other.ended || newer.ended {
		t.Errorf("older: %d lines; ended: older %t, another program's %t, newer %t",
			n, older.ended, other.ended, newer.ended)
	}
}

// The time without a stream counts from the start of the game, and not while
// there is at least one.
func TestGameStream_AbsenceIsMeasured(t *testing.T) {
	w := match(t, Options{}, blitz)
	time.Sleep(10 * time.Millisecond)
	first, second := w.watch("White"), w.watch("White")
	first.end()
	begun := w.result()
	time.Sleep(20 * time.Millisecond)
	open := w.result()
	if begun.WhiteAbsent < 10*time.Millisecond || open.WhiteAbsent != begun.WhiteAbsent {
		t.Errorf("absent for %s, then for %s with a stream", begun.WhiteAbsent, open.WhiteAbsent)
	}
	second.cancel()
	fixture.Until(t, "the absence counts on", func() bool { return w.result().WhiteAbsent > open.WhiteAbsent })
	if r := w.result(); r.BlackAbsent < 30*time.Millisecond {
		t.Errorf("Black was never there and absent for %s", r.BlackAbsent)
	}
}

// A move between the reading of the game and the subscription is in no line; the
// list of games in play has it. Here the players get what it takes of their last seconds.
func TestStream_MissesAMove(t *testing.T) {
	w := match(t, Options{Refund: true}, ChallengeSpec{Limit: 30 * time.Second, Increment: 2 * time.Second})
	w.Faults.Inject("miss", When{Next: 1})
	st := w.watch("White")
	st.until("gameFull", nil).check(t, "first line", "state.moves=")
	w.play("e2e4 e7e5")
	if line := st.next(); line["moves"] != "e2e4 e7e5" {
		t.Errorf("the line after the missed one: %v", line)
	}
	if left, _ := w.LeastTime("White"); left < 37*time.Second {
		t.Errorf("%s left", left)
	}
	list := w.get("White", "/api/account/playing")
	games, _ := list["nowPlaying"].([]any)
	if len(games) != 1 {
		t.Fatalf("list %v", list)
	}
	game := object(games[0].(map[string]any))
	game.check(t, "listed", "isMyTurn=true lastMove=e7e5 id=<nil> compat=<nil>")
	list.check(t, "list", "nbMyTurn=1")
	if !strings.HasPrefix(game["fen"].(string), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR/ w ") {
		t.Errorf("listed %v", game)
	}
}

// A move's line may come before the first line, which is older then.
func TestStream_FirstLineIsLate(t *testing.T) {
	w := match(t, Options{}, blitz)
	w.Faults.Inject("late", When{Next: 1})
	done := make(chan *stream)
	go func() { done <- w.watch("White") }()
	fixture.Until(t, "the stream is open", func() (open bool) {
		w.do(func() { open = len(w.games[w.values["id"]].presence[0].streams) > 0 })
		return open
	})
	w.say("White POST move/e2e4")
	st := <-done
	if line := st.next(); line["type"] == "gameState" && line["moves"] == "e2e4" {
		st.next().check(t, "second line", "type=gameFull state.moves=")
	} else if line["type"] != "gameFull" { // the move took half a second
		t.Errorf("first line %v", line)
	}
}

func TestRequests(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	began := time.Now()
	w.say("zhbot GET /api/account -> 200")
	w.Faults.Inject("down", When{For: time.Minute})
	w.say("zhbot GET /api/account -> 502")
	if times := w.Requests(); len(times) != 2 || times[0].Before(began) || times[1].Before(times[0]) {
		t.Errorf("requests at %v, want two since %s", times, began)
	}
}

// A fault leaves both players of a game three seconds, if that is asked for.
func TestRefund(t *testing.T) {
	for _, o := range []Options{{InMemory: true}, {InMemory: true, Refund: true}} {
		synctest.Test(t, func(t *testing.T) {
			w, want := match(t, o, ChallengeSpec{Limit: 3 * time.Second, Increment: time.Second}), 3*time.Second
			for fault, cost := range map[string]time.Duration{
				"cut": 500 * time.Millisecond, "stall": 13 * time.Second, "mute": 6 * time.Second,
				"hole": 7 * time.Second,
			} {
				w.Faults.Inject(fault, When{Next: 1})
				w.Refund("White", time.Second)
				third := w.login("third", w.AddBot("third")) // whose connection is its first
				third.http.Timeout = time.Second
				if _, err := third.try("GET", "/api/account", nil); (err != nil) != (fault == "hole") {
					t.Errorf("%s: %v", fault, err)
				}
				w.watch("White")
				synctest.Wait()
				if o.Refund {
					want = max(want, cost+3*time.Second, 4*time.Second)
				}
				if left, playing := w.LeastTime("White"); !playing || left != want {
					t.Errorf("%s: %s left, want %s", fault, left, want)
				}
			}
			if _, playing := w.LeastTime("third"); playing {
				t.Error("a bot without a game plays")
			}
		})
	}
}
