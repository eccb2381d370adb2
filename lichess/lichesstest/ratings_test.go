package lichesstest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// twentyPlies is an opening of twenty plies.
const twentyPlies = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 d2d3 d7d6 c1g5 g8f6 b1c3 c8g4 h2h3 g4h5 a2a3 a7a6 c4a2 c5a7 " +
	"d1d2 d8d7"

var ratedBlitz = ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true, Color: "white"}

// nobody resigns in a game that ends in a draw.
const nobody = "nobody"

// replay plays moves of a rated game and has Black resign, or the named player. It
// returns the game's id.
func replay(s *Server, white, black, moves string, resigning ...string) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.challenge(s.mustUser(white), s.mustUser(black), ratedBlitz)
	s.accept(c)
	for i, move := range strings.Fields(moves) {
		if text := c.game.play(i%2, move, false); text != "" {
			panic(fmt.Sprintf("%s: %s", move, text))
		}
	}
	if loser := append(resigning, black)[0]; loser == nobody {
		c.game.end("draw", "")
	} else {
		c.game.end("resign", colors[1-c.game.side(s.mustUser(loser))])
	}
	return c.id
}

// counts reports whether a game has changed the ratings.
func counts(s *Server, id string) (counted bool) {
	s.do(func() { counted = s.games[id].counted })
	return counted
}

func TestRatings_WhatCounts(t *testing.T) {
	s := NewServer(t, Options{})
	s.AddBot("zhbot")
	s.AddBot("rival")
	s.AddHuman("alice", Idle())
	s.AddHuman("bob", Idle())
	s.AddHuman("cheat", Idle())
	s.MarkAccount("cheat")
	for _, tt := range []struct {
		name, white, black, moves, loser string
		want                             bool
	}{
		{"first", "zhbot", "rival", twentyPlies, "rival", true},
		{"the same again", "zhbot", "rival", twentyPlies + " e1h1", "rival", false},
		{"another winner", "zhbot", "rival", twentyPlies, "zhbot", true},
		{"the game before the last", "zhbot", "rival", twentyPlies, "rival", false},
		{"another move", "zhbot", "rival", strings.TrimSuffix(twentyPlies, "d8d7") + "d8e7", "rival", true},
		{"the 21st ply is not compared", "zhbot", "rival", twentyPlies + " a2b1", "rival", false},
		{"the same user with the other colour", "rival", "zhbot", twentyPlies, "rival", false},
		{"short", "zhbot", "rival", "e2e4 e7e5 g1f3", "rival", true},
		{"short again", "zhbot", "rival", "e2e4 e7e5 g1f3", "rival", false},
		{"short and longer", "zhbot", "rival", "e2e4 e7e5 g1f3 b8c6", "rival", true},
		{"a draw", "zhbot", "rival", twentyPlies, nobody, true},
		{"the same draw", "zhbot", "rival", twentyPlies, nobody, false},
		{"one ply", "zhbot", "rival", "e2e4", "rival", false},
		{"another opponent", "zhbot", "alice", twentyPlies, "alice", true},
		{"flagged", "zhbot", "cheat", twentyPlies, "cheat", false},
		{"people", "alice", "bob", twentyPlies, "bob", true},
		{"people again", "alice", "bob", twentyPlies, "bob", true},
	} {
		if got := counts(s, replay(s, tt.white, tt.black, tt.moves, tt.loser)); got != tt.want {
			t.Errorf("%s: counts %v", tt.name, got)
		}
	}
}

