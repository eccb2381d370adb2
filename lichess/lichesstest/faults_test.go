package lichesstest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A soak needs to know of each fault how it comes, and its users what it is.
func TestFaultTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range FaultTable() {
		byChance, fromTimeToTime := f.Chance > 0, f.Inject != nil && f.Weight > 0
		if f.Name == "" || seen[f.Name] || f.Doc == "" || byChance == fromTimeToTime {
			t.Errorf("%s: seen %t, doc %q, by chance %t, from time to time %t", f.Name, seen[f.Name], f.Doc, byChance, fromTimeToTime)
		}
		seen[f.Name] = true
	}
}

// A fault is injected for a class, or for all that it concerns.
func TestFaults_Class(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.Faults.Inject("fail", When{Class: "users", Next: 1})
	s.Faults.Inject("fail", When{Class: "account", Next: 1, Status: 418, Text: "teapot"})
	a.get("/api/account").want(t, 418, "teapot")
	a.get("/api/users/status?ids=zhbot").want(t, 503, "<html>")
	a.get("/api/account").want(t, 200, "zhbot")
	s.Faults.Inject("fail", When{Next: 2})
	a.get("/api/account").want(t, 503, "<html>")
	s.Faults.Inject("fail", When{})
	a.get("/api/account").want(t, 200, "zhbot")
	s.Faults.Inject("token", When{For: time.Minute})
	a.get("/api/account").want(t, 401, "No such token")
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
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.AddHuman("Drifter", Idle())
	s.Faults.Inject("types", When{Chance: 1})
	id := s.Challenge("Drifter", "zhbot", blitz)
	got := a.open("/api/stream/event").next()
	rating := fmt.Sprint(got.at("challenge", "challenger", "rating"))
	if got.at("challenge", "id") != id || !strings.Contains(rating, "1.5") {
		t.Errorf("challenge %v", got)
	}
	a.must("/api/challenge/" + id + "/accept")
	a.get("/api/account/playing").want(t, 200, `"rating":1500.5`)
}

// A line of the event stream is lost, those after it are not, and the game is there.
func TestFaults_Skip(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.AddHuman("Drifter", Idle())
	events := a.open("/api/stream/event")
	id := s.Challenge("Drifter", "zhbot", blitz)
	if got := events.next(); got.at("challenge", "id") != id {
		t.Errorf("%v before the challenge", got)
	}
	s.Faults.Inject("skip", When{Next: 1})
	a.must("/api/challenge/" + id + "/accept")
	a.get("/api/account/playing").want(t, 200, id)
	next := s.Challenge("Drifter", "zhbot", blitz)
	if got := events.next(); got.at("challenge", "id") != next {
		t.Errorf("%v in place of the second challenge", got)
	}
}
