package game

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func human(name string) Info { return Info{Opponent: name, Clock: true} }
func robot(name string) Info { return Info{Opponent: name, Bot: true, Clock: true} }

func openTable(l Limits) *Registry {
	s := NewRegistry(l, func() {})
	s.Open()
	return s
}

func TestTable_Reserve(t *testing.T) {
	limits := Limits{Max: 4, ReservedForHumans: 1, MaxPerOpponent: 2}
	tests := []struct {
		name  string
		taken []Info
		next  Info
		want  error
	}{
		{"empty", nil, robot("a"), nil},
		{"last for a human", []Info{robot("a"), robot("b"), robot("c")}, human("d"), nil},
		{"last is not for a bot", []Info{robot("a"), robot("b"), robot("c")}, robot("d"), errReserved},
		{"a human in another slot leaves room for bots", []Info{human("x"), robot("a"), robot("b")}, robot("c"), nil},
		{"second of one opponent", []Info{human("a")}, human("a"), nil},
		{"third of one opponent", []Info{human("a"), human("a")}, human("a"), errPerOpponent},
		{"full", []Info{human("a"), human("b"), human("c"), human("d")}, human("e"), errFull},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openTable(limits)
			for i, p := range tt.taken {
				if _, err := s.ReserveFor(fmt.Sprint(i), p); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.ReserveFor("next", tt.next); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// A slot that is known stays as it is, whoever asks for it once more.
func TestTable_ReserveKnown(t *testing.T) {
	s := openTable(Limits{Max: 4})
	s.Register("a", robot("a"))
	if _, err := s.ReserveFor("a", human("b")); !errors.Is(err, ErrKnown) {
		t.Errorf("got %v, want %v", err, ErrKnown)
	}
	if !s.IsLive("a") || s.Use().Bots != 1 {
		t.Error("the slot is another one")
	}
}

func TestTable_Race(t *testing.T) {
	const most, workers, rounds = 3, 16, 300
	s := openTable(Limits{Max: most})
	var now, highest atomic.Int64
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := range rounds {
				id := fmt.Sprintf("%d-%d", w, i)
				if _, err := s.ReserveFor(id, human(id)); err != nil {
					continue
				}
				n := now.Add(1)
				for old := highest.Load(); n > old && !highest.CompareAndSwap(old, n); old = highest.Load() {
				}
				s.Register(id, human(id))
				now.Add(-1)
				s.MarkEnded(id)
				s.Release(id)
			}
		})
	}
	group.Wait()
	if highest.Load() > most {
		t.Errorf("%d slots at once, want at most %d", highest.Load(), most)
	}
	if left := s.Unfinished(); len(left) != 0 {
		t.Errorf("slots left: %v", left)
	}
}

