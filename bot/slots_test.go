package bot

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zhbot/zhbot/lichess"
)

func human(name string) participant { return participant{opponent: name, clock: true} }
func robot(name string) participant { return participant{opponent: name, bot: true, clock: true} }

func openSlots(l SlotLimits) *slots {
	s := newSlots(l, func() {})
	s.open()
	return s
}

func TestSlots_Reserve(t *testing.T) {
	limits := SlotLimits{Max: 4, ReservedForHumans: 1, MaxPerOpponent: 2}
	tests := []struct {
		name  string
		taken []participant
		next  participant
		want  error
	}{
		{"empty", nil, robot("a"), nil},
		{"last for a human", []participant{robot("a"), robot("b"), robot("c")}, human("d"), nil},
		{"last is not for a bot", []participant{robot("a"), robot("b"), robot("c")}, robot("d"), errReserved},
		{"a human in another slot leaves room for bots", []participant{human("x"), robot("a"), robot("b")}, robot("c"), nil},
		{"second of one opponent", []participant{human("a")}, human("a"), nil},
		{"third of one opponent", []participant{human("a"), human("a")}, human("a"), errPerOpponent},
		{"full", []participant{human("a"), human("b"), human("c"), human("d")}, human("e"), errFull},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openSlots(limits)
			for i, p := range tt.taken {
				if err := s.reserve(fmt.Sprint(i), p); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.reserve("next", tt.next); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// A slot that is known stays as it is, whoever asks for it once more.
func TestSlots_ReserveKnown(t *testing.T) {
	s := openSlots(SlotLimits{Max: 4})
	s.register("a", robot("a"))
	final := s.final("a")
	if err := s.reserve("a", human("b")); !errors.Is(err, errKnown) {
		t.Errorf("got %v, want %v", err, errKnown)
	}
	if !s.inPhase("a", live) || s.final("a") != final || s.usage().Bots != 1 {
		t.Error("the slot is another one")
	}
}

func TestSlots_Race(t *testing.T) {
	const most, workers, rounds = 3, 16, 300
	s := openSlots(SlotLimits{Max: most})
	var now, highest atomic.Int64
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := range rounds {
				id := fmt.Sprintf("%d-%d", w, i)
				if s.reserve(id, human(id)) != nil {
					continue
				}
				n := now.Add(1)
				for old := highest.Load(); n > old && !highest.CompareAndSwap(old, n); old = highest.Load() {
				}
				s.register(id, human(id))
				now.Add(-1)
				s.markEnded(id)
				s.release(id)
			}
		})
	}
	group.Wait()
	if highest.Load() > most {
		t.Errorf("%d slots at once, want at most %d", highest.Load(), most)
	}
	if left := s.unfinished(); len(left) != 0 {
		t.Errorf("slots left: %v", left)
	}
}

func TestSlots_Adopt(t *testing.T) {
	s := openSlots(SlotLimits{Max: 1})
	for _, id := range []string{"b", "a", "c"} {
		if !s.register(id, human(id)) {
			t.Errorf("game %s of the server is not resumed", id)
		}
	}
	if s.register("a", human("a")) {
		t.Error("a game is resumed twice")
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(s.unfinished(), want) {
		t.Errorf("unfinished %v, want %v", s.unfinished(), want)
	}
	for _, id := range []string{"a", "b"} {
		s.markEnded(id)
		s.release(id)
	}
	if err := s.reserve("d", human("d")); !errors.Is(err, errFull) {
		t.Errorf("took a slot while still above the limit: %v", err)
	}
	s.markEnded("c")
	if err := s.reserve("d", human("d")); err != nil {
		t.Errorf("no slot although the game is over: %v", err)
	}
	if s.register("a", human("a")) {
		t.Error("a late word of the server starts a game again that has ended")
	}
}

func TestSlots_Phases(t *testing.T) {
	s := newSlots(SlotLimits{Max: 2}, func() {})
	if err := s.reserve("a", human("a")); !errors.Is(err, errNotReady) {
		t.Errorf("before the games in play are known: %v, want %v", err, errNotReady)
	}
	s.open()
	if err := s.reserve("a", human("a")); err != nil {
		t.Fatal(err)
	}
	if !s.inPhase("a", pending) {
		t.Error("a slot that was taken is not pending")
	}
	if s.register("a", participant{}); !s.inPhase("a", live) {
		t.Error("a pending game that the server runs is not live")
	}
	idle := s.clocksIdle()
	s.close()
	s.open()
	if err := s.reserve("b", human("b")); !errors.Is(err, errDraining) {
		t.Errorf("while draining: %v, want %v", err, errDraining)
	}
	if s.markEnded("a"); len(s.unfinished()) != 0 {
		t.Error("an ended game is unfinished")
	}
	select {
	case <-idle:
		t.Error("idle while a game is not done with")
	default:
	}
	s.release("a")
	<-idle
	<-s.clocksIdle()
}

func TestSlots_IdleLeavesGamesWithoutClock(t *testing.T) {
	s := openSlots(SlotLimits{Max: 2})
	s.register("slow", participant{opponent: "a"})
	<-s.clocksIdle()
}

func TestSlots_Resize(t *testing.T) {
	s := openSlots(SlotLimits{Max: 1})
	pokes := 0
	s.onChange = func() { pokes++ }
	s.register("a", human("a"))
	s.resize(SlotLimits{Max: 2})
	if err := s.reserve("b", human("b")); err != nil || pokes != 1 {
		t.Errorf("after growing: %v, %d pokes", err, pokes)
	}
	s.resize(SlotLimits{Max: 1})
	s.markEnded("a")
	if err := s.reserve("c", human("c")); !errors.Is(err, errFull) {
		t.Errorf("after shrinking: %v, want %v", err, errFull)
	}
}

func TestSlots_Finish(t *testing.T) {
	s := openSlots(SlotLimits{Max: 1})
	s.deliverFinal(&lichess.Game{ID: "unknown"})
	s.register("a", human("a"))
	s.deliverFinal(&lichess.Game{ID: "a", RatingDiff: 7})
	s.deliverFinal(&lichess.Game{ID: "a", RatingDiff: 8}) // a duplicate must not block
	if g := <-s.final("a"); g.RatingDiff != 7 {
		t.Errorf("rating change %d, want 7", g.RatingDiff)
	}
}

func TestSlots_ForgetsOldGames(t *testing.T) {
	s := openSlots(SlotLimits{Max: 1})
	for i := range maxEnded + 10 {
		id := fmt.Sprint(i)
		s.register(id, human(id))
		s.markEnded(id)
		s.release(id)
	}
	if len(s.ended) != maxEnded || len(s.table) != 0 {
		t.Errorf("%d past games and %d slots, want %d and 0", len(s.ended), len(s.table), maxEnded)
	}
}
