package lichesstest

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func (s *Server) account(w http.ResponseWriter, _ *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := u.full()
	o["url"] = "https://lichess.org/@/" + u.name
	o["count"] = object{"all": u.games, "playing": len(s.running(u))}
	if games := s.running(u); len(games) > 0 {
		o["playing"] = "https://lichess.org/" + games[0].id + "/" + colors[games[0].side(u)]
	}
	reply(w, http.StatusOK, o)
}

func (s *Server) playing(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := atMost(r, "nb", 9, 50)
	list := []object{}
	for _, g := range firstOf(s.running(u), most) {
		list = append(list, g.preview(u))
	}
	reply(w, http.StatusOK, object{"nowPlaying": list})
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
	for _, text := range firstOf(strings.Split(strings.TrimSpace(string(body)), ","), 1000) {
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
	ids := r.URL.Query().Get("ids")
	if ids == "" {
		refuse(w, http.StatusBadRequest, "No user ids provided")
		return
	}
	list := []object{}
	for _, id := range firstOf(strings.Split(ids, ","), 100) {
		u := s.users[strings.ToLower(id)]
		if u == nil {
			continue
		}
		o := object{"id": u.id, "name": u.name}
		if u.title != "" {
			o["title"] = u.title
		}
		if s.online(u) {
			o["online"] = true
		}
		if len(s.running(u)) > 0 {
			o["playing"] = true
		}
		list = append(list, o)
	}
	reply(w, http.StatusOK, list)
}

func (s *Server) onlineBots(w http.ResponseWriter, r *http.Request, _ *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-ndjson")
	for _, u := range firstOf(s.onlineNow(), atMost(r, "nb", 100, 512)) {
		_, _ = w.Write(encode(u.full()))
	}
}

// onlineNow returns the bots that are online, by id.
func (s *Server) onlineNow() (bots []*user) {
	for _, u := range s.users {
		if u.bot() && s.online(u) {
			bots = append(bots, u)
		}
	}
	slices.SortFunc(bots, func(a, b *user) int { return strings.Compare(a.id, b.id) })
	return bots
}

// atMost reads how much a client wants, within bounds.
func atMost(r *http.Request, field string, otherwise, most int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(field))
	if err != nil {
		return otherwise
	}
	return min(max(n, 1), most)
}

func firstOf[T any](list []T, n int) []T { return list[:min(n, len(list))] }
