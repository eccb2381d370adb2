package lichesstest

import "time"

// presence is whether a player of a game is there. A program is there while it
// has the game's stream open, and a moment longer; a player of the server's own
// unless it leaves.
//
// A human player is at the website, where an absence begins when the player
// leaves. That of a player who plays by the API is counted from the start of the
// game: an open stream hides it, but does not end it.
type presence struct {
	streams map[string]*subscriber // open ones, by User-Agent
	closed  time.Time              // when the last of them was
	without streamless             // when there was none
	left    bool                   // a player of the server's own went away
	offline time.Time              // since when the player counts as away; zero if it does not
}

// arrive lets both players begin their game.
func (g *game) arrive() {
	for side, u := range g.players {
		g.presence[side].streams = map[string]*subscriber{}
		g.presence[side].without.begin(g.created)
		if u.bot() {
			g.presence[side].offline = g.created
		}
	}
}

// online reports whether a player is there.
func (g *game) online(side int, now time.Time) bool {
	p := &g.presence[side]
	if g.players[side].player != nil {
		return !p.left
	}
	return len(p.streams) > 0 || now.Sub(p.closed) < g.server.opts.LeaveAfter
}

// leave lets a player of the server's own go away.
func (g *game) leave(side int, now time.Time) {
	p := &g.presence[side]
	p.left = true
	if p.offline.IsZero() {
		p.offline = now
	}
}

// enter lets a player of the server's own come back. The opponent is told only
// of the return of a player at the website who could have lost by a claim.
func (g *game) enter(side int, now time.Time) {
	p, longGone := &g.presence[side], g.claimIn(side, now) <= 0
	p.left = false
	if !g.players[side].bot() {
		p.offline = time.Time{}
		if longGone && g.claimable() && g.bothMoved() {
			g.tell(1-side, object{"type": "opponentGone", "gone": false})
		}
	}
}

// watchPresence looks at all games at once, every few seconds.
func (s *Server) watchPresence() {
	tick := time.NewTicker(s.opts.PresenceInterval)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case now := <-tick.C:
			s.mu.Lock()
			for _, g := range s.games {
				g.announceAbsence(now)
			}
			s.mu.Unlock()
		}
	}
}

// leastRest is how much longer than the wait for a claim the clock of an absent
// player must run for the wait to be told.
const leastRest = 3 * time.Second

// announceAbsence tells a player who is there that the other one is not, and
// when a claim is due.
func (g *game) announceAbsence(now time.Time) {
	if !g.claimable() || !g.bothMoved() {
		return
	}
	for side := range g.players {
		if g.online(side, now) || !g.online(1-side, now) || now.Sub(g.presence[side].offline) <= g.server.opts.PresenceInterval {
			continue
		}
		if in := g.claimIn(side, now); in <= 0 || g.clock.left(side, now) > in+leastRest {
			g.tell(1-side, object{"type": "opponentGone", "gone": true, "claimWinInSeconds": max(0, in) / time.Second})
		}
	}
}

// claimable reports whether the end of a game can be claimed against a player
// who left.
func (g *game) claimable() bool {
	begun := g.rules.Ply() >= 2 || g.arena != nil
	return !g.over() && begun && g.clock.kind == realTime && !g.spec.has("noClaimWin")
}

// bothMoved reports whether both players have made a move.
func (g *game) bothMoved() bool { return g.rules.Ply() >= 2 }

// never is longer than any absence.
const never = 1<<63 - 1

// claimIn returns how long it takes until the opponent of an absent player can
// claim, negative if that time has passed; never for one who is there.
func (g *game) claimIn(side int, now time.Time) time.Duration {
	if g.online(side, now) {
		return never
	}
	return g.claimAfter() - now.Sub(g.presence[side].offline)
}

// claimAfter is how long a player must be away.
func (g *game) claimAfter() time.Duration {
	const base = 40 * time.Second
	switch speed := g.spec.speed(); {
	case speed == correspondence:
		return 30 * day
	case g.server.opts.ClaimAfter > 0:
		return g.server.opts.ClaimAfter
	case speed == "rapid":
		return 2 * base
	case speed == "classical":
		return 3 * base
	}
	return base
}

func stopTimer(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}
