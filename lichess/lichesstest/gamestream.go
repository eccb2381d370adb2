package lichesstest

import "time"

// streamGame streams a game. Lichess reads the game for the first line before the
// stream subscribes to its moves, so that a move in between is lost without a trace,
// and the first line may be sent after that of a later move: both are [Faults] here.
func streamGame(r *request) any {
	g, side, sub := r.game, r.side, newSubscriber()
	sub.game, sub.side = g, side
	if g.over() {
		sub.send(g.full())
		sub.end()
		return sub
	}
	g.server.Faults.opening("game", sub, g.clock.timeLeft(side, time.Now()))
	g.subscribe(side, r.UserAgent(), sub)
	sub.onEnd = func() { g.unsubscribe(side, r.UserAgent(), sub) }
	sub.sendFirst(g.full())
	return sub
}

// subscribe adds a stream. It ends an older one of the same program after its queued
// lines.
func (g *game) subscribe(side int, agent string, sub *subscriber) {
	p := &g.presence[side]
	p.absent = p.absence(time.Now())
	p.streams[agent].end()
	p.streams[agent] = sub
}

func (g *game) unsubscribe(side int, agent string, sub *subscriber) {
	if p := &g.presence[side]; p.streams[agent] == sub {
		delete(p.streams, agent)
		p.closed = time.Now()
	}
}

// send sends a line to one player.
func (g *game) send(side int, v any) {
	for _, sub := range g.presence[side].streams {
		sub.send(v)
	}
}

// broadcast sends a line to both players.
func (g *game) broadcast(v any) { g.eachStream(func(sub *subscriber) { sub.send(v) }) }

// broadcastMove sends the line of a move.
func (g *game) broadcastMove() {
	line := g.state()
	g.eachStream(func(sub *subscriber) { sub.sendMove(line) })
}

// eachStream does something to the open streams of both players.
func (g *game) eachStream(do func(*subscriber)) {
	for side := range g.presence {
		for _, sub := range g.presence[side].streams {
			do(sub)
		}
	}
}
