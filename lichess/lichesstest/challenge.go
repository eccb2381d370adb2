package lichesstest

import (
	"cmp"
	"slices"
	"time"
)

// ChallengeSpec holds the terms of a challenge. If Limit, Increment and Days are
// zero, the game has no clock.
type ChallengeSpec struct {
	Limit, Increment time.Duration
	Days             int
	Rated            bool
	Color            string // the challenger's: "white", "black" or "random", the default
	Variant          string // default "crazyhouse"
	Rules            []string
	RematchOf        string // id of the game before
}

// challenge is an offer to play.
type challenge struct {
	ChallengeSpec
	id       string
	from, to *user
	created  time.Time
	seen     time.Time     // when its page or stream was last open; once closed, when that was
	status   string        // created, canceled, declined, accepted
	final    string        // the challenger's colour, random resolved
	reason   string        // of a decline, in lower case
	done     chan struct{} // closed when answered: status, reason and game stay
	follow   []*subscriber // streams that end then
	game     *game         // of an accepted challenge
	arena    *arena        // that made this pairing; nil for a challenge
}

// expiry is how long a real-time challenge that nobody keeps alive is shown as open, and
// retention how long it can be accepted after that, or is known once closed.
const expiry, retention = 20 * time.Second, 3 * time.Hour

// variants holds the variants of Lichess by key; this server plays only crazyhouse.
var variants = map[string]struct{ name, short string }{
	"standard":      {"Standard", "Std"},
	"chess960":      {"Chess960", "960"},
	"crazyhouse":    {"Crazyhouse", "Crazy"},
	"antichess":     {"Antichess", "Anti"},
	"atomic":        {"Atomic", "Atom"},
	"horde":         {"Horde", "Horde"},
	"kingOfTheHill": {"King of the Hill", "KotH"},
	"racingKings":   {"Racing Kings", "Racing"},
	"threeCheck":    {"Three-check", "3check"},
	"fromPosition":  {"From Position", "FEN"},
}

const crazyhouse = "crazyhouse"

func variantObject(key string) object {
	v := variants[key]
	return object{"key": key, "name": v.name, "short": v.short}
}

// Challenge makes one user challenge another and returns the challenge's id, which
// is also that of its game.
func (s *Server) Challenge(from, to string, spec ChallengeSpec) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.challenge(s.mustUser(from), s.mustUser(to), spec).id
}

// Cancel cancels a challenge.
func (s *Server) Cancel(id string) {
	s.do(func() {
		if c := s.challenges[id]; c != nil && c.open() {
			s.closeChallenge(c, "canceled", "challengeCanceled")
		}
	})
}

// challenge creates a challenge and notifies both sides. The caller holds the lock.
func (s *Server) challenge(from, to *user, spec ChallengeSpec) *challenge {
	spec.Variant, spec.Color = cmp.Or(spec.Variant, crazyhouse), cmp.Or(spec.Color, "random")
	spec.Rated = spec.Rated && spec.rateable()
	now := time.Now()
	c := &challenge{
		ChallengeSpec: spec, id: s.randomID(8), from: from, to: to, created: now, seen: now,
		status: "created", final: spec.Color, done: make(chan struct{}),
	}
	if c.final == "random" {
		c.final = colors[s.rng.IntN(2)]
	}
	if !c.isRematch() {
		s.makeRoom(from, to)
	}
	s.challenges[c.id] = c
	s.offered = append(s.offered, c)
	s.offered = s.offered[max(0, len(s.offered)-maxFinished):]
	for _, u := range c.told() {
		u.notify(object{"type": "challenge", "challenge": c.object(), "compat": s.compat(u, &spec)})
	}
	if to.player != nil {
		s.answerForPlayer(c)
	}
	return c
}

// compat tells whether a user's program may play a game: as a bot, if it is one, or as a
// board.
func (s *Server) compat(u *user, spec *ChallengeSpec) object {
	speed := spec.speed()
	return object{
		"bot":   u.bot() && (s.opts.AnyClock || speed != ultraBullet),
		"board": speed != ultraBullet && speed != "bullet",
	}
}

func (c *challenge) open() bool { return c.status == "created" }

// isRematch reports whether the challenge stands for the offer of a rematch, which
// Lichess keeps in memory only: it is in no list.
func (c *challenge) isRematch() bool { return c.RematchOf != "" }

