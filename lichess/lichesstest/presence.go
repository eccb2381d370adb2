package lichesstest

import "time"

// presence is whether a player of a game is there: for a client, whether it
// has the game's stream open; a player of the server's own is there unless it
// leaves.
type presence struct {
	streams map[string]*subscriber // open ones, by User-Agent
	left    bool                   // a player of the server's own went away
	gone    time.Time              // since when the player counts as gone, zero if there
	timer   *time.Timer            // for the next notice
}

// goneInterval is how often an absence is told again.
const goneInterval = 5 * time.Second

// present reports whether a player is there.
func (g *game) present(side int) bool {
	p := &g.presence[side]
	if g.players[side].player != nil {
		return !p.left
	}
	return len(p.streams) > 0
}

// leave notes that a player may have gone.
func (g *game) leave(side int) {
	p := &g.presence[side]
	if g.over() || g.present(side) {
		return
	}
	stopTimer(p.timer)
	p.timer = time.AfterFunc(g.server.opts.LeaveAfter, func() { g.announceGone(side) })
}

// enter notes that a player is there again.
func (g *game) enter(side int) {
	p := &g.presence[side]
	stopTimer(p.timer)
	if !p.gone.IsZero() {
		p.gone = time.Time{}
		g.tell(1-side, object{"type": "opponentGone", "gone": false})
	}
}

// announceGone tells the opponent of an absence, and again until it ends. Only
// games with a clock in which both have moved have such notices.
func (g *game) announceGone(side int) {
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	if g.over() || g.present(side) {
		return
	}
	now, p := time.Now(), &g.presence[side]
	if p.gone.IsZero() {
		p.gone = now
	}
	next := goneInterval
	if g.clock.kind == realTime && g.rules.Ply() >= 2 {
		in := g.claimableIn(side, now)
		seconds := int64((in + time.Second - 1) / time.Second)
		g.tell(1-side, object{"type": "opponentGone", "gone": true, "claimWinInSeconds": seconds})
		if in > 0 {
			next = min(next, in)
		}
	}
	p.timer = time.AfterFunc(next, func() { g.announceGone(side) })
}

// never is longer than any absence.
const never = 1<<63 - 1

// claimableIn returns how long it takes until the opponent of an absent player
// can claim; never for one who is there.
func (g *game) claimableIn(side int, now time.Time) time.Duration {
	gone := g.presence[side].gone
	if gone.IsZero() || g.rules.Ply() < 2 || g.spec.has("noClaimWin") {
		return never
	}
	return max(0, g.claimAfter()-now.Sub(gone))
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
