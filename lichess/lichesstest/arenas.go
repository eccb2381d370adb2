package lichesstest

import (
	"cmp"
	"slices"
	"time"
)

// ArenaSpec describes an arena: a tournament in which whoever waits is paired,
// again and again.
type ArenaSpec struct {
	Name             string
	Team             string // whose list shows it
	Limit, Increment time.Duration
	Rated            bool
	Variant          string        // default "crazyhouse"
	NoBots           bool          // closed to bots
	Password         string        // needed to join
	StartsIn         time.Duration // from now
	Duration         time.Duration // default an hour
	FirstMove        time.Duration // time for a first move; default Lichess's
}

// arena is a tournament on the server.
type arena struct {
	ArenaSpec
	server           *Server
	id               string
	starts, finishes time.Time
	members          map[*user]*member
	begin            *time.Timer
	games            int
}

// member is a player of an arena.
type member struct {
	paused bool
	wish   time.Time // a program wants to be paired until then
	since  time.Time // of waiting
}

// wishLasts is how long a join with pairMeAsap counts.
const wishLasts = time.Minute

// AddArena makes an arena and returns its id.
func (s *Server) AddArena(spec ArenaSpec) (id string) {
	spec.Variant = cmp.Or(spec.Variant, crazyhouse)
	spec.Duration = cmp.Or(spec.Duration, time.Hour)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	a := &arena{ArenaSpec: spec, server: s, id: s.random.id(8), starts: now.Add(spec.StartsIn), members: map[*user]*member{}}
	a.finishes = a.starts.Add(spec.Duration)
	s.arenas[a.id] = a
	a.begin = time.AfterFunc(spec.StartsIn, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		a.pair()
	})
	return a.id
}

// EnterArena lets a user who plays by itself join an arena, to wait for a game
// whenever it has none.
func (s *Server) EnterArena(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.arenas[id]
	a.members[s.mustUser(name)] = &member{since: time.Now()}
	a.pair()
}

// EndArena ends an arena before its time. Its games go on.
func (s *Server) EndArena(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arenas[id].finishes = time.Now()
}

// ArenaState is how a user stands in an arena.
type ArenaState struct {
	Joined, Paused bool
	Games          int // of all players
}

// Arena returns how a user stands in an arena.
func (s *Server) Arena(id, name string) ArenaState {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.arenas[id]
	m := a.members[s.mustUser(name)]
	return ArenaState{Joined: m != nil, Paused: m != nil && m.paused, Games: a.games}
}

func (a *arena) started(now time.Time) bool { return !now.Before(a.starts) }
func (a *arena) over(now time.Time) bool    { return !now.Before(a.finishes) }

// join lets a program in, or go on after a pause, and returns why not.
func (a *arena) join(u *user, password string, pairNow bool) (refusal string) {
	now := time.Now()
	m := a.members[u]
	switch {
	case a.over(now):
		return "This tournament no longer exists"
	case m == nil && a.Password != "" && password != a.Password:
		return "Wrong entry code"
	case u.bot() && a.NoBots:
		return "Tournament restrictions"
	}
	if m == nil {
		m = new(member)
		a.members[u] = m
	}
	if m.paused || m.wish.Before(now) {
		m.since = now
	}
	m.paused = false
	if pairNow {
		m.wish = now.Add(wishLasts)
	}
	a.pair()
	return ""
}

// withdraw lets a user out, or once the arena has begun, makes a pause.
func (a *arena) withdraw(u *user) {
	if !a.started(time.Now()) {
		delete(a.members, u)
	} else if m := a.members[u]; m != nil {
		m.paused = true
	}
}

// pair starts games between those who wait, the longest first. Of each pair one
// at least is a program. The caller holds the lock.
func (a *arena) pair() {
	now := time.Now()
	if !a.started(now) || a.over(now) || a.server.closed {
		return
	}
	waiting := a.waiting(now)
	for i, u := range waiting {
		if u == nil {
			continue
		}
		for j := i + 1; j < len(waiting); j++ {
			if v := waiting[j]; v != nil && (u.player == nil || v.player == nil) {
				waiting[j] = nil
				a.startGame(u, v)
				break
			}
		}
	}
}

func (a *arena) waiting(now time.Time) (users []*user) {
	for u, m := range a.members {
		if !m.paused && !a.playing(u) && (u.player != nil || now.Before(m.wish)) {
			users = append(users, u)
		}
	}
	slices.SortFunc(users, func(x, y *user) int {
		return cmp.Or(a.members[x].since.Compare(a.members[y].since), cmp.Compare(x.id, y.id))
	})
	return users
}

func (a *arena) playing(u *user) bool {
	return slices.ContainsFunc(a.server.running(u), func(g *game) bool { return g.arena == a })
}

func (a *arena) startGame(u, v *user) {
	s := a.server
	a.games++
	spec := ChallengeSpec{Limit: a.Limit, Increment: a.Increment, Rated: a.Rated, Variant: a.Variant}
	g := s.startGame(&challenge{ChallengeSpec: spec, id: s.random.id(8), from: u, to: v, final: colors[s.random.intN(2)], arena: a})
	g.expectFirstMove()
}

// played lets the players of a finished game wait for the next: a program has to
// say that it wants one.
func (a *arena) played(g *game) {
	for _, u := range g.players {
		if m := a.members[u]; m != nil {
			m.since, m.wish = g.endedAt, time.Time{}
		}
	}
	s := a.server
	s.start(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		a.pair()
	})
}

// firstMove is how long a player may take for a first move.
func (g *game) firstMove() time.Duration {
	if g.arena.FirstMove > 0 {
		return g.arena.FirstMove
	}
	switch g.spec.speed() {
	case "bullet":
		return 16 * time.Second
	case "blitz":
		return 21 * time.Second
	case "rapid":
		return 25 * time.Second
	}
	return 30 * time.Second
}

// expectFirstMove ends a game of an arena whose player to move does not begin.
func (g *game) expectFirstMove() {
	stopTimer(g.expiry)
	ply := g.rules.Ply()
	if g.arena == nil || ply >= 2 || g.over() {
		return
	}
	g.idleSince = time.Now()
	g.expiry = time.AfterFunc(g.firstMove(), func() {
		g.server.mu.Lock()
		defer g.server.mu.Unlock()
		if g.rules.Ply() == ply {
			g.server.endGame(g, "noStart", colors[1-g.turn()])
		}
	})
}

// expiration is the time that a first move may take, all of it, and how much has
// passed, as streams show it; nil if there is no such limit.
func (g *game) expiration(now time.Time) object {
	if g.arena == nil || g.rules.Ply() >= 2 || g.over() {
		return nil
	}
	return object{"idleMillis": now.Sub(g.idleSince).Milliseconds(), "millisToMove": g.firstMove().Milliseconds()}
}
