package engine

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
)

// A repeated position is a draw, unless there is a null move in between.
func TestWorker_IsRepetition(t *testing.T) {
	tests := []struct {
		name string
		line []string // moves, "" for a null move
		want bool
	}{
		{"moved back and forth", []string{"g1f3", "g8f6", "f3g1", "f6g8"}, true},
		{"one piece elsewhere", []string{"g1f3", "g8f6", "f3g1", "f6d5"}, false},
		{"castling rights lost", []string{"h1h3", "g8f6", "h3h1", "f6g8"}, false},
		{"null moves between", []string{"", "g8f6", "", "f6g8"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGame(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNR/ w KQkq - 0 1")
			w := startWorker(newTestEngine(), g, Limits{})
			for ply, uci := range tt.line {
				if uci == "" {
					w.makeNullMove(ply)
					continue
				}
				w.makeMove(ply, fixture.Move(t, &w.stack[ply].pos, uci))
			}
			if got := w.isRepetition(len(tt.line)); got != tt.want {
				t.Errorf("repeats = %v, want %v", got, tt.want)
			}
		})
	}
}

// The deadline ends the search even if nobody sets the stop flag, because the worker reads
// the clock itself.
func TestWorker_DeadlineEndsSearch(t *testing.T) {
	w := startWorker(newTestEngine(), newGame(t, richPockets), Limits{MoveTime: 10 * time.Millisecond})
	deepen(w, func(int) bool { return false })
	if !w.stopped {
		t.Error("the search ended, but not by the clock")
	}
}

// The search visits no node after the stop flag is set.
func TestWorker_StopFlagEndsSearch(t *testing.T) {
	w := startWorker(newTestEngine(), newGame(t, richPockets), Limits{})
	var at uint64
	deepen(w, func(depth int) bool {
		if depth == 4 {
			at = w.nodes
			w.stop.Store(true)
		}
		return false
	})
	if w.nodes != at {
		t.Errorf("searched %d nodes after the flag was set", w.nodes-at)
	}
}

// The effort is the share of the nodes that searched the best move: all of them where there
// is no other.
func TestWorker_Effort(t *testing.T) {
	for name, tt := range map[string]struct {
		fen      string
		min, max int
	}{
		"one legal move": {"R5k1/5p1p/6p1/8/8/8/8/K7/ b - - 0 1", 95, 100},
		"many moves":     {richPockets, 1, 94},
	} {
		w := startWorker(newTestEngine(), newGame(t, tt.fen), Limits{Depth: 6})
		deepen(w, func(int) bool { return false })
		if w.effort < tt.min || w.effort > tt.max {
			t.Errorf("%s: effort %d, want %d to %d", name, w.effort, tt.min, tt.max)
		}
	}
}
