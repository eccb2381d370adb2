package lichesstest

import (
	"cmp"
	"slices"
	"time"
)

// ArenaSpec describes an arena: a tournament that repeatedly pairs its waiting
// players.
type ArenaSpec struct {
	Name             string
	Team             string // lists it, and is that of whoever joins
	Limit, Increment time.Duration
	Rated            bool
	Variant          string        // default "crazyhouse"
	NoBots           bool          // closed to bots
	Password         string        // needed to join
	StartsIn         time.Duration // from now
	Duration         time.Duration // default an hour
}

// arena is a tournament on the server.
type arena struct {
	ArenaSpec
	server               *Server
	id                   string
	startsAt, finishesAt time.Time
	members              map[*user]*member
	startTimer           *time.Timer
	games                int
}

// member is a player of an arena.
type member struct {
	paused       bool
	pairUntil    time.Time // of a program that joined with pairMeAsap
	waitingSince time.Time
}

// pairWindow is how long a join with pairMeAsap is valid.
const pairWindow = time.Minute

// AddArena creates an arena and returns its id.
func (s *Server) AddArena(spec ArenaSpec) (id string) {
	spec.Variant = cmp.Or(spec.Variant, crazyhouse)
	spec.Duration = cmp.Or(spec.Duration, time.Hour)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	a := &arena{
		ArenaSpec: spec, server: s, id: s.randomID(8), startsAt: now.Add(spec.StartsIn), members: map[*user]*member{},
	}
	a.finishesAt = a.startsAt.Add(spec.Duration)
	s.arenas[a.id] = a
	a.startTimer = time.AfterFunc(spec.StartsIn, s.locked(a.pair))
	return a.id
}

// EnterArena makes a scripted user join an arena and wait for a game whenever it has
// none.
func (s *Server) EnterArena(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.arenas[id]
	a.members[s.mustUser(name)] = &member{waitingSince: time.Now()}
	a.pair()
}

// EndArena ends an arena early. Its games continue.
func (s *Server) EndArena(id string) { s.do(func() { s.arenas[id].finishesAt = time.Now() }) }

// ArenaState is the state of a user in an arena.
type ArenaState struct {
	Joined, Paused bool
	Games          int // of all players
}

// Arena returns the state of a user in an arena.
func (s *Server) Arena(id, name string) ArenaState {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.arenas[id]
	m := a.members[s.mustUser(name)]
	return ArenaState{Joined: m != nil, Paused: m != nil && m.paused, Games: a.games}
}

func (a *arena) started(now time.Time) bool { return !now.Before(a.startsAt) }
func (a *arena) over(now time.Time) bool    { return !now.Before(a.finishesAt) }

// joinArena adds a program to the arena or ends its pause.
func joinArena(r *request) any {
	a, u, now := r.arena, r.user, time.Now()
	if refused := u.joins.add(1, now, arenaLimit); refused != nil {
		return refused
	}
	m := a.members[u]
	switch {
	case a.over(now):
		return badRequest("This tournament no longer exists")
	case m == nil && a.Password != "" && r.FormValue("password") != a.Password:
		return badRequest("Wrong entry code")
	case m == nil && a.Team != "" && r.FormValue("team") != a.Team:
		return badRequest("Missing team")
	case u.bot() && a.NoBots:
		return badRequest("Tournament restrictions")
	case now.Sub(u.pausedAt) <
		min(max(time.Duration(u.pauses-1)*(a.Limit+40*a.Increment)/15, 10*time.Second), 2*time.Minute):
		return badRequest("Your pause is not over yet")
	}
	if m == nil {
		m = new(member)
		a.members[u] = m
	}
	if m.paused || m.pairUntil.Before(now) {
		m.waitingSince = now
	}
	m.paused = false
	if r.FormValue("pairMeAsap") == "true" {
		m.pairUntil = now.Add(pairWindow)
	}
	a.pair()
	return done
}

// withdrawArena removes a user, or pauses it once the arena has started. For a while it can join
// none then: all arenas share its pauses, until it has made none for 20 minutes.
func withdrawArena(r *request) any {
	a, u := r.arena, r.user
	if !a.started(time.Now()) {
		delete(a.members, u)
	} else if m := a.members[u]; m != nil && !m.paused {
		m.paused = true
		if time.Since(u.pausedAt) > 20*time.Minute {
			u.pauses = 0
		}
		u.pauses++
		u.pausedAt = time.Now()
	}
	return done
}

// pair starts games between waiting players, the longest waiting first. At least one
// of each pair is a program. The caller holds the lock.
func (a *arena) pair() {
	now := time.Now()
	if !a.started(now) || a.over(now) || a.server.ctx.Err() != nil {
		return
	}
	for waiting := a.waiting(now); len(waiting) > 0; {
		u := waiting[0]
		waiting = waiting[1:]
		if i := slices.IndexFunc(waiting, func(v *user) bool { return u.player == nil || v.player == nil }); i >= 0 {
			a.startGame(u, waiting[i])
			waiting = slices.Delete(waiting, i, i+1)
		}
	}
}