func TestTable_Register(t *testing.T) {
	s := openTable(Limits{Max: 1})
	for _, id := range []string{"b", "a", "c"} {
		if !s.Register(id, human(id)) {
			t.Errorf("game %s of the server is not resumed", id)
		}
	}
	if s.Register("a", human("a")) {
		t.Error("a game is resumed twice")
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(s.Unfinished(), want) {
		t.Errorf("unfinished %v, want %v", s.Unfinished(), want)
	}
	for _, id := range []string{"a", "b"} {
		s.MarkEnded(id)
		s.Release(id)
	}
	if _, err := s.ReserveFor("d", human("d")); !errors.Is(err, errFull) {
		t.Errorf("took a slot while still above the limit: %v", err)
	}
	s.MarkEnded("c")
	if _, err := s.ReserveFor("d", human("d")); err != nil {
		t.Errorf("no slot although the game is over: %v", err)
	}
	if s.Register("a", human("a")) {
		t.Error("a late word of the server starts a game again that has ended")
	}
}

func TestTable_Phases(t *testing.T) {
	s := NewRegistry(Limits{Max: 2}, func() {})
	if _, err := s.ReserveFor("a", human("a")); !errors.Is(err, errNotReady) {
		t.Errorf("before the games in play are known: %v, want %v", err, errNotReady)
	}
	s.Open()
	if _, err := s.ReserveFor("a", human("a")); err != nil {
		t.Fatal(err)
	}
	if u := s.Use(); u.Games != 1 || u.Live != 0 || !s.Has("a") {
		t.Error("a game that was reserved for is not about to start")
	}
	if s.Register("a", Info{}); !s.IsLive("a") {
		t.Error("a pending game that the server runs is not live")
	}
	s.Close()
	s.Open()
	if _, err := s.ReserveFor("b", human("b")); !errors.Is(err, ErrDraining) {
		t.Errorf("while draining: %v, want %v", err, ErrDraining)
	}
	if s.MarkEnded("a"); len(s.Unfinished()) != 0 {
		t.Error("an ended game is unfinished")
	}
	if !s.AnyClock() {
		t.Error("idle while a game is not done with")
	}
	changes := 0
	s.onChange = func() { changes++ }
	if s.Release("a"); s.AnyClock() || changes != 1 {
		t.Errorf("not idle after the last game, or said %d times", changes)
	}
}

// A game that nobody plays any more keeps its slot until it is played again, or the server
// says that it is over; what the server said before does not count.
func TestTable_Abandon(t *testing.T) {
	s := openTable(Limits{Max: 1})
	before := time.Now()
	s.Register("a", human("a"))
	if !s.Abandon("a") || s.IsLive("a") || !s.AnyClock() || !slices.Equal(s.Unfinished(), []string{"a"}) {
		t.Errorf("abandoned: %+v", s.Use())
	}
	if _, err := s.ReserveFor("b", human("b")); !errors.Is(err, errFull) {
		t.Errorf("another game has its slot: %v", err)
	}
	if !s.Register("a", human("a")) || s.Register("a", human("a")) || s.EndAbandoned("a", time.Now().Add(time.Hour)) {
		t.Error("the game is not to be played again, by one")
	}
	s.Abandon("a")
	if s.EndAbandoned("a", before) || !s.EndAbandoned("a", time.Now().Add(time.Hour)) || s.Use().Games != 0 {
		t.Errorf("ended by an old list, or not by a new one: %+v", s.Use())
	}
	if !s.HasEnded("a") || s.Abandon("a") || s.Register("a", human("a")) {
		t.Error("a game that has ended is in progress again")
	}
	if s.Release("a"); !s.Register("a", human("a")) {
		t.Error("a game that the server runs after all is not played")
	}
	s.Release("a")
	s.Register("over", human("a"))
	if s.MarkEnded("over"); s.Abandon("over") || s.Abandon("unknown") || s.Use().Games != 0 {
		t.Errorf("a game that is over is abandoned: %+v", s.Use())
	}
}

func TestTable_IdleLeavesGamesWithoutClock(t *testing.T) {
	s := openTable(Limits{Max: 2})
	if s.Register("slow", Info{Opponent: "a"}); s.AnyClock() {
		t.Error("a game without a clock has one")
	}
}

func TestTable_Resize(t *testing.T) {
	s := openTable(Limits{Max: 1})
	changes := 0
	s.onChange = func() { changes++ }
	s.Register("a", human("a"))
	s.Resize(Limits{Max: 2})
	if _, err := s.ReserveFor("b", human("b")); err != nil || changes != 1 {
		t.Errorf("after growing: %v, %d changes", err, changes)
	}
	s.Resize(Limits{Max: 1})
	s.MarkEnded("a")
	if _, err := s.ReserveFor("c", human("c")); !errors.Is(err, errFull) {
		t.Errorf("after shrinking: %v, want %v", err, errFull)
	}
}

func TestTable_ForgetsOldGames(t *testing.T) {
	s := openTable(Limits{Max: 1})
	for i := range maxEnded + 10 {
		id := fmt.Sprint(i)
		s.Register(id, human(id))
		s.MarkEnded(id)
		s.Release(id)
	}
	if len(s.ended) != maxEnded || len(s.slots) != 0 {
		t.Errorf("%d past games and %d slots, want %d and 0", len(s.ended), len(s.slots), maxEnded)
	}
}

// A game that has begun keeps its slot, whatever becomes of the reservation.
func TestReservation(t *testing.T) {
	s := openTable(Limits{Max: 2})
	r, err := s.Reserve(robot("a"))
	if err != nil || !r.IsHeld() || s.Use().Games != 1 || len(s.Unfinished()) != 0 {
		t.Fatalf("reserved: %v, %+v", err, s.Use())
	}
	if ids := s.GamesWith("a"); !slices.Equal(ids, []string{""}) {
		t.Errorf("games with the opponent: %q", ids)
	}
	r.Bind("game")
	if !s.Has("game") || s.IsLive("game") || !r.IsHeld() {
		t.Error("the slot is not the game's")
	}
	if !s.Register("game", robot("a")) || s.Register("game", robot("a")) {
		t.Error("the game is not to be played exactly once")
	}
	if r.IsHeld() || r.Release() || !s.IsLive("game") {
		t.Error("a game that has begun has lost its slot")
	}

	late, err := s.Reserve(robot("b"))
	if err != nil {
		t.Fatal(err)
	}
	s.Register("early", robot("b")) // its event came before the reply that has its id
	if late.Bind("early"); late.IsHeld() || late.Release() || s.Use().Games != 2 {
		t.Errorf("two slots for a game: %+v", s.Use())
	}
}

// A game that is over before its challenge's reply has come is not played again.
func TestReservation_BindEnded(t *testing.T) {
	s := openTable(Limits{Max: 2})
	r, err := s.Reserve(robot("a"))
	if err != nil {
		t.Fatal(err)
	}
	s.Register("game", robot("a"))
	s.MarkEnded("game")
	s.Release("game")
	if r.Bind("game"); r.IsHeld() || s.Use().Games != 0 {
		t.Errorf("a slot for a game that is over: %+v", s.Use())
	}
	if s.Register("game", robot("a")) {
		t.Error("the game is to be played again")
	}
}

// A reservation that is released is free for others; what nobody plays is no
// activity.
func TestReservation_Release(t *testing.T) {
	s := openTable(Limits{Max: 1})
	start := s.lastBusy
	r, err := s.Reserve(robot("a"))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if !r.Release() || r.Release() || s.Use().Games != 0 {
		t.Errorf("not released once: %+v", s.Use())
	}
	if s.AnyClock() {
		t.Error("not idle after the release")
	}
	if !s.BusyUntil(start.Add(time.Hour)).Equal(start) {
		t.Error("a challenge without an answer counts as activity")
	}

	s = openTable(Limits{Max: 1})
	incoming, err := s.ReserveFor("game", human("a"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Register("game", human("a")) {
		t.Error("two play the game")
	}
	if incoming.Release() {
		t.Error("released although the game has begun")
	}
}

// The next game of an arena gets the slot that is reserved for it, and no other.
func TestReservation_Arena(t *testing.T) {
	s := openTable(Limits{Max: 3})
	var held []*Reservation
	for _, id := range []string{"x", "y"} {
		r, err := s.Reserve(Info{Bot: true, Clock: true, Arena: id})
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, r)
	}
	if s.InArena("y") {
		t.Error("a reservation counts as a game")
	}
	if !s.Register("game", Info{Opponent: "a", Clock: true, Arena: "y"}) {
		t.Error("the game is not played")
	}
	if !held[0].IsHeld() || held[1].IsHeld() || held[1].Release() || !s.InArena("y") || s.Use().Games != 2 {
		t.Errorf("the game did not take its slot: %+v", s.Use())
	}
}
