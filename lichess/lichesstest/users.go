package lichesstest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// user is an account.
type user struct {
	id, name string
	title    string // "BOT" or ""
	rating   float64
	games    int    // finished, rated and casual
	rated    int    // those that changed the rating
	results  [3]int // lost, drawn and won
	player   Player
	events   map[string]*subscriber // the open event streams, by token
	botGames charges                // for games against bots that started
	charges  charges                // for challenges
	joins    charges                // of arenas
	reads    charges                // of the account
	pauses   int                    // of arenas: how often it has left one
	pausedAt time.Time              // when it last did

	answer func(ChallengeSpec) Answer // to challenges; nil accepts

	created    time.Time
	bio        string
	played     time.Duration // in finished games with a clock
	withPeople time.Duration // part of it
	takebacks  Takebacks

	closed bool // the account is closed
	marked bool // for breaking the terms of service
	audit  Audit
}

func (u *user) bot() bool { return u.title == "BOT" }

// titled is the name behind the title, as some of Lichess's objects show it.
func (u *user) titled() string { return strings.TrimSpace(u.title + " " + u.name) }

// botTokenScopes are the scopes of the tokens that AddBot makes.
var botTokenScopes = []string{"bot:play", "challenge:read", "challenge:write", "tournament:write"}

// AddBot creates a BOT account and returns its token.
func (s *Server) AddBot(name string) (token string) { return s.AddUser(name, "BOT", botTokenScopes...) }

// AddUser creates an account with a title, "" for none, and a token with the
// given scopes. The account is two years old, without games, has a bio and allows
// takebacks.
func (s *Server) AddUser(name, title string, scopes ...string) (text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addToken(s.addUser(name, title, nil), scopes)
}

// AddToken creates another token of a user with the given scopes.
func (s *Server) AddToken(name string, scopes ...string) (text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addToken(s.mustUser(name), scopes)
}

func (s *Server) addToken(u *user, scopes []string) (text string) {
	t := &token{text: "lip_" + s.randomID(20), user: u, scopes: scopes}
	s.tokens[t.text] = t
	return t.text
}

// AddHuman creates the account of a scripted player.
func (s *Server) AddHuman(name string, p Player) { s.do(func() { s.addUser(name, "", p) }) }

// AddBotPlayer creates the BOT account of a scripted player.
func (s *Server) AddBotPlayer(name string, p Player) { s.do(func() { s.addUser(name, "BOT", p) }) }

// Revoke revokes a token.
func (s *Server) Revoke(token string) { s.do(func() { delete(s.tokens, token) }) }

// CloseAccount closes a user's account and its event stream. Its tokens are no longer
// accepted.
func (s *Server) CloseAccount(name string) {
	s.change(name, func(u *user) {
		u.closed = true
		u.closeEvents()
	})
}

// MarkAccount marks a user for breaking the terms of service. Games of marked users do
// not count for the ratings.
func (s *Server) MarkAccount(name string) { s.change(name, func(u *user) { u.marked = true }) }

func (s *Server) addUser(name, title string, p Player) *user {
	u := &user{
		id: strings.ToLower(name), name: name, title: title, player: p, events: map[string]*subscriber{},
		created: time.Now().AddDate(-2, 0, 0), bio: "Plays crazyhouse.", takebacks: TakebacksAlways,
	}
	u.rating = u.initialRating()
	s.users[u.id] = u
	return u
}

// summary is the JSON of a user in challenges.
func (u *user) summary() object {
	o := object{"id": u.id, "name": u.name, "rating": int(u.rating)}
	add(o, "title", u.title)
	add(o, "provisional", u.provisional())
	add(o, "online", u.hasEventStream())
	if u.player != nil {
		o["lag"] = 4 // the best
	}
	return o
}

// hasEventStream reports whether an event stream is open; a scripted player counts
// as having one. The caller holds the lock.
func (u *user) hasEventStream() bool { return u.player != nil || len(u.events) > 0 }

// online reports presence: an event stream or a game's stream is open. The caller
// holds the lock.
func (s *Server) online(u *user) bool {
	return u.hasEventStream() || slices.ContainsFunc(s.gamesInProgress(u), func(g *game) bool {
		return len(g.presence[g.side(u)].streams) > 0
	})
}

// randomID returns a new id of n characters. The caller holds the lock.
func (s *Server) randomID(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[s.rng.IntN(len(letters))]
	}
	return string(b)
}

// change changes a user under the lock.
func (s *Server) change(name string, do func(*user)) { s.do(func() { do(s.mustUser(name)) }) }

// mustUser returns a user and panics if there is none: names come from the program.
func (s *Server) mustUser(name string) *user {
	u := s.users[strings.ToLower(name)]
	if u == nil {
		panic(fmt.Sprintf("lichesstest: no user %q", name))
	}
	return u
}
