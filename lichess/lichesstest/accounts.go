package lichesstest

import (
	"io"
	"strconv"
	"strings"
	"time"
)

// accountLimit is how often a user may read its account.
var accountLimit = limit{key: "api.account.user", credits: 30, period: 5 * time.Minute, text: dontPoll}

func (s *Server) account(r *request) any {
	if refused := r.user.reads.add(1, time.Now(), accountLimit); refused != nil {
		return refused
	}
	return r.user.fullProfile(s.gamesInProgress(r.user))
}

func (s *Server) playing(r *request) any {
	list, toMove := []object{}, 0
	games := s.gamesInProgress(r.user)
	for _, g := range games {
		if g.side(r.user) == g.turn() {
			toMove++
		}
	}
	for _, g := range firstN(games, intParam(r, "nb", 9, 50)) {
		list = append(list, g.preview(r.user))
	}
	return object{"nowPlaying": list, "nbMyTurn": toMove}
}

func (s *Server) upgrade(r *request) any {
	u := r.user
	if u.games > 0 || len(s.gamesInProgress(u)) > 0 {
		return badRequest("You already have games played. Make a new account.")
	}
	u.title, u.takebacks = "BOT", TakebacksNever
	u.rating = u.initialRating()
	for _, a := range s.arenas {
		delete(a.members, u)
	}
	return done
}

func (s *Server) testToken(r *request) any {
	body, _ := io.ReadAll(r.Body) // it is in memory
	answer := object{}
	for _, text := range firstN(strings.Split(strings.TrimSpace(string(body)), ","), 1000) {
		t := s.tokens[text]
		if t.expired() {
			answer[text] = nil
			continue
		}
		known := object{"userId": t.user.id, "scopes": strings.Join(t.scopes, ","), "expires": nil}
		if !t.expires.IsZero() {
			known["expires"] = t.expires.UnixMilli()
		}
		answer[text] = known
	}
	return answer
}

func (s *Server) userStatus(r *request) any {
	ids := r.URL.Query().Get("ids")
	if ids == "" {
		return badRequest("No user ids provided")
	}
	list := []object{}
	for _, id := range firstN(strings.Split(ids, ","), 100) {
		u := s.users[strings.ToLower(id)]
		if u == nil {
			continue
		}
		o := object{"id": u.id, "name": u.name}
		add(o, "title", u.title)
		add(o, "online", s.online(u))
		add(o, "playing", len(s.gamesInProgress(u)) > 0)
		list = append(list, o)
	}
	return list
}

// intParam parses a query parameter from 1 to limit, with a fallback if it is no
// number.
func intParam(r *request, field string, fallback, limit int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(field))
	if err != nil {
		return fallback
	}
	return min(max(n, 1), limit)
}

// showUser is a user's public profile.
func (s *Server) showUser(r *request) any {
	u := s.users[strings.ToLower(r.PathValue("username"))]
	switch {
	case u == nil:
		return notFound("Not found")
	case u.closed:
		return object{"id": u.id, "username": u.name, "disabled": true}
	}
	return u.fullProfile(s.gamesInProgress(u))
}

func firstN[T any](list []T, n int) []T { return list[:min(n, len(list))] }
