package lichesstest

import (
	"net/http"
	"strings"
	"time"
)

func (s *Server) listChallenges(_ *http.Request, u *user) (any, error) {
	in, out := []object{}, []object{}
	for _, c := range s.waiting() {
		switch {
		case c.to == u:
			in = append(in, c.directed(u))
		case c.from == u:
			out = append(out, c.directed(u))
		}
	}
	return object{"in": in, "out": out}, nil
}

func (s *Server) showChallenge(r *http.Request, u *user) (any, error) {
	c := s.findChallenge(r.PathValue("id"))
	if c == nil || c.from != u && c.to != u || c.isRematch() {
		return nil, notFound("Not found")
	}
	return c.directed(u), nil
}

// createChallenge creates a challenge and responds with it; on request the response
// is a stream that lasts until the challenge is answered.
func (s *Server) createChallenge(r *http.Request, u *user) (any, error) {
	spec, err := readSpec(r.Form, u, s.opts.AnyClock)
	if err != nil {
		return nil, err
	}
	name := r.PathValue("user")
	to := s.users[strings.ToLower(name)]
	if to == nil || to.closed {
		return nil, badRequest("No such user: " + name)
	}
	if err := s.mayChallenge(u, to, &spec); err != nil {
		return nil, err
	}
	c := s.challenge(u, to, spec)
	if r.Form.Get("keepAliveStream") != "true" {
		return c.directed(u), nil
	}
	sub := newSubscriber()
	sub.send(c.directed(u))
	sub.onEnd = func() { c.unfollow(sub) }
	c.follow = append(c.follow, sub)
	return sub, nil
}

// mayChallenge returns an error unless a user may challenge another, and charges the
// credits that it costs.
func (s *Server) mayChallenge(u, to *user, spec *ChallengeSpec) error {
	switch {
	case to.bot() && len(spec.Rules) > 0:
		return badRequest("Rules not applicable for bots")
	case to.rejectText != "":
		return badRequest(to.rejectText)
	case to == u, s.hasMaxGames(u), s.hasMaxGames(to):
		return badRequest("Challenge not created")
	}
	if err := s.botQuota(u, to); err != nil {
		return err
	}
	cost := humanCost
	if to.bot() {
		cost = botCost
	}
	return u.charges.add(cost, time.Now(), challengeLimits...)
}

func (s *Server) acceptChallenge(r *http.Request, u *user) (any, error) {
	c := s.findChallenge(r.PathValue("id"))
	switch {
	case c == nil || c.to != u || c.status == "accepted" || c.isRematch() && !c.open():
		return nil, notFound("Not found")
	case !c.open():
		return nil, badRequest("The challenge has been " + c.status + ".")
	case c.Variant != crazyhouse || u.bot() && s.compat(u, &c.ChallengeSpec)["bot"] == false:
		return nil, badRequest("Game incompatible with a BOT account")
	}
	if err := s.botQuota(u, c.from); err != nil {
		return nil, err
	}
	s.accept(c)
	return done, nil
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

func (s *Server) declineChallenge(r *http.Request, u *user) (any, error) {
	c := s.findChallenge(r.PathValue("id"))
	if c == nil || c.to != u || !c.open() {
		return nil, notFound("Not found")
	}
	s.decline(c, r.FormValue("reason"))
	return done, nil
}

// decline declines a challenge; an unknown reason becomes generic.
func (s *Server) decline(c *challenge, reason string) {
	c.reason = strings.ToLower(reason)
	if declineReasons[c.reason] == "" {
		c.reason = "generic"
	}
	s.closeChallenge(c, "declined", "challengeDeclined")
}

// cancelChallenge cancels an outgoing challenge, declines an incoming one, and
// aborts its game.
func (s *Server) cancelChallenge(r *http.Request, u *user) (any, error) {
	id := r.PathValue("id")
	c, g := s.findChallenge(id), s.games[id]
	switch {
	case g != nil && g.has(u) && g.abortable():
		g.end("aborted", "")
	case g != nil && g.has(u) && !g.over():
		return nil, badRequest("Missing opponentToken") // with it, the two could abort
	case c != nil && c.open() && c.from == u:
		s.closeChallenge(c, "canceled", "challengeCanceled")
	case c != nil && c.open() && c.to == u && !c.isRematch():
		s.decline(c, "generic")
	default:
		return nil, notFound("Not found")
	}
	return done, nil
}
