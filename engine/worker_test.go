package engine

import (
	"testing"
	"time"
)

func TestEngine_WorkerKnowsItsGame(t *testing.T) {
	e := small()
	g := newGame(t, start)
	mustSearch(t, e, g, Limits{Depth: 5})
	worker := e.idle[0]
	if worker.history == (history{}) {
		t.Fatal("a search left no history")
	}

	if err := g.PlayUCI("e2e4", "e7e5"); err != nil {
		t.Fatal(err)
	}
	if w := e.borrow(g.Keys()); w != worker || w.history == (history{}) {
		t.Error("the next move of the same game begins without history")
	} else {
		e.giveBack(w)
	}
	if w := e.borrow(newGame(t, richPockets).Keys()); w != worker || w.history != (history{}) {
		t.Error("another game begins with this game's history")
	}
}

// A position of the line that comes again is a draw, unless a null move lies
// between: then the line is not one of legal moves.
func TestWorker_Repeats(t *testing.T) {
	tests := []struct {
		name string
		line []string // moves, "" for a null move
		want bool
	}{
		{"shuffled back", []string{"g1f3", "g8f6", "f3g1", "f6g8"}, true},
		{"one man astray", []string{"g1f3", "g8f6", "f3g1", "f6d5"}, false},
		{"castling rights lost", []string{"h1h3", "g8f6", "h3h1", "f6g8"}, false},
		{"null moves between", []string{"", "g8f6", "", "f6g8"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &worker{search: &search{table: newTable(1)}}
			w.stack[0].pos = *newGame(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNR/ w KQkq - 0 1").Position()
			w.keys[0] = w.stack[0].pos.Key()
			for ply, uci := range tt.line {
				if uci == "" {
					w.pass(ply)
					continue
				}
				m, err := w.stack[ply].pos.ParseUCI(uci)
				if err != nil {
					t.Fatal(err)
				}
				w.play(ply, m)
			}
			if got := w.repeats(len(tt.line)); got != tt.want {
				t.Errorf("repeats = %v, want %v", got, tt.want)
			}
		})
	}
}

// The deadline holds even if nobody sets the stop flag: the worker reads the
// clock itself. Without that this search would not end.
func TestWorker_ReadsTheClock(t *testing.T) {
	e := small()
	s := e.newSearch(newGame(t, richPockets), Limits{MoveTime: 10 * time.Millisecond}, time.Now())
	w := e.borrow(nil)
	w.prepare(s, newClaim(firstWorker, s.time.deadline()))
	e.sched.acquire(w.claim, nil)
	w.deepen(1, 1, func(int) bool { return false })
	e.sched.release(w.claim)
	if !w.stopped {
		t.Error("the search ended, but not by the clock")
	}
}

// A worker that finds the flag set unwinds at its next node.
func TestWorker_ObeysTheStopFlag(t *testing.T) {
	e := small()
	s := e.newSearch(newGame(t, richPockets), Limits{}, time.Now())
	w := e.borrow(nil)
	w.prepare(s, newClaim(firstWorker, time.Time{}))
	e.sched.acquire(w.claim, nil)
	var at uint64
	w.deepen(1, 1, func(depth int) bool {
		if depth == 4 {
			at = w.nodes
			s.stop.Store(true)
		}
		return false
	})
	e.sched.release(w.claim)
	if w.nodes != at+1 {
		t.Errorf("searched %d nodes after the flag was set, want 1", w.nodes-at)
	}
}
