package lichesstest

import (
	"cmp"
	"slices"
	"time"
)

// openingLimit is how many event streams a token may open.
var openingLimit = limit{key: "api.stream.event.bearer", credits: 30, period: 10 * time.Minute, text: dontPoll}

const dontPoll = "Please don't poll this endpoint, it is intended to be streamed. See " +
	"https://lichess.org/api#tag/Bot/operation/apiStreamEvent."

func (s *Server) streamEvents(r *request) any {
	u, secret := r.user, r.token.text
	if refused := r.token.openings.add(1, time.Now(), openingLimit); refused != nil {
		delete(refused.body, "ratelimit") // which this one lacks
		return refused
	}
	u.events[secret].end() // a token's second stream ends its first
	sub := newSubscriber()
	s.Faults.opening("events", sub, never)
	u.events[secret] = sub
	sub.onEnd = func() {
		if u.events[secret] == sub {
			delete(u.events, secret)
		}
	}
	for _, g := range s.gamesInProgress(u) {
		sub.send(object{"type": "gameStart", "game": g.info(u)})
	}
	for _, c := range s.waiting() {
		if c.to == u {
			sub.send(object{"type": "challenge", "challenge": c.object()})
		}
	}
	return sub
}

// gamesInProgress returns a user's games in progress, the most urgent first: those
// where it is the user's turn, then by time left.
func (s *Server) gamesInProgress(u *user) (games []*game) {
	for _, g := range s.games {
		if !g.over() && g.has(u) {
			games = append(games, g)
		}
	}
	now := time.Now()
	waits := func(g *game) int { return g.turn() ^ g.side(u) } // 0 on the user's turn, else 1
	slices.SortFunc(games, func(a, b *game) int {
		return cmp.Or(cmp.Compare(waits(a), waits(b)),
			cmp.Compare(a.clock.timeLeft(a.side(u), now), b.clock.timeLeft(b.side(u), now)), cmp.Compare(a.id, b.id))
	})
	return games
}

// notify sends an event to all of a user's programs.
func (u *user) notify(event object) {
	for _, sub := range u.events {
		sub.send(event)
	}
}

// closeEvents closes a user's event streams at once.
func (u *user) closeEvents() {
	for _, sub := range u.events {
		sub.close()
	}
}

// MuteEvents makes a user's open event streams send keep-alives only, as has happened
// on Lichess. If lost, the server has also forgotten the streams: the user counts as
// offline unless a game stream is open.
func (s *Server) MuteEvents(name string, lost bool) {
	s.change(name, func(u *user) {
		if clear(u.events); !lost {
			u.events[""] = newSubscriber() // which nobody reads
		}
	})
}
