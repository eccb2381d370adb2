package lichesstest

import (
	"cmp"
	"time"
)

// presence is whether a player of a game is online. A program is online while it has
// the game's stream open, and for leaveAfter longer; a scripted player unless
// it leaves.
//
// The absence of a human on the website starts when the player leaves. That of an API
// player is counted from the start of the game: an open stream hides it, but does not
// end it.
type presence struct {
	streams map[string]*subscriber // open ones, by User-Agent
	closed  time.Time              // when the last of them ended, or the game began
	absent  time.Duration          // how long there was none before
	left    bool                   // a scripted player left
	offline time.Time              // start of the absence; zero if there is none
}

// absence returns how long there was no stream.
func (p *presence) absence(now time.Time) time.Duration {
	if len(p.streams) > 0 {
		return p.absent
	}
	return p.absent + max(0, now.Sub(p.closed))
}

const (
	// leaveAfter is how long after the end of its stream a player counts as gone.
	leaveAfter = time.Second
	// presenceInterval is the time between presence checks. A shorter absence is not
	// announced.
	presenceInterval = 5 * time.Second
)

// initPresence sets the presence of both players at the start of a game.
func (g *game) initPresence() {
	for side, u := range g.players {
		g.presence[side].streams, g.presence[side].closed = map[string]*subscriber{}, g.created
		if u.bot() || u.player == nil {
			g.presence[side].offline = g.created
		}
	}
}

// online reports whether a player is online.
func (g *game) online(side int, now time.Time) bool {
	p := &g.presence[side]
	if g.players[side].player != nil {
		return !p.left
	}
	return len(p.streams) > 0 || now.Sub(p.closed) < leaveAfter
}

// rejoin marks a scripted player as returned. The opponent is notified of the return of a
// human only.
func (g *game) rejoin(side int) {
	p := &g.presence[side]
	if p.left && !g.players[side].bot() {
		p.offline = time.Time{}
		if g.claimable() && g.bothMoved() {
			g.send(1-side, object{"type": "opponentGone", "gone": false})
		}
	}
	p.left = false
}

// watchPresence checks the presence in all games at regular intervals.
func (s *Server) watchPresence() {
	tick := time.NewTicker(presenceInterval)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case now := <-tick.C:
			s.do(func() {
				for _, g := range s.games {
					g.announceAbsence(now)
				}
			})
		}
	}
}

// minClockLeft is how much longer than the wait for a claim an absent player's clock
// must run for the wait to be announced.
const minClockLeft = 3 * time.Second

// announceAbsence notifies a player who is online that the opponent is not, and when
// a claim is possible.
func (g *game) announceAbsence(now time.Time) {
	if !g.claimable() || !g.bothMoved() {
		return
	}
	for side := range g.players {
		if g.online(side, now) || !g.online(1-side, now) || now.Sub(g.presence[side].offline) <= presenceInterval {
			continue
		}
		if in := g.claimIn(side, now); in <= 0 || g.clock.timeLeft(side, now) > in+minClockLeft {
			g.send(1-side, object{"type": "opponentGone", "gone": true, "claimWinInSeconds": max(0, in) / time.Second})
		}
	}
}

// claimable reports whether a win or draw can be claimed against a player who left.
func (g *game) claimable() bool {
	begun := g.rules.Ply() >= 2 || g.arena != nil
	return !g.over() && begun && g.clock.kind == realTime && !g.spec.has("noClaimWin")
}

// bothMoved reports whether both players have made a move.
func (g *game) bothMoved() bool { return g.rules.Ply() >= 2 }

// never is longer than any absence.
const never time.Duration = 1<<63 - 1

// claimIn returns the time until the opponent of an absent player can claim, negative
// if that time has passed; never for a player who is online.
func (g *game) claimIn(side int, now time.Time) time.Duration {
	if g.online(side, now) {
		return never
	}
	after := cmp.Or(g.server.opts.ClaimAfter, claimAfter[g.spec.speed()], defaultClaimAfter)
	return after - now.Sub(g.presence[side].offline)
}

// claimAfter is how long a player must be absent before a claim, by speed, and
// defaultClaimAfter that at faster ones.
var claimAfter = map[string]time.Duration{
	"blitz": time.Minute, "rapid": 2 * time.Minute, "classical": 5 * time.Minute,
}

const defaultClaimAfter = 30 * time.Second

func stopTimer(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}
