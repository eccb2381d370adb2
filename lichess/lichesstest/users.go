package lichesstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// user is an account.
type user struct {
	id, name string
	title    string // "BOT" or ""
	rating   int
	games    int // rated and casual ones that ended
	player   Player
	events   *subscriber // the open event stream, nil if none
	botGames int         // started against bots today
	spent    []spending  // on challenges

	answer  func(ChallengeSpec) Answer // to challenges; nil accepts
	refuses string                     // why the server lets nobody challenge it; "" if it does

	created   time.Time
	closed    bool // the account is
	rematches int  // to offer, by a player of the server's own
}

func (u *user) bot() bool { return u.title == "BOT" }

// titled is the name behind the title, as some of Lichess's objects show it.
func (u *user) titled() string { return strings.TrimSpace(u.title + " " + u.name) }

// nullableTitle is the title in the objects that show a missing one as null.
func (u *user) nullableTitle() any {
	if u.title == "" {
		return nil
	}
	return u.title
}

// provisional reports whether the rating is uncertain.
func (u *user) provisional() bool { return u.games < 10 }

// botTokenScopes are the scopes of the tokens that AddBot makes.
var botTokenScopes = []string{"bot:play", "challenge:read", "challenge:write", "tournament:write"}

// AddBot makes a BOT account and returns its token.
func (s *Server) AddBot(name string) (token string) { return s.AddUser(name, "BOT", botTokenScopes...) }

// AddUser makes an account with a title, "" for none, and a token with the
// given scopes.
func (s *Server) AddUser(name, title string, scopes ...string) (text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addToken(s.addUser(name, title, nil), scopes)
}

// AddToken makes one more token of a user, with the given scopes.
func (s *Server) AddToken(name string, scopes ...string) (text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addToken(s.mustUser(name), scopes)
}

func (s *Server) addToken(u *user, scopes []string) (text string) {
	t := &token{text: "lip_" + s.random.id(20), user: u, scopes: scopes}
	s.tokens[t.text] = t
	return t.text
}

// AddHuman makes an account that plays by itself.
func (s *Server) AddHuman(name string, p Player) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addUser(name, "", p)
}

// AddBotPlayer makes a BOT account that plays by itself.
func (s *Server) AddBotPlayer(name string, p Player) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addUser(name, "BOT", p)
}

// Revoke ends a token.
func (s *Server) Revoke(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, token)
}

// CloseAccount closes a user's account, and its event stream. Its tokens open nothing
// any more.
func (s *Server) CloseAccount(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.mustUser(name)
	u.closed = true
	u.events.close()
}

func (s *Server) addUser(name, title string, p Player) *user {
	u := &user{id: strings.ToLower(name), name: name, title: title, rating: 1500, player: p, created: time.Now()}
	s.users[u.id] = u
	return u
}

// light is a user as challenges show it.
func (u *user) light() object {
	o := object{"id": u.id, "name": u.name, "rating": u.rating, "title": u.nullableTitle()}
	if u.provisional() {
		o["provisional"] = true
	}
	if u.hearsEvents() {
		o["online"] = true
	}
	if u.player != nil {
		o["lag"] = 4 // bars: the best
	}
	return o
}

// hearsEvents reports whether the event stream is open. The caller holds the lock.
func (u *user) hearsEvents() bool { return u.player != nil || u.events != nil }

// online reports presence: an event stream or a game's stream is open. The caller
// holds the lock.
func (s *Server) online(u *user) bool {
	if u.hearsEvents() {
		return true
	}
	for _, g := range s.running(u) {
		if len(g.presence[g.side(u)].streams) > 0 {
			return true
		}
	}
	return false
}

// full is a user as its own page shows it. A variant that it never played is not
// among its ratings.
func (u *user) full() object {
	perfs := object{}
	for _, key := range []string{"bullet", "blitz", "rapid", "classical", "correspondence"} {
		perfs[key] = object{"games": 0, "rating": 1500, "rd": 500, "prog": 0, "prov": true}
	}
	if u.games > 0 {
		perf := object{"games": u.games, "rating": u.rating, "rd": 60, "prog": 0}
		if u.provisional() {
			perf["prov"] = true
		}
		perfs[crazyhouse] = perf
	}
	o := object{"id": u.id, "username": u.name, "perfs": perfs, "createdAt": u.created.UnixMilli()}
	if u.title != "" {
		o["title"] = u.title
	}
	return o
}

// random makes ids and draws, the same in every run with one seed.
type random struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func newRandom(seed uint64) *random { return &random{rng: rand.New(rand.NewPCG(seed, 64))} }

func (r *random) id(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	r.mu.Lock()
	defer r.mu.Unlock()
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.rng.IntN(len(letters))]
	}
	return string(b)
}

func (r *random) intN(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rng.IntN(n)
}

// mustUser returns a user; the caller is a program, which knows its users.
func (s *Server) mustUser(name string) *user {
	u := s.users[strings.ToLower(name)]
	if u == nil {
		panic(fmt.Sprintf("lichesstest: no user %q", name))
	}
	return u
}
