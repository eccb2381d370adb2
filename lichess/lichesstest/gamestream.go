package lichesstest

import (
	"net/http"
	"time"
)

// streamGame streams a game. As on Lichess, the game is read for the first line
// before its moves are subscribed to: a move in between is in neither, and nothing
// on the stream ever tells. The first line may also come after that of a later move.
func (s *Server) streamGame(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	g := s.find(w, r, u)
	if g == nil {
		s.mu.Unlock()
		return
	}
	side, sub := g.side(u), newSubscriber()
	sub.left, sub.lost = g.clockOf(side), g.loserOf(side)
	full, over := g.full(), g.over()
	s.mu.Unlock()

	if over {
		sub.send(full)
		sub.end()
	} else {
		s.Faults.spoilOpening(sub, sub.left())
		s.mu.Lock()
		g.subscribe(side, r.UserAgent(), sub)
		s.mu.Unlock()
		sub.sendFirst(full)
	}

	if s.delay(r.Context(), sub) {
		s.serve(w, r, sub)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g.unsubscribe(side, r.UserAgent(), sub)
}

// subscribe adds a stream. It ends an older one of the same program, which still
// gets the lines that wait for it.
func (g *game) subscribe(side int, agent string, sub *subscriber) {
	streams := g.presence[side].streams
	streams[agent].end()
	streams[agent] = sub
	g.presence[side].without.end(time.Now())
	g.outages[side].end(time.Now())
}

func (g *game) unsubscribe(side int, agent string, sub *subscriber) {
	if p := &g.presence[side]; p.streams[agent] == sub {
		delete(p.streams, agent)
		p.closed = time.Now()
		if len(p.streams) == 0 && !g.over() {
			p.without.begin(p.closed)
		}
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

// broadcastMove sends the line of a move, which some streams miss.
func (g *game) broadcastMove() {
	line, now := g.state(), time.Now()
	for side := range g.presence {
		for _, sub := range g.presence[side].streams {
			if sub.sendMove(line) {
				g.outages[side].add("miss", now, missGrant)
			}
		}
	}
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
