package lichesstest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ChallengeSpec says what is offered. Without Limit, Increment and Days the
// game has no clock.
type ChallengeSpec struct {
	Limit, Increment time.Duration
	Days             int
	Rated            bool
	Color            string // the challenger's: "white", "black" or "random", the default
	Variant          string // default "crazyhouse"
	Rules            []string
	RematchOf        string
}

func (c *ChallengeSpec) kind() string {
	switch {
	case c.Limit > 0 || c.Increment > 0:
		return realTime
	case c.Days > 0:
		return correspondence
	}
	return unlimited
}

// speed is Lichess's class of the time control.
func (c *ChallengeSpec) speed() string {
	if c.kind() != realTime {
		return "correspondence"
	}
	switch estimate := c.Limit + 40*c.Increment; {
	case estimate < 30*time.Second:
		return "ultraBullet"
	case estimate < 3*time.Minute:
		return "bullet"
	case estimate < 8*time.Minute:
		return "blitz"
	case estimate < 25*time.Minute:
		return "rapid"
	}
	return "classical"
}

// challenge is an offer to play.
type challenge struct {
	ChallengeSpec
	id       string
	from, to *user
	status   string // created, offline, canceled, declined, accepted
	final    string // the challenger's colour, drawn
	reason   string
	done     chan struct{} // closed when answered
}

// expiry is how long a real-time challenge is shown as open. It can be
// accepted later all the same.
const expiry = 20 * time.Second

// variants that Lichess knows; only crazyhouse is played here.
var variants = []string{"standard", "chess960", "crazyhouse", "antichess", "atomic", "horde", "kingOfTheHill", "racingKings", "threeCheck", "fromPosition"}

// Challenge lets one user challenge another and returns the challenge's id,
// which is the game's if it is accepted.
func (s *Server) Challenge(from, to string, spec ChallengeSpec) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.challenge(s.mustUser(from), s.mustUser(to), spec).id
}

// Cancel takes a challenge back.
func (s *Server) Cancel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.challenges[id]; c != nil && c.open() {
		s.closeChallenge(c, "canceled", "challengeCanceled")
	}
}

// challenge makes a challenge and tells both sides. The caller holds the lock.
func (s *Server) challenge(from, to *user, spec ChallengeSpec) *challenge {
	if spec.Variant == "" {
		spec.Variant = "crazyhouse"
	}
	if spec.Color == "" {
		spec.Color = "random"
	}
	if estimate := spec.Limit + 40*spec.Increment; spec.Rated && (spec.kind() != realTime ||
		!(spec.Limit > 0 && estimate >= 30*time.Second || spec.Increment >= 2*time.Second)) {
		spec.Rated = false // silently, as Lichess does
	}
	c := &challenge{ChallengeSpec: spec, id: s.random.id(8), from: from, to: to, status: "created", final: spec.Color, done: make(chan struct{})}
	if c.final == "random" {
		c.final = [...]string{"white", "black"}[s.random.intN(2)]
	}
	s.challenges[c.id] = c
	event := object{"type": "challenge", "challenge": c.object(), "compat": object{"bot": spec.speed() != "ultraBullet" || s.opts.AnyClock, "board": true}}
	from.events.send(event)
	to.events.send(event)
	if to.player != nil {
		s.work.Go(func() { s.answerForPlayer(c) })
	}
	if c.kind() == realTime {
		time.AfterFunc(expiry, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if c.status == "created" {
				c.status = "offline"
			}
		})
	}
	return c
}

// answerForPlayer accepts a challenge to a user who plays by itself.
func (s *Server) answerForPlayer(c *challenge) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.open() && s.ctx.Err() == nil {
		s.accept(c)
	}
}

func (c *challenge) open() bool { return c.status == "created" || c.status == "offline" }

// pending returns the challenges that wait for a user's answer.
func (s *Server) pending(u *user) (list []*challenge) {
	for _, c := range s.challenges {
		if c.to == u && c.open() {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *challenge) int { return strings.Compare(a.id, b.id) })
	return list
}

