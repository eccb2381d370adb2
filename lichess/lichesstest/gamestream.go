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
	sub.left, sub.lost = g.clockOf(side), g.loserOf(side)
	sub.send(g.full())
	if g.over() {
		sub.end()
	} else {
		g.subscribe(side, r.UserAgent(), sub)
	}
	s.mu.Unlock()

	s.serve(w, r, sub)
	s.mu.Lock()
	defer s.mu.Unlock()
	g.unsubscribe(side, r.UserAgent(), sub)
}

// subscribe adds a stream. It ends an older one of the same program.
func (g *game) subscribe(side int, agent string, sub *subscriber) {
	streams := g.presence[side].streams
	streams[agent].close()
	streams[agent] = sub
	g.outages[side].end(time.Now())
	g.enter(side)
}

func (g *game) unsubscribe(side int, agent string, sub *subscriber) {
	if streams := g.presence[side].streams; streams[agent] == sub {
		delete(streams, agent)
		g.leave(side)
	}
}

// clockOf returns what says how much time a player has left.
func (g *game) clockOf(side int) func() time.Duration {
	return func() time.Duration {
		g.server.mu.Lock()
		defer g.server.mu.Unlock()
		return g.clock.left(side, time.Now())
	}
}

// loserOf returns what is told that a player's stream has lost a line.
func (g *game) loserOf(side int) func(kind string, grant time.Duration) {
	return func(kind string, grant time.Duration) {
		g.server.mu.Lock()
		defer g.server.mu.Unlock()
		g.outages[side].add(kind, time.Now(), grant)
	}
}

// tell sends a line to one player.
func (g *game) tell(side int, v any) {
	for _, sub := range g.presence[side].streams {
		sub.send(v)
	}
}

// broadcast sends a line to both players.
func (g *game) broadcast(v any) {
	g.tell(0, v)
	g.tell(1, v)
}

// endStreams lets the streams end after what was sent.
func (g *game) endStreams() {
	for side := range g.presence {
		for _, sub := range g.presence[side].streams {
			sub.end()
		}
	}
}

// closeStreams cuts the streams.
func (g *game) closeStreams() {
	for side := range g.presence {
		for _, sub := range g.presence[side].streams {
			sub.close()
		}
	}
}