// told returns who hears of the challenge: of the offer of a rematch, only the
// opponent.
func (c *challenge) told() []*user {
	if c.isRematch() {
		return []*user{c.to}
	}
	return []*user{c.from, c.to}
}

// waiting returns the challenges that lists show, the oldest first.
func (s *Server) waiting() (list []*challenge) {
	for _, c := range s.challenges {
		if c.shownStatus() == "created" && !c.isRematch() {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *challenge) int { return a.created.Compare(b.created) })
	return list
}

// shownStatus is the status as it is shown: a real-time challenge that nobody keeps
// alive, by its page or stream, is offline after a while. It can be accepted all the
// same.
func (c *challenge) shownStatus() string {
	kept := c.from.player != nil || len(c.follow) > 0
	if c.open() && c.kind() == realTime && !kept && time.Since(c.seen) > expiry {
		return "offline"
	}
	return c.status
}

// findChallenge returns a challenge, or nil if there is none or Lichess has deleted it.
func (s *Server) findChallenge(id string) *challenge {
	c := s.challenges[id]
	if c == nil || c.shownStatus() != "created" && time.Since(c.seen) > expiry+retention {
		return nil
	}
	return c
}

// makeRoom cancels what one user has offered another before a new challenge, offline or not, and
// deletes the oldest of too many. Nobody is notified, not even by the stream of the challenge.
func (s *Server) makeRoom(from, to *user) {
	for _, c := range s.challenges {
		if c.from == from && c.to == to && c.open() && !c.isRematch() {
			s.replace(c)
		}
	}
	pending := slices.DeleteFunc(s.waiting(), func(c *challenge) bool { return c.from != from })
	for _, c := range firstN(pending, max(0, len(pending)-maxPending+1)) {
		s.replace(c)
		delete(s.challenges, c.id)
	}
}

// replace cancels a challenge without a word.
func (s *Server) replace(c *challenge) {
	c.follow = nil
	s.closeAs(c, "canceled")
}

// unfollow removes a stream that has ended.
func (c *challenge) unfollow(sub *subscriber) {
	c.follow = slices.DeleteFunc(c.follow, func(s *subscriber) bool { return s == sub })
	if c.open() {
		c.seen = time.Now()
	}
}

// object is the JSON of a challenge.
func (c *challenge) object() object {
	o := object{
		"id": c.id, "url": "https://lichess.org/" + c.id, "status": c.shownStatus(),
		"challenger": c.from.summary(), "destUser": c.to.summary(),
		"variant": variantObject(c.Variant), "rated": c.Rated, "speed": c.speed(), "timeControl": c.control(),
		"color": c.Color, "finalColor": c.final, "perf": object{"icon": "", "name": "Crazyhouse"},
	}
	if len(c.Rules) > 0 {
		o["rules"] = c.Rules
	}
	add(o, "rematchOf", c.RematchOf)
	add(o, "declineReason", declineReasons[c.reason])
	add(o, "declineReasonKey", c.reason)
	return o
}

// directed is the JSON of a challenge for one of its players.
func (c *challenge) directed(u *user) object {
	o := c.object()
	o["direction"] = "out"
	if c.to == u {
		o["direction"] = "in"
	}
	return o
}

// closeChallenge ends a challenge without a game and notifies both sides. A rematch
// that is taken back is shown as it was offered; of one that is declined, no program
// hears.
func (s *Server) closeChallenge(c *challenge, status, event string) {
	line := object{"type": event, "challenge": c.object(), "compat": s.compat(c.to, &c.ChallengeSpec)}
	s.closeAs(c, status)
	if c.isRematch() && status == "declined" {
		return
	}
	if !c.isRematch() {
		line = object{"type": event, "challenge": c.object()}
	}
	for _, u := range c.told() {
		u.notify(line)
	}
}

// accept starts the game of a challenge.
func (s *Server) accept(c *challenge) {
	c.game = s.startGame(c)
	s.closeAs(c, "accepted")
}

// closeAs records the final status of a challenge.
func (s *Server) closeAs(c *challenge, status string) {
	c.status, c.seen = status, time.Now()
	close(c.done)
	for _, sub := range c.follow {
		sub.send(object{"done": status})
		sub.end()
	}
	s.closedChallenges = evict(s.closedChallenges, c.id, s.challenges)
}

// has reports whether a rule such as noAbort applies.
func (c *ChallengeSpec) has(rule string) bool { return slices.Contains(c.Rules, rule) }
