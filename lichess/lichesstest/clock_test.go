package lichesstest

import (
	"testing"
	"time"
)

// epoch is any time at all: clocks only see differences.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestClockOfAGame(t *testing.T) {
	spec := ChallengeSpec{Limit: time.Minute, Increment: 2 * time.Second}
	c, now := newClock(spec, epoch), epoch
	steps := []struct {
		what         string
		after        time.Duration
		ends         bool
		white, black int64 // shown after the move
	}{
		{"the first move is free and earns nothing", time.Hour, false, 60000, 60000},
		{"so is the other side's", time.Hour, false, 60000, 60000},
		{"then time runs, and the increment comes", 5 * time.Second, false, 57000, 60000},
		{"for both", 1500 * time.Millisecond, false, 57000, 60500},
		{"times are shown in steps of 10 ms", 1234567 * time.Microsecond, false, 57760, 60500},
		{"what is not shown is kept", 3 * time.Millisecond, false, 57760, 62490},
		{"a move that ends the game earns nothing", time.Second, true, 56760, 62490},
	}
	for _, step := range steps {
		now = now.Add(step.after)
		c.press(now, step.ends)
		if w, b := c.shown(0, now), c.shown(1, now); w != step.white || b != step.black {
			t.Errorf("%s: %d, %d, want %d, %d", step.what, w, b, step.white, step.black)
		}
	}
}

func TestClockFlags(t *testing.T) {
	for _, test := range []struct {
		spec  ChallengeSpec
		moves int
		after time.Duration
		want  bool
	}{
		{ChallengeSpec{Limit: time.Minute}, 1, time.Hour, false},
		{ChallengeSpec{Limit: time.Minute}, 2, time.Minute - 1, false},
		{ChallengeSpec{Limit: time.Minute}, 2, time.Minute, true},
		{ChallengeSpec{Increment: time.Second}, 2, 3*time.Second - 1, false},
		{ChallengeSpec{Increment: time.Second}, 2, 3 * time.Second, true},
		{ChallengeSpec{Increment: 10 * time.Second}, 2, 10*time.Second - 1, false},
		{ChallengeSpec{Days: 2}, 0, 2*day - 1, false},
		{ChallengeSpec{Days: 2}, 0, 2 * day, true},
		{ChallengeSpec{Days: 2}, 2, 2*day - 1, false},
		{ChallengeSpec{Days: 2}, 2, 2 * day, true},
		{ChallengeSpec{}, 2, 1000 * day, false},
	} {
		c := newClock(test.spec, epoch)
		for range test.moves {
			c.press(epoch, false)
		}
		if got := c.flagged(epoch.Add(test.after)); got != test.want {
			t.Errorf("%+v after %d moves and %v: flagged %v", test.spec, test.moves, test.after, got)
		}
	}
}

func TestClockWithoutTime(t *testing.T) {
	c := newClock(ChallengeSpec{}, epoch)
	for range 4 {
		c.press(epoch.Add(time.Hour), false)
	}
	if got := c.shown(0, epoch.Add(day)); got != 2147483647 {
		t.Errorf("unlimited shows %d", got)
	}
	c = newClock(ChallengeSpec{Days: 3}, epoch)
	for i := range 4 {
		c.press(epoch.Add(time.Duration(i)*time.Hour), false)
	}
	if got, want := c.shown(1, epoch), (3 * day).Milliseconds(); got != want {
		t.Errorf("correspondence shows %d after a move, want %d", got, want)
	}
	if got, want := c.shown(0, epoch.Add(3*time.Hour+1500*time.Millisecond)), (3*day - 2*time.Second).Milliseconds(); got != want {
		t.Errorf("correspondence shows %d in mid-second, want %d", got, want)
	}
}

func TestClockAfterTakeback(t *testing.T) {
	c := newClock(ChallengeSpec{Limit: time.Minute}, epoch)
	for range 3 {
		c.press(epoch, false)
	}
	c.takeBack(1, epoch.Add(10*time.Second))
	if c.turn != 0 || !c.running || c.shown(1, epoch) != 50000 {
		t.Errorf("one move back: turn %d, running %v, Black %d ms", c.turn, c.running, c.shown(1, epoch))
	}
	c.takeBack(2, epoch.Add(12*time.Second))
	if c.turn != 0 || c.running || c.shown(0, epoch.Add(time.Hour)) != 58000 {
		t.Errorf("all moves back: turn %d, running %v, White %d ms", c.turn, c.running, c.shown(0, epoch))
	}
}

func TestClockGiftAndStop(t *testing.T) {
	c := newClock(ChallengeSpec{Limit: time.Minute}, epoch)
	c.press(epoch, false)
	c.press(epoch, false)
	c.addTime(20 * time.Second)
	c.stop(epoch.Add(90 * time.Second))
	if w, b := c.shown(0, epoch.Add(day)), c.shown(1, epoch.Add(day)); w != 0 || b != 80000 {
		t.Errorf("got %d, %d, want 0, 80000", w, b)
	}
}

func TestSpeedAndRating(t *testing.T) {
	for _, test := range []struct {
		spec     ChallengeSpec
		speed    string
		rateable bool
		show     any
	}{
		{ChallengeSpec{Limit: 15 * time.Second}, "ultraBullet", false, "¼+0"},
		{ChallengeSpec{Increment: time.Second}, "bullet", false, "0+1"},
		{ChallengeSpec{Increment: 2 * time.Second}, "bullet", true, "0+2"},
		{ChallengeSpec{Limit: 30 * time.Second}, "bullet", true, "½+0"},
		{ChallengeSpec{Limit: 90 * time.Second, Increment: time.Second}, "bullet", true, "1.5+1"},
		{ChallengeSpec{Limit: 179 * time.Second}, "bullet", true, nil},
		{ChallengeSpec{Limit: 180 * time.Second}, "blitz", true, "3+0"},
		{blitz, "blitz", true, "3+2"},
		{ChallengeSpec{Limit: 480 * time.Second}, "rapid", true, "8+0"},
		{ChallengeSpec{Limit: 1500 * time.Second}, "classical", true, "25+0"},
		{ChallengeSpec{Days: 2}, "correspondence", true, nil},
		{ChallengeSpec{}, "correspondence", false, nil},
	} {
		if got := test.spec.speed(); got != test.speed {
			t.Errorf("%+v: speed %s, want %s", test.spec, got, test.speed)
		}
		if got := test.spec.rateable(); got != test.rateable {
			t.Errorf("%+v: rateable %v", test.spec, got)
		}
		if got := test.spec.control()["show"]; test.show != nil && got != test.show {
			t.Errorf("%+v: shown as %v, want %v", test.spec, got, test.show)
		}
	}
}