// object is the challenge as Lichess shows it.
func (c *challenge) object() object {
	o := object{
		"id": c.id, "url": "https://lichess.org/" + c.id, "status": c.status,
		"challenger": c.from.light(), "destUser": c.to.light(),
		"variant": variantObject(c.Variant), "rated": c.Rated, "speed": c.speed(), "timeControl": c.control(),
		"color": c.Color, "finalColor": c.final, "perf": object{"icon": "", "name": "Crazyhouse"},
	}
	if len(c.Rules) > 0 {
		o["rules"] = c.Rules
	}
	if c.RematchOf != "" {
		o["rematchOf"] = c.RematchOf
	}
	if c.reason != "" {
		o["declineReason"], o["declineReasonKey"] = "This is not the right time for me.", strings.ToLower(c.reason)
	}
	return o
}

func variantObject(key string) object {
	return object{"key": key, "name": strings.ToUpper(key[:1]) + key[1:], "short": key[:min(5, len(key))]}
}

func (c *challenge) control() object {
	switch c.kind() {
	case realTime:
		limit, increment := int64(c.Limit.Seconds()), int64(c.Increment.Seconds())
		return object{"type": realTime, "limit": limit, "increment": increment,
			"show": strconv.FormatFloat(float64(limit)/60, 'g', 3, 64) + "+" + strconv.FormatInt(increment, 10)}
	case correspondence:
		return object{"type": correspondence, "daysPerTurn": c.Days}
	}
	return object{"type": unlimited}
}

// closeChallenge ends a challenge without a game and tells both sides.
func (s *Server) closeChallenge(c *challenge, status, event string) {
	c.status = status
	close(c.done)
	delete(s.challenges, c.id)
	for _, u := range []*user{c.from, c.to} {
		u.events.send(object{"type": event, "challenge": c.object()})
	}
}

// accept starts the game of a challenge.
func (s *Server) accept(c *challenge) *game {
	c.status = "accepted"
	close(c.done)
	delete(s.challenges, c.id)
	return s.startGame(c)
}

func (s *Server) listChallenges(w http.ResponseWriter, _ *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, out := []object{}, []object{}
	for _, c := range s.challenges {
		switch u {
		case c.to:
			in = append(in, c.object())
		case c.from:
			out = append(out, c.object())
		}
	}
	reply(w, http.StatusOK, object{"in": in, "out": out})
}

func (s *Server) showChallenge(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.challenges[r.PathValue("id")]
	if c == nil || c.from != u && c.to != u {
		refuse(w, http.StatusNotFound, "Not found")
		return
	}
	o := c.object()
	o["direction"] = "out"
	if c.to == u {
		o["direction"] = "in"
	}
	reply(w, http.StatusOK, o)
}

// limits Lichess allows, in seconds.
var allowedLimits = []int{0, 15, 30, 45, 60, 90}

func (s *Server) createChallenge(w http.ResponseWriter, r *http.Request, u *user) {
	spec, ok := s.readSpec(w, r)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.users[strings.ToLower(r.PathValue("user"))]
	switch {
	case to == nil:
		refuse(w, http.StatusNotFound, "No such user: "+r.PathValue("user"))
		return
	case to == u:
		refuse(w, http.StatusBadRequest, "Challenge not created")
		return
	case to.bot() && len(spec.Rules) > 0:
		refuse(w, http.StatusBadRequest, "Rules not applicable for bots")
		return
	case to.bot() && !s.botQuota(w, u, to):
		return
	}
	c := s.challenge(u, to, spec)
	o := c.object()
	o["direction"] = "out"
	reply(w, http.StatusOK, o)
}

