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
	o := u.profile()
	o["url"] = "https://lichess.org/@/" + u.name
	o["count"] = object{"all": u.games, "playing": len(s.gamesInProgress(u))}
	if games := s.gamesInProgress(u); len(games) > 0 {
		o["playing"] = "https://lichess.org/" + games[0].id + "/" + colors[games[0].side(u)]
	}
	writeJSON(w, http.StatusOK, o)
}

func (s *Server) playing(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := intParam(r, "nb", 9, 50)
	list := []object{}
	for _, g := range firstN(s.gamesInProgress(u), most) {
		list = append(list, g.preview(u))
	}
	writeJSON(w, http.StatusOK, object{"nowPlaying": list})
}

func (s *Server) upgrade(w http.ResponseWriter, _ *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.games > 0 || len(s.gamesInProgress(u)) > 0 {
		writeError(w, http.StatusBadRequest, "You already have games played. Make a new account.")
		return
	}
	u.title = "BOT"
	writeOK(w)
}

func (s *Server) testToken(w http.ResponseWriter, r *http.Request, _ *user) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		writeError(w, http.StatusBadRequest, "Body too large")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := object{}
	for _, text := range firstN(strings.Split(strings.TrimSpace(string(body)), ","), 1000) {
		if t := s.tokens[text]; t != nil {
			answer[text] = object{"userId": t.user.id, "scopes": strings.Join(t.scopes, ","), "expires": nil}
		} else {
			answer[text] = nil
		}
	}
	writeJSON(w, http.StatusOK, answer)
}

func (s *Server) userStatus(w http.ResponseWriter, r *http.Request, _ *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := r.URL.Query().Get("ids")
	if ids == "" {
		writeError(w, http.StatusBadRequest, "No user ids provided")
		return
	}
	list := []object{}
	for _, id := range firstN(strings.Split(ids, ","), 100) {
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
		if len(s.gamesInProgress(u)) > 0 {
			o["playing"] = true
		}
		list = append(list, o)
	}
	writeJSON(w, http.StatusOK, list)
}

func (s *Server) onlineBots(w http.ResponseWriter, r *http.Request, _ *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-ndjson")
	for _, u := range firstN(s.botsOnline(), intParam(r, "nb", 100, 512)) {
		_, _ = w.Write(encodeLine(u.profile()))
	}
}

// botsOnline returns the bots that are online, sorted by id.
func (s *Server) botsOnline() (bots []*user) {
	for _, u := range s.users {
		if u.bot() && s.online(u) {
			bots = append(bots, u)
		}
	}
	slices.SortFunc(bots, func(a, b *user) int { return strings.Compare(a.id, b.id) })
	return bots
}

// intParam parses a query parameter from 1 to limit, with a fallback if it is no
// number.
func intParam(r *http.Request, field string, fallback, limit int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(field))
	if err != nil {
		return fallback
	}
	return min(max(n, 1), limit)
}

func firstN[T any](list []T, n int) []T { return list[:min(n, len(list))] }