func (a *arena) waiting(now time.Time) (users []*user) {
	for u, m := range a.members {
		playing := slices.ContainsFunc(a.server.gamesInProgress(u), func(g *game) bool { return g.arena == a })
		if !m.paused && !playing && (u.player != nil || now.Before(m.pairUntil)) {
			users = append(users, u)
		}
	}
	slices.SortFunc(users, func(x, y *user) int {
		return cmp.Or(a.members[x].waitingSince.Compare(a.members[y].waitingSince), cmp.Compare(x.id, y.id))
	})
	return users
}

func (a *arena) startGame(u, v *user) {
	s := a.server
	a.games++
	spec := ChallengeSpec{Limit: a.Limit, Increment: a.Increment, Rated: a.Rated, Variant: a.Variant}
	g := s.startGame(&challenge{
		ChallengeSpec: spec, id: s.randomID(8), from: u, to: v, final: colors[s.rng.IntN(2)], arena: a,
	})
	g.armFirstMoveTimer()
}

// gameFinished makes the players of a finished game wait for the next; a program has
// to join again.
func (a *arena) gameFinished(g *game) {
	for _, u := range g.players {
		if m := a.members[u]; m != nil {
			m.waitingSince, m.pairUntil = g.endedAt, time.Time{}
		}
	}
	a.server.spawn(a.server.locked(a.pair))
}

// firstMoves are the time limits of a first move, by speed.
var firstMoves = map[string]time.Duration{
	"bullet": 16 * time.Second, "blitz": 21 * time.Second, "rapid": 25 * time.Second,
}

// firstMoveTimeout is the time limit of a first move.
func (g *game) firstMoveTimeout() time.Duration {
	return cmp.Or(firstMoves[g.spec.speed()], 30*time.Second)
}

// armFirstMoveTimer ends an arena game if the side to move makes no first move.
func (g *game) armFirstMoveTimer() {
	stopTimer(g.firstMoveTimer)
	ply := g.rules.Ply()
	if g.arena == nil || ply >= 2 || g.over() {
		return
	}
	g.idleSince = time.Now()
	g.firstMoveTimer = time.AfterFunc(g.firstMoveTimeout(), g.server.locked(func() {
		if g.rules.Ply() == ply {
			g.end("noStart", colors[1-g.turn()])
		}
	}))
}

// expiration is the time that a first move may take, all of it, and how much has
// passed, as streams show it; nil if there is no such limit.
func (g *game) expiration(now time.Time) object {
	if g.arena == nil || g.rules.Ply() >= 2 || g.over() {
		return nil
	}
	return object{
		"idleMillis": now.Sub(g.idleSince).Milliseconds(), "millisToMove": g.firstMoveTimeout().Milliseconds(),
	}
}

func showArena(r *request) any {
	a, o, now := r.arena, r.arena.object(), time.Now()
	o["variant"], o["startsAt"] = a.Variant, a.startsAt.UTC().Format(time.RFC3339)
	switch {
	case a.over(now):
		o["isFinished"] = true
	case a.started(now):
		o["isStarted"], o["secondsToFinish"] = true, a.finishesAt.Sub(now)/time.Second
	default:
		o["secondsToStart"] = a.startsAt.Sub(now) / time.Second
	}
	return o
}

func (s *Server) teamArenas(r *request) any {
	var list []*arena
	for _, a := range s.arenas {
		if a.Team == r.PathValue("teamId") {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b *arena) int { return b.startsAt.Compare(a.startsAt) })
	now, shown := time.Now(), []object(nil)
	for _, a := range firstN(list, intParam(r, "max", 100, 100)) {
		o := a.object()
		o["variant"], o["status"] = variantObject(a.Variant), a.status(now)
		o["startsAt"], o["finishesAt"] = a.startsAt.UnixMilli(), a.finishesAt.UnixMilli()
		o["perf"].(object)["position"] = 0
		add(o, "secondsToStart", max(0, a.startsAt.Sub(now)/time.Second))
		shown = append(shown, o)
	}
	return ndjson(shown)
}

// joinTeam accepts every user: teams have no members here.
func joinTeam(*request) any { return done }

// object is the common part of both JSON forms of an arena.
func (a *arena) object() object {
	o := object{
		"id": a.id, "createdBy": "lichess", "system": "arena", "fullName": a.Name,
		"minutes": max(1, int64(a.Duration/time.Minute)),
		"clock":   object{"limit": a.Limit / time.Second, "increment": a.Increment / time.Second}, "rated": a.Rated,
		"nbPlayers": len(a.members),
		"perf":      object{"key": a.Variant, "name": variants[a.Variant].name, "icon": ""},
	}
	add(o, "botsAllowed", !a.NoBots)
	add(o, "private", a.Password != "")
	return o
}

// status is Lichess's number of created, started or finished.
func (a *arena) status(now time.Time) int {
	switch {
	case a.over(now):
		return 30
	case a.started(now):
		return 20
	}
	return 10
}