// readSpec reads the form of a new challenge, or refuses it field by field.
func (s *Server) readSpec(w http.ResponseWriter, r *http.Request) (spec ChallengeSpec, ok bool) {
	if err := r.ParseForm(); err != nil {
		refuse(w, http.StatusBadRequest, "Bad form")
		return spec, false
	}
	number := func(field string) int {
		n, err := strconv.Atoi(r.Form.Get(field))
		if err != nil {
			return 0
		}
		return n
	}
	limit, increment := number("clock.limit"), number("clock.increment")
	spec = ChallengeSpec{
		Limit: time.Duration(limit) * time.Second, Increment: time.Duration(increment) * time.Second, Days: number("days"),
		Rated: r.Form.Get("rated") == "true", Color: r.Form.Get("color"), Variant: r.Form.Get("variant"),
	}
	if spec.Variant == "" {
		spec.Variant = "standard"
	}
	if rules := r.Form.Get("rules"); rules != "" {
		spec.Rules = strings.Split(rules, ",")
	}
	hasClock := r.Form.Has("clock.limit") || r.Form.Has("clock.increment")
	switch {
	case !slices.Contains(variants, spec.Variant):
		refuseForm(w, "variant", "Invalid value")
	case s.opts.AnyClock:
		return spec, true
	case hasClock && !slices.Contains(allowedLimits, limit) && (limit%60 != 0 || limit < 0 || limit > 10800):
		refuseForm(w, "clock.limit", "Invalid value")
	case increment < 0 || increment > 60:
		refuseForm(w, "clock.increment", "Must be between 0 and 60")
	case hasClock && limit == 0 && increment == 0, limit == 15 && increment == 0:
		refuseForm(w, "clock", "Invalid clock")
	case hasClock && spec.speed() == "ultraBullet":
		refuseForm(w, "global", "Invalid speed")
	case spec.Days != 0 && !slices.Contains([]int{1, 2, 3, 5, 7, 10, 14}, spec.Days):
		refuseForm(w, "days", "Invalid value")
	default:
		return spec, true
	}
	return spec, false
}

// botGamesADay is how many games between bots an account may start in a day.
const botGamesADay = 100

// botQuota refuses when either bot has played its games of the day.
func (s *Server) botQuota(w http.ResponseWriter, u, other *user) bool {
	limit := object{"key": "bot.vsBot.day", "seconds": 43210}
	switch {
	case u.bot() && u.botGames >= botGamesADay:
		reply(w, http.StatusTooManyRequests, object{"error": "You played 100 games against other bots today, please wait before challenging another bot.", "ratelimit": limit})
	case other.bot() && other.botGames >= botGamesADay:
		reply(w, http.StatusBadRequest, object{"error": other.name + " played 100 games against other bots today.", "ratelimit": limit})
	default:
		return true
	}
	return false
}

func (s *Server) acceptChallenge(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.challenges[r.PathValue("id")]
	switch {
	case c == nil || c.to != u:
		refuse(w, http.StatusNotFound, "Not found")
	case c.Variant != "crazyhouse" || c.speed() == "ultraBullet" && !s.opts.AnyClock:
		refuse(w, http.StatusBadRequest, "Game incompatible with a BOT account")
	case c.from.bot() && u.bot() && !s.botQuota(w, u, c.from):
	default:
		s.accept(c)
		ok(w)
	}
}

// declineReasons by which a challenge can be refused.
var declineReasons = []string{"generic", "later", "toofast", "tooslow", "timecontrol", "rated", "casual", "standard", "variant", "nobot", "onlybot"}

func (s *Server) declineChallenge(w http.ResponseWriter, r *http.Request, u *user) {
	reason := strings.ToLower(r.FormValue("reason"))
	if !slices.Contains(declineReasons, reason) {
		reason = "generic"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.challenges[r.PathValue("id")]
	if c == nil || c.to != u {
		refuse(w, http.StatusNotFound, "Not found")
		return
	}
	c.reason = reason
	s.audit.Declined[reason]++
	s.closeChallenge(c, "declined", "challengeDeclined")
	ok(w)
}

func (s *Server) cancelChallenge(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.PathValue("id")
	c, g := s.challenges[id], s.games[id]
	switch {
	case c != nil && c.from == u:
		s.closeChallenge(c, "canceled", "challengeCanceled")
		ok(w)
	case c != nil && c.to == u:
		s.closeChallenge(c, "declined", "challengeDeclined")
		ok(w)
	case g != nil && g.has(u) && !g.over() && g.rules.Ply() < 2:
		s.endGame(g, "aborted", "")
		ok(w)
	case g != nil && g.has(u):
		refuse(w, http.StatusBadRequest, "This game can no longer be aborted")
	default:
		refuse(w, http.StatusNotFound, "Not found")
	}
}
