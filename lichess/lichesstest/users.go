package lichesstest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
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
}

func (u *user) bot() bool { return u.title == "BOT" }

// AllScopes are the scopes of the tokens that AddBot makes.
var allScopes = []string{"bot:play", "challenge:read", "challenge:write", "tournament:write"}

// AddBot makes a BOT account and returns its token.
func (s *Server) AddBot(name string) (token string) { return s.AddUser(name, "BOT", allScopes...) }

// AddUser makes an account with a title, "" for none, and a token with the
// given scopes.
func (s *Server) AddUser(name, title string, scopes ...string) (text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.addUser(name, title, nil)
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

func (s *Server) addUser(name, title string, p Player) *user {
	u := &user{id: strings.ToLower(name), name: name, title: title, rating: 1500, player: p}
	s.users[u.id] = u
	return u
}

// light is a user as challenges and games show it.
func (u *user) light() object {
	o := object{"id": u.id, "name": u.name, "rating": u.rating, "online": u.online()}
	if u.title != "" {
		o["title"] = u.title
	}
	if u.games < 10 {
		o["provisional"] = true
	}
	return o
}

// online reports presence. The caller holds the lock.
func (u *user) online() bool { return u.player != nil || u.events != nil }

func (u *user) full() object {
	o := object{
		"id": u.id, "username": u.name, "url": "https://lichess.org/@/" + u.name,
		"perfs": object{"crazyhouse": object{"games": u.games, "rating": u.rating, "rd": 60, "prog": 0}},
	}
	if u.title != "" {
		o["title"] = u.title
	}
	return o
}

func (s *Server) account(w http.ResponseWriter, _ *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reply(w, http.StatusOK, u.full())
}

func (s *Server) playing(w http.ResponseWriter, _ *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, turns := []object{}, 0
	for _, g := range s.running(u) {
		info := g.info(u)
		if info["isMyTurn"] == true {
			turns++
		}
		list = append(list, info)
	}
	reply(w, http.StatusOK, object{"nowPlaying": list, "nbMyTurn": turns})
}

func (s *Server) upgrade(w http.ResponseWriter, _ *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.games > 0 || len(s.running(u)) > 0 {
		refuse(w, http.StatusBadRequest, "You already have games played. Make a new account.")
		return
	}
	u.title = "BOT"
	ok(w)
}

func (s *Server) testToken(w http.ResponseWriter, r *http.Request, _ *user) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(w, http.StatusBadRequest, "Body too large")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := object{}
	for _, text := range strings.Split(string(body), ",") {
		if t := s.tokens[text]; t != nil {
			answer[text] = object{"userId": t.user.id, "scopes": strings.Join(t.scopes, ","), "expires": nil}
		} else {
			answer[text] = nil
		}
	}
	reply(w, http.StatusOK, answer)
}

func (s *Server) userStatus(w http.ResponseWriter, r *http.Request, _ *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []object{}
	for _, id := range strings.Split(r.URL.Query().Get("ids"), ",") {
		u := s.users[strings.ToLower(id)]
		if u == nil {
			continue
		}
		o := object{"id": u.id, "name": u.name}
		if u.title != "" {
			o["title"] = u.title
		}
		if u.online() {
			o["online"] = true
		}
		if len(s.running(u)) > 0 {
			o["playing"] = true
		}
		list = append(list, o)
	}
	reply(w, http.StatusOK, list)
}

func (s *Server) onlineBots(w http.ResponseWriter, _ *http.Request, _ *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-ndjson")
	for _, u := range s.sortedUsers() {
		if u.bot() && u.online() {
			_, _ = w.Write(encode(u.full()))
		}
	}
}

func (s *Server) sortedUsers() []*user {
	list := make([]*user, 0, len(s.users))
	for _, u := range s.users {
		list = append(list, u)
	}
	slices.SortFunc(list, func(a, b *user) int { return strings.Compare(a.id, b.id) })
	return list
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
