package lichesstest

import (
	"strings"
	"time"
)

func (s *Server) listChallenges(r *request) any {
	u := r.user
	in, out := []object{}, []object{}
	for _, c := range s.waiting() {
		switch {
		case c.to == u:
			in = append(in, c.directed(u))
		case c.from == u:
			out = append(out, c.directed(u))
		}
	}
	return object{"in": in, "out": out}
}

func (s *Server) showChallenge(r *request) any {
	c := s.findChallenge(r.PathValue("challengeId"))
	if c == nil || c.from != r.user && c.to != r.user || c.isRematch() {
		return notFound("Not found")
	}
	return c.directed(r.user)
}

// createChallenge creates a challenge and responds with it; on request the response
// is a stream that lasts until the challenge is answered.
func (s *Server) createChallenge(r *request) any {
	u := r.user
	spec, refused := readSpec(r.Form, u, s.opts.AnyClock)
	if refused != nil {
		return refused
	}
	name := r.PathValue("username")
	if name == "ai" || name == "open" { // endpoints of their own, which are not served
		return notFound("Not found")
	}
	to := s.users[strings.ToLower(name)]
	if to == nil || to.closed {
		return badRequest("No such user: " + name)
	}
	if refused := s.mayChallenge(u, to, &spec); refused != nil {
		return refused
	}
	c := s.challenge(u, to, spec)
	if r.Form.Get("keepAliveStream") != "true" {
		return c.directed(u)
	}
	sub := newSubscriber()
	sub.send(c.directed(u))
	sub.onEnd = func() { c.unfollow(sub) }
	c.follow = append(c.follow, sub)
	return sub
}

// mayChallenge refuses unless a user may challenge another, and charges the
// credits that it costs in any case.
func (s *Server) mayChallenge(u, to *user, spec *ChallengeSpec) *refusal {
	cost := humanCost
	if to.bot() {
		cost = botCost
	}
	if refused := u.charges.add(cost, time.Now(), challengeLimits...); refused != nil {
		return refused
	}
	switch {
	case to == u:
		return badRequest("You cannot challenge yourself")
	case to.bot() && len(spec.Rules) > 0:
		return badRequest("Rules not applicable for bots")
	case s.hasMaxGames(u), s.hasMaxGames(to):
		return badRequest("Challenge not created")
	}
	return s.botQuota(u, to)
}

func (s *Server) acceptChallenge(r *request) any {
	c, u := s.findChallenge(r.PathValue("challengeId")), r.user
	switch {
	case c == nil || c.to != u || c.status == "accepted" || c.isRematch() && !c.open():
		return notFound("Not found")
	case !c.open():
		return badRequest("The challenge has been " + c.status + ".")
	case c.Variant != crazyhouse || u.bot() && s.compat(u, &c.ChallengeSpec)["bot"] == false:
		return badRequest("Game incompatible with a BOT account")
	}
	if refused := s.botQuota(u, c.from); refused != nil {
		return refused
	}
	s.accept(c)
	return done
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

func (s *Server) declineChallenge(r *request) any {
	c := s.findChallenge(r.PathValue("challengeId"))
	if c == nil || c.to != r.user || !c.open() {
		return notFound("Not found")
	}
	s.decline(c, r.FormValue("reason"))
	return done
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
func (s *Server) cancelChallenge(r *request) any {
	id, u := r.PathValue("challengeId"), r.user
	c, g := s.findChallenge(id), s.games[id]
	switch {
	case g != nil && g.has(u) && g.abortable():
		g.end("aborted", "")
	case g != nil && g.has(u) && !g.over():
		return badRequest("Missing opponentToken") // with it, the two could abort
	case c != nil && c.open() && c.from == u:
		s.closeChallenge(c, "canceled", "challengeCanceled")
	case c != nil && c.open() && c.to == u && !c.isRematch():
		s.decline(c, "generic")
	default:
		return notFound("Not found")
	}
	return done
}
