package lichesstest

import (
	"net/http"
	"strings"
	"time"
)

func (s *Server) listChallenges(w http.ResponseWriter, _ *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, out := []object{}, []object{}
	for _, c := range s.waiting() {
		switch {
		case c.to == u:
			in = append(in, c.directed(u))
		case c.from == u:
			out = append(out, c.directed(u))
		}
	}
	writeJSON(w, http.StatusOK, object{"in": in, "out": out})
}

func (s *Server) showChallenge(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.challenges[r.PathValue("id")]
	if c == nil || c.from != u && c.to != u || c.isRematch() {
		writeError(w, http.StatusNotFound, "Not found")
		return
	}
	writeJSON(w, http.StatusOK, c.directed(u))
}

// createChallenge creates a challenge and responds with it; on request the response
// is a stream that lasts until the challenge is answered.
func (s *Server) createChallenge(w http.ResponseWriter, r *http.Request, u *user) {
	spec, ok := readSpec(w, r, u, s.opts.AnyClock)
	if !ok {
		return
	}
	s.mu.Lock()
	to := s.users[strings.ToLower(r.PathValue("user"))]
	if !s.mayChallenge(w, r, u, to, &spec) {
		s.mu.Unlock()
		return
	}
	s.replaceChallenge(u, to)
	c := s.challenge(u, to, spec)
	shown := c.directed(u)
	if r.Form.Get("keepAliveStream") != "true" {
		s.mu.Unlock()
		writeJSON(w, http.StatusOK, shown)
		return
	}
	sub := newSubscriber()
	sub.send(shown)
	c.follow = append(c.follow, sub)
	s.mu.Unlock()
	s.serveStream(w, r, sub)
}

// mayChallenge reports whether a user may challenge another, and writes an error if
// not.
func (s *Server) mayChallenge(w http.ResponseWriter, r *http.Request, u, to *user, spec *ChallengeSpec) bool {
	text := ""
	switch {
	case to == nil || to.closed:
		text = "No such user: " + r.PathValue("user")
	case to.bot() && len(spec.Rules) > 0:
		text = "Rules not applicable for bots"
	case to.rejectText != "":
		text = to.rejectText
	case to == u, len(s.gamesInProgress(u)) >= maxGames:
		text = "Challenge not created"
	}
	if text != "" {
		writeError(w, http.StatusBadRequest, text)
		return false
	}
	cost := humanCost
	if to.bot() {
		cost = botCost
	}
	return s.botQuota(w, u, to) && u.chargeCredits(w, cost, time.Now())
}

// incoming returns an open challenge to a user, or nil after writing an error.
func (s *Server) incoming(w http.ResponseWriter, r *http.Request, u *user) *challenge {
	c := s.challenges[r.PathValue("id")]
	switch {
	case c == nil || c.to != u || c.status == "accepted" || c.isRematch() && !c.open():
		writeError(w, http.StatusNotFound, "Not found")
	case !c.open():
		writeError(w, http.StatusBadRequest, "The challenge has been "+c.status+".")
	default:
		return c
	}
	return nil
}

func (s *Server) acceptChallenge(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.incoming(w, r, u)
	switch {
	case c == nil:
	case c.Variant != crazyhouse || u.bot() && s.compat(u, &c.ChallengeSpec)["bot"] == false:
		writeError(w, http.StatusBadRequest, "Game incompatible with a BOT account")
	case s.botQuota(w, u, c.from):
		s.accept(c)
		writeOK(w)
	}
}

// declineReasons maps the keys of decline reasons to their texts.
var declineReasons = map[string]string{
	"generic":     "I'm not accepting challenges at the moment.",
	"later":       "This is not the right time for me.",
	"toofast":     "Too fast for me.",
	"tooslow":     "Too slow for me.",
	"timecontrol": "I'm not accepting this time control.",
	"rated":       "Please send me a rated challenge instead.",
	"casual":      "Please send me a casual challenge instead.",
	"standard":    "I'm not accepting variant challenges right now.",
	"variant":     "I'm not willing to play this variant right now.",
	"nobot":       "I'm not accepting challenges from bots.",
	"onlybot":     "I'm only accepting challenges from bots.",
}

func (s *Server) declineChallenge(w http.ResponseWriter, r *http.Request, u *user) {
	reason := r.FormValue("reason")
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.challenges[r.PathValue("id")]
	if c == nil || c.to != u || !c.open() {
		writeError(w, http.StatusNotFound, "Not found")
		return
	}
	s.decline(c, reason)
	writeOK(w)
}

// decline declines a challenge; an unknown reason becomes generic.
func (s *Server) decline(c *challenge, reason string) {
	c.reason = strings.ToLower(reason)
	if declineReasons[c.reason] == "" {
		c.reason = "generic"
	}
	s.audit.Declined[c.reason]++
	s.closeChallenge(c, "declined", "challengeDeclined")
}

// cancelChallenge cancels an outgoing challenge, declines an incoming one, and
// aborts its game.
func (s *Server) cancelChallenge(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.PathValue("id")
	c, g := s.challenges[id], s.games[id]
	switch {
	case g != nil && g.has(u) && g.abortable():
		s.endGame(g, "aborted", "")
		writeOK(w)
	case g != nil && g.has(u) && !g.over():
		writeError(w, http.StatusBadRequest, "Missing opponentToken") // with it, the two could abort
	case c != nil && c.open() && c.from == u:
		s.closeChallenge(c, "canceled", "challengeCanceled")
		writeOK(w)
	case c != nil && c.open() && c.to == u && !c.isRematch():
		s.decline(c, "generic")
		writeOK(w)
	default:
		writeError(w, http.StatusNotFound, "Not found")
	}
}
