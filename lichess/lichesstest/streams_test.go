package lichesstest

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/waittest"
)

// An older stream of the same program ends after the lines that wait for it.
func TestGameStream_NewerEndsOlder(t *testing.T) {
	s, _, _, id := match(t, Options{}, blitz)
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.games[id]
	older, other, newer := newSubscriber(), newSubscriber(), newSubscriber()
	g.subscribe(0, "zhbot/1", older)
	g.subscribe(0, "other/1", other)
	older.send(object{"type": "chatLine"})
	g.subscribe(0, "zhbot/1", newer)
	if n := len(older.lines); n != 1 || !older.ended {
		t.Errorf("older: %d lines, ended: %t", n, older.ended)
	}
	for name, sub := range map[string]*subscriber{"other program's": other, "newer": newer} {
		if sub.ended {
			t.Errorf("the %s stream ended", name)
		}
	}
}

// The time without a stream counts from the start of the game, and not while
// there is at least one.
func TestGameStream_AbsenceIsMeasured(t *testing.T) {
	s, white, _, id := match(t, Options{}, blitz)
	path := "/api/bot/game/stream/" + id
	time.Sleep(10 * time.Millisecond)
	first := white.open(path)
	second := white.open(path)
	first.end()
	begun, _ := s.Game(id)
	time.Sleep(20 * time.Millisecond)
	open, _ := s.Game(id)
	if begun.WhiteAbsent < 10*time.Millisecond || open.WhiteAbsent != begun.WhiteAbsent {
		t.Errorf("absent for %s, then for %s with a stream", begun.WhiteAbsent, open.WhiteAbsent)
	}
	second.cancel()
	waittest.Until(t, "the absence counts on", func() bool {
		r, _ := s.Game(id)
		return r.WhiteAbsent > open.WhiteAbsent
	})
	if r, _ := s.Game(id); r.BlackAbsent < 30*time.Millisecond {
		t.Errorf("Black was never there and absent for %s", r.BlackAbsent)
	}
}

// A slow server has ended the older stream long before the newer begins.
func TestFaults_SlowStreams(t *testing.T) {
	s, white, _, id := match(t, Options{}, blitz)
	path := "/api/bot/game/stream/" + id
	older := white.open(path)
	const by = 100 * time.Millisecond
	s.Faults.Inject("slow", When{For: time.Minute, By: by})
	began := time.Now()
	newer := white.open(path)
	newer.until("gameFull", nil)
	if took := time.Since(began); took < by {
		t.Errorf("slow by %s, want at least %s", took, by)
	}
	older.end()
	s.Faults.Clear()
	began = time.Now()
	white.open(path).until("gameFull", nil)
	if took := time.Since(began); took > by {
		t.Errorf("slow by %s after all faults were cleared", took)
	}
}

// A mute stream brings its text in place of lines; the next one is as usual.
func TestFaults_MuteAndEmpty(t *testing.T) {
	s, white, _, id := match(t, Options{KeepAlive: 10 * time.Millisecond}, blitz)
	for class, path := range map[string]string{"game": "/api/bot/game/stream/" + id, "events": "/api/stream/event"} {
		s.Faults.Inject("mute", When{Class: class, Next: 1, Text: `{"type":"mute"}` + "\n"})
		mute := white.open(path)
		for range 2 {
			if line := mute.next(); line["type"] != "mute" {
				t.Fatalf("%s: %v", class, line)
			}
		}
		s.Faults.Inject("empty", When{Class: class, Next: 1})
		if rest := white.open(path).end(); len(rest) != 0 {
			t.Errorf("%s: not empty: %v", class, rest)
		}
		if line := white.open(path).next(); line["type"] == "mute" {
			t.Errorf("%s: still mute", class)
		}
	}
}

func TestFaults_StrayRefusals(t *testing.T) {
	s, white, _, id := match(t, Options{}, blitz)
	s.Faults.Inject("stray", When{Chance: 1})
	seen := map[int]bool{}
	for range 100 {
		got := white.get("/api/bot/game/stream/" + id)
		got.want(t, got.status, "<html>")
		seen[got.status] = true
	}
	if len(seen) != 3 || !seen[400] || !seen[403] || !seen[404] {
		t.Errorf("refused with %v", seen)
	}
	got := white.post("/api/bot/game/" + id + "/move/e2e4")
	got.want(t, got.status, "<html>")
}

func TestTraffic(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	began := time.Now()
	a.get("/api/account")
	s.Faults.Inject("down", When{For: time.Minute})
	a.get("/api/account")
	traffic := s.Traffic()
	if n := traffic.Between(began.Add(-time.Second), began.Add(time.Minute)); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	if n := traffic.Between(began.Add(-time.Hour), began.Add(-time.Minute)); n != 0 {
		t.Errorf("%d requests before the server was there", n)
	}
}
