package lichesstest

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A soak needs to know of each fault how it comes, and its users what it is.
func TestFaultTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range FaultTable() {
		byChance, fromTimeToTime := f.Chance > 0, f.Inject != nil && f.Weight > 0
		if f.Name == "" || seen[f.Name] || f.Doc == "" || byChance == fromTimeToTime {
			t.Errorf("%s: seen %t, doc %q, by chance %t, from time to time %t",
				f.Name, seen[f.Name], f.Doc, byChance, fromTimeToTime)
		}
		seen[f.Name] = true
	}
}

// A fault is injected for a class, or for all that it concerns.
func TestFaults_Class(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.Faults.Inject("fail", When{Class: "users", Next: 1})
	w.Faults.Inject("fail", When{Class: "account", Next: 1, Status: 418, Text: "teapot"})
	w.say(`
		zhbot GET /api/account -> 418 teapot
		zhbot GET /api/users/status?ids=zhbot -> 503 <html>
		zhbot GET /api/account -> 200 zhbot
	`)
	w.Faults.Inject("fail", When{Next: 2})
	w.say("zhbot GET /api/account -> 503 <html>")
	w.Faults.Inject("fail", When{})
	w.say("zhbot GET /api/account -> 200 zhbot")
	w.Faults.Inject("token", When{For: time.Minute})
	w.say("zhbot GET /api/account -> 401 No such token")
}

// Those whose clock is short are spared what would cost them the game.
func TestFaults_Spare(t *testing.T) {
	f := newFaults(1)
	dropped := func(left time.Duration) bool {
		sub := newSubscriber()
		f.opening("game", sub, left)
		return sub.dropMove != nil
	}
	for _, w := range []When{{Chance: 1}, {Next: 1, Spare: true}} {
		f.Inject("miss", w)
		if dropped(time.Minute) || !dropped(2*time.Minute) {
			t.Errorf("%+v: does not depend on the clock", w)
		}
	}
	f.Inject("miss", When{Next: 1})
	f.ClearNext()
	if dropped(time.Hour) {
		t.Error("not cleared")
	}
	f.Inject("miss", When{Next: 1})
	if !dropped(time.Second) || dropped(time.Second) {
		t.Error("does not happen once")
	}
}

// What is only shown has other types, in lists and in lines.
func TestFaults_Types(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.AddHuman("Drifter", Idle())
	w.Faults.Inject("types", When{Chance: 1})
	id := w.offer("Drifter", "zhbot", blitz)
	got := w.events("zhbot").next()
	if rating := fmt.Sprint(got.at("challenge.challenger.rating")); got.at("challenge.id") != id ||
		!strings.Contains(rating, "1.5") {
		t.Errorf("challenge %v", got)
	}
	w.say(`
		zhbot POST /api/challenge/{id}/accept
		zhbot GET /api/account/playing -> 200 "rating":1500.5
	`)
}

// A line of the event stream is lost, those after it are not, and the game is there.
func TestFaults_Skip(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.AddHuman("Drifter", Idle())
	events := w.events("zhbot")
	checkChallenges(t, events, w.offer("Drifter", "zhbot", blitz))
	w.Faults.Inject("skip", When{Next: 1})
	w.say(`
		zhbot POST /api/challenge/{id}/accept
		zhbot GET /api/account/playing -> 200 {id}
	`)
	checkChallenges(t, events, w.offer("Drifter", "zhbot", blitz))
}

// A slow server has ended the older stream long before the newer begins.
func TestFaults_SlowStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := match(t, Options{InMemory: true}, blitz)
		older := w.watch("White")
		const by = 100 * time.Millisecond
		w.Faults.Inject("slow", When{For: time.Minute, By: by})
		began := time.Now()
		w.watch("White").until("gameFull", nil)
		if took := time.Since(began); took < by {
			t.Errorf("slow by %s, want at least %s", took, by)
		}
		older.end()
		w.Faults.Clear()
		began = time.Now()
		w.watch("White").until("gameFull", nil)
		if took := time.Since(began); took > by {
			t.Errorf("slow by %s after all faults were cleared", took)
		}
	})
}

// A mute stream brings its text in place of lines; the next one is as usual.
func TestFaults_MuteAndEmpty(t *testing.T) {
	w := match(t, Options{KeepAlive: 10 * time.Millisecond}, blitz)
	for class, open := range map[string]func(string) *stream{"game": w.watch, "events": w.events} {
		w.Faults.Inject("mute", When{Class: class, Next: 1, Text: `{"type":"mute"}` + "\n"})
		mute := open("White")
		for range 2 {
			mute.next().check(t, class, "type=mute")
		}
		w.Faults.Inject("empty", When{Class: class, Next: 1})
		if rest := open("White").end(); len(rest) != 0 {
			t.Errorf("%s: not empty: %v", class, rest)
		}
		if line := open("White").next(); line["type"] == "mute" {
			t.Errorf("%s: still mute", class)
		}
	}
}

func TestFaults_StrayRefusals(t *testing.T) {
	w := match(t, Options{}, blitz)
	w.Faults.Inject("stray", When{Chance: 1})
	seen := map[int]bool{}
	try := func(method, path string) {
		got, err := w.programs["White"].try(method, w.fill(path), nil)
		if err != nil || !strings.Contains(got.body, "<html>") {
			t.Errorf("got %d %s, %v", got.status, got.body, err)
		}
		seen[got.status] = true
	}
	for range 100 {
		try("GET", "/api/bot/game/stream/{id}")
	}
	if len(seen) != 3 || !seen[400] || !seen[403] || !seen[404] {
		t.Errorf("refused with %v", seen)
	}
	try("POST", "/api/bot/game/{id}/move/e2e4")
}
