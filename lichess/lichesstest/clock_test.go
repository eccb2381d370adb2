package lichesstest

import (
	"fmt"
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
	minute, twoDays := ChallengeSpec{Limit: time.Minute}, ChallengeSpec{Days: 2}
	oneSecond, tenSeconds := ChallengeSpec{Increment: time.Second}, ChallengeSpec{Increment: 10 * time.Second}
	for _, tt := range []struct {
		spec  ChallengeSpec
		moves int
		last  time.Duration // until the flag falls; it never does if negative
	}{
		{minute, 1, -1},
		{minute, 2, time.Minute},
		{oneSecond, 2, 3 * time.Second},
		{tenSeconds, 2, 10 * time.Second},
		{twoDays, 0, 2 * day},
		{twoDays, 2, 2 * day},
		{ChallengeSpec{}, 2, -1},
	} {
		c := newClock(tt.spec, epoch)
		for range tt.moves {
			c.press(epoch, false)
		}
		falls := tt.last > 0
		if !falls {
			tt.last = 1000 * day
		}
		if c.flagged(epoch.Add(tt.last-1)) || c.flagged(epoch.Add(tt.last)) != falls {
			t.Errorf("%+v after %d moves: not flagged in time, %v", tt.spec, tt.moves, tt.last)
		}
	}
}

func TestClockWithoutTime(t *testing.T) {
	unlimited, slow := newClock(ChallengeSpec{}, epoch), newClock(ChallengeSpec{Days: 3}, epoch)
	for i := range 4 {
		at := epoch.Add(time.Duration(i) * time.Hour)
		unlimited.press(at, false)
		slow.press(at, false)
	}
	for what, got := range map[string][2]int64{
		"unlimited":    {unlimited.shown(0, epoch.Add(day)), 2147483647},
		"after a move": {slow.shown(1, epoch), (3 * day).Milliseconds()},
		"in mid-second": {
			slow.shown(0, epoch.Add(3*time.Hour+1500*time.Millisecond)), (3*day - 2*time.Second).Milliseconds(),
		},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: shows %d, want %d", what, got[0], got[1])
		}
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
	for _, tt := range []struct {
		limit, increment time.Duration // in seconds
		days             int
		want             string // speed, whether rated, and as it is shown
	}{
		{15, 0, 0, "ultraBullet false ¼+0"},
		{0, 1, 0, "bullet false 0+1"},
		{0, 2, 0, "bullet true 0+2"},
		{30, 0, 0, "bullet true ½+0"},
		{90, 1, 0, "bullet true 1.5+1"},
		{179, 0, 0, "bullet true 2.98+0"},
		{180, 0, 0, "blitz true 3+0"},
		{180, 2, 0, "blitz true 3+2"},
		{480, 0, 0, "rapid true 8+0"},
		{1500, 0, 0, "classical true 25+0"},
		{0, 0, 2, "correspondence false "},
		{0, 0, 0, "correspondence false "},
	} {
		spec := ChallengeSpec{Limit: tt.limit * time.Second, Increment: tt.increment * time.Second, Days: tt.days}
		shown, _ := spec.control()["show"].(string)
		if got := fmt.Sprint(spec.speed(), " ", spec.rateable(), " ", shown); got != tt.want {
			t.Errorf("%+v: %s, want %s", spec, got, tt.want)
		}
	}
}
