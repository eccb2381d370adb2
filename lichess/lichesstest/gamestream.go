package lichesstest

import (
	"net/http"
	"time"
)

func (s *Server) streamGame(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	g := s.find(w, r, u)
	if g == nil {
		s.mu.Unlock()
		return
	}
	side, sub := g.side(u), newSubscriber()
	sub.send(g.full())
	if g.over() {
		sub.end()
	} else {
		if g.agents[side] == r.UserAgent() {
			g.streams[side].close()
		}
		g.streams[side], g.agents[side] = sub, r.UserAgent()
		g.back(side)
	}
	s.mu.Unlock()

	s.serve(w, r, sub)
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.streams[side] == sub {
		g.streams[side] = nil
		g.left(side)
	}
}

// leaveDelay is how long after the end of its stream a player counts as gone.
const leaveDelay = time.Second

// left notes that a player's stream ended.
func (g *game) left(side int) {
	if g.over() {
		return
	}
	g.away[side] = time.AfterFunc(leaveDelay, func() { g.announceGone(side) })
}

// back notes that a player is there again.
func (g *game) back(side int) {
	if t := g.away[side]; t != nil {
		t.Stop()
	}
	if !g.gone[side].IsZero() {
		g.gone[side] = time.Time{}
		g.streams[1-side].send(object{"type": "opponentGone", "gone": false})
	}
}

// goneInterval is how often an absence is repeated.
const goneInterval = 5 * time.Second

// announceGone tells the opponent, and again until the player is back.
func (g *game) announceGone(side int) {
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	if g.over() || g.streams[side] != nil {
		return
	}
	now := time.Now()
	if g.gone[side].IsZero() {
		g.gone[side] = now
	}
	if g.clock.kind == realTime && g.rules.Ply() >= 2 {
		in := g.claimableIn(side, now)
		g.streams[1-side].send(object{"type": "opponentGone", "gone": true, "claimWinInSeconds": int64((in + time.Second - 1) / time.Second)})
		if in > 0 {
			g.away[side] = time.AfterFunc(min(goneInterval, in), func() { g.announceGone(side) })
			return
		}
	}
	g.away[side] = time.AfterFunc(goneInterval, func() { g.announceGone(side) })
}

// claimableIn returns how long it takes until the opponent of an absent player
// can claim; never for one who is there.
func (g *game) claimableIn(side int, now time.Time) time.Duration {
	if g.gone[side].IsZero() {
		return unlimitedTime
	}
	wait := g.server.opts.ClaimAfter
	if wait == 0 {
		switch g.spec.speed() {
		case "rapid":
			wait = 80 * time.Second
		case "classical":
			wait = 120 * time.Second
		case "correspondence":
			wait = 30 * 24 * time.Hour
		default:
			wait = 40 * time.Second
		}
	}
	return max(0, wait-now.Sub(g.gone[side]))
}