// A win of an account of less than a week counts unless it was quick, as does a draw against a
// much stronger player.
func TestRatings_NewAccount(t *testing.T) {
	s := NewServer(t, Options{})
	s.AddBot("zhbot")
	s.AddHuman("alice", Idle())
	s.SetCreated("zhbot", time.Now().Add(-6*day))
	twelve := strings.Join(strings.Fields(twentyPlies)[:12], " ")
	eight := strings.Join(strings.Fields(twentyPlies)[:8], " ")
	for _, tt := range []struct {
		name         string
		moves, loser string
		games        int
		want         bool
	}{
		{"provisional and quick", twelve, "alice", 0, false},
		{"long enough", twentyPlies, "alice", 0, true},
		{"lost", twelve, "zhbot", 0, true},
		{"settled rating", twelve, "alice", 50, true},
		{"very few plies", eight, "alice", 50, false},
	} {
		s.SetPerf("zhbot", 2000, tt.games)
		if got := counts(s, replay(s, "zhbot", "alice", tt.moves, tt.loser)); got != tt.want {
			t.Errorf("%s: counts %v", tt.name, got)
		}
	}
	for _, tt := range []struct {
		opponent int // its rating
		moves    string
		want     bool
	}{
		{2150, twelve, false},
		{2149, eight, true},
		{1850, strings.TrimSuffix(twelve, " b1c3 c8g4"), true}, // who is no new account
	} {
		s.SetPerf("zhbot", 2000, 0)
		s.SetPerf("alice", tt.opponent, 50)
		if got := counts(s, replay(s, "zhbot", "alice", tt.moves, nobody)); got != tt.want {
			t.Errorf("a draw against %d counts %v", tt.opponent, got)
		}
	}
	s.SetCreated("zhbot", time.Now().Add(-8*day))
	s.SetPerf("zhbot", 2000, 0)
	if !counts(s, replay(s, "zhbot", "alice", eight[:len("e2e4 e7e5 g1f3")], "alice")) {
		t.Error("a win of an older account does not count")
	}
}

// What does not count leaves the ratings as they were, and is a game all the same.
func TestRatings_Unchanged(t *testing.T) {
	w := start(t, Options{}, "zhbot", "rival")
	events := w.events("zhbot")
	replay(w.Server, "zhbot", "rival", twentyPlies)
	counted := events.until("gameFinish", nil)
	replay(w.Server, "zhbot", "rival", twentyPlies)
	events.until("gameFinish", nil).check(t, "farmed", "game.ratingDiff=<nil> game.opponent.ratingDiff=<nil>")
	diff, _ := counted.at("game.ratingDiff").(float64)
	w.get("zhbot", "/api/account").check(t, "account",
		fmt.Sprint("count.rated=1 count.win=2 count.me=0 perfs.crazyhouse.games=1 perfs.crazyhouse.rating=", 2000+diff))
	if diff <= 0 {
		t.Errorf("counted %v", counted)
	}
}

// White is expected to score more; a person's rating changes half as much against a bot.
func TestRatings_ColourAndBots(t *testing.T) {
	s := NewServer(t, Options{})
	names := []string{"zhbot", "rival", "alice", "bob"}
	s.AddBot("zhbot")
	s.AddBot("rival")
	s.AddHuman("alice", Idle())
	s.AddHuman("bob", Idle())
	for _, tt := range []struct {
		white, black string
		want         [2]int
	}{
		{"alice", "bob", [2]int{-12, 11}}, // Lichess cuts off fractions
		{"alice", "zhbot", [2]int{-6, 11}},
		{"zhbot", "rival", [2]int{-12, 11}},
	} {
		for _, name := range names {
			s.SetPerf(name, 2000, 100)
		}
		if got := s.games[replay(s, tt.white, tt.black, twentyPlies, tt.white)].diff; got != tt.want {
			t.Errorf("%s against %s: %v, want %v", tt.white, tt.black, got, tt.want)
		}
	}
}

// A new bot starts at 2000; its ratings change much at first, and stay within bounds.
func TestRatings_NewBot(t *testing.T) {
	w := start(t, Options{}, "rival")
	w.login("zhbot", w.AddUser("zhbot", "", "bot:play"))
	w.say(`
		zhbot GET /api/account -> 200 "rating":1500
		zhbot POST /api/bot/account/upgrade
		zhbot GET /api/account -> 200 "prov":true,"rating":2000,"rd":500
	`)
	for _, tt := range []struct {
		games, rating, opponent int
		moves, want             string // no two games are the same
	}{
		{0, 2000, 2000, "e2e4 e7e5", `"prog":0,"prov":true,"rating":2117,"rd":460`},
		{8, 2000, 2000, "d2d4 d7d5", `"prog":0,"prov":true,"rating":2042,"rd":140`},
		{9, 2000, 2000, "c2c4 c7c5", `"prog":0,"rating":2032,"rd":100`},
		{100, 3995, 4000, "g2g3 g7g6", `"games":101,"prog":0,"rating":4000,"rd":45`},
	} {
		w.SetPerf("zhbot", tt.rating, tt.games)
		w.SetPerf("rival", tt.opponent, tt.games)
		replay(w.Server, "zhbot", "rival", tt.moves)
		w.say("zhbot GET /api/account -> 200 " + tt.want)
	}
}
