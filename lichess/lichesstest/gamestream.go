package lichesstest

import (
	"net/http"
	"time"
)

// streamGame streams a game. As on Lichess, the game is read for the first line
// before the stream subscribes to its moves: a move in between is lost without a
// trace. The first line may also be sent after that of a later move.
func (s *Server) streamGame(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	g := s.findGame(w, r, u)
	if g == nil {
		s.mu.Unlock()
		return
	}
	side, sub := g.side(u), newSubscriber()
	sub.timeLeft, sub.onLost = g.clockReader(side), g.lineDropReporter(side)
	full, over := g.full(), g.over()
	s.mu.Unlock()

	if over {
		sub.send(full)
		sub.end()
	} else {
		s.Faults.openingFaults(sub, sub.timeLeft())
		s.mu.Lock()
		g.subscribe(side, r.UserAgent(), sub)
		s.mu.Unlock()
		sub.sendFirst(full)
	}

	if s.delay(r.Context(), sub) {
		s.serveStream(w, r, sub)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g.unsubscribe(side, r.UserAgent(), sub)
}

// subscribe adds a stream. It ends an older one of the same program after its queued
// lines.
func (g *game) subscribe(side int, agent string, sub *subscriber) {
	streams := g.presence[side].streams
	streams[agent].end()
	streams[agent] = sub
	g.presence[side].noStream.stop(time.Now())
	g.outages[side].end(time.Now())
}

func (g *game) unsubscribe(side int, agent string, sub *subscriber) {
	if p := &g.presence[side]; p.streams[agent] == sub {
		delete(p.streams, agent)
		p.closed = time.Now()
		if len(p.streams) == 0 && !g.over() {
			p.noStream.start(p.closed)
		}
	}
}

// clockReader returns a function that returns a player's remaining time.
func (g *game) clockReader(side int) func() time.Duration {
	return func() time.Duration {
		g.server.mu.Lock()
		defer g.server.mu.Unlock()
		return g.clock.timeLeft(side, time.Now())
	}
}

// lineDropReporter returns a function that records an outage of a player's stream.
func (g *game) lineDropReporter(side int) func(kind string, grant time.Duration) {
	return func(kind string, grant time.Duration) {
		g.server.mu.Lock()
		defer g.server.mu.Unlock()
		g.outages[side].add(kind, time.Now(), grant)
	}
}

// tell sends a line to one player.
func (g *game) send(side int, v any) {
	for _, sub := range g.presence[side].streams {
		sub.send(v)
	}
}

// broadcast sends a line to both players.
func (g *game) broadcast(v any) {
	g.send(0, v)
	g.send(1, v)
}

// broadcastMove sends the line of a move and records the streams that drop it.
func (g *game) broadcastMove() {
	line, now := g.state(), time.Now()
	for side := range g.presence {
		for _, sub := range g.presence[side].streams {
			if sub.sendMove(line) {
				g.outages[side].add("miss", now, dropAllowance)
			}
		}
	}
}

// endStreams ends the streams after their queued lines.
func (g *game) endStreams() {
	for side := range g.presence {
		for _, sub := range g.presence[side].streams {
			sub.end()
		}
	}
}

// closeStreams closes the streams at once.
func (g *game) closeStreams() {
	for side := range g.presence {
		for _, sub := range g.presence[side].streams {
			sub.close()
		}
	}
}
