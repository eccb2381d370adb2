package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Limits on requests to the explorer.
const (
	explorerPlies     = 20               // deeper, no position has been played often
	explorerMinClock  = 20 * time.Second // with less on the clock there is no question
	explorerShare     = 50               // of the clock, one part for a question,
	explorerMaxWait   = time.Second      // and never more than this
	explorerPause     = time.Minute      // without a question after one that failed
	explorerCacheSize = 4096             // positions that are remembered
)

// A move of the explorer is good enough if it was played in so many games.
const explorerMinGames = 20

// explorer picks moves that scored well on Lichess. Each position is requested at
// most once; without an answer in time, the search uses the time that is left.
type explorer struct {
	client *lichess.Explorer
	log    zerolog.Logger
	now    func() time.Time

	mu          sync.Mutex
	cache       map[uint64][]book.Move // by position; no moves if there was no answer
	order       []uint64               // the keys of known, oldest first
	inFlight    bool                   // a question is under way
	pausedUntil time.Time              // no question before
}

// newExplorer returns the configured explorer, nil for none.
func newExplorer(c *config.Config, log zerolog.Logger) (*explorer, error) {
	if !c.Explorer.Enabled {
		return nil, nil
	}
	secret, err := c.ExplorerToken(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	token, err := lichess.NewToken(secret.Reveal())
	if err != nil {
		return nil, err
	}
	client, err := lichess.NewExplorer(lichess.Options{Token: token, URL: c.Explorer.URL, Version: version()})
	if err != nil {
		return nil, err
	}
	return newExplorerWithClient(client, log), nil
}

func newExplorerWithClient(client *lichess.Explorer, log zerolog.Logger) *explorer {
	return &explorer{client: client, log: log, now: time.Now, cache: map[uint64][]book.Move{}}
}

// pick returns a move that was played well in the game's position, if one is
// known or found in time.
func (e *explorer) pick(ctx context.Context, g *rules.Game, l search.Limits, draw func(n int) int) (rules.Move, bool) {
	if e == nil || g.Ply() >= explorerPlies || g.Repetitions() > 1 {
		return rules.NoMove, false
	}
	moves := book.Among(e.moves(ctx, g.Position(), explorerWait(l, g.Position().Turn())), l.Moves)
	if len(moves) == 0 {
		return rules.NoMove, false
	}
	return book.Choose(moves, draw).Move, true
}

// explorerWait returns how long to wait for an answer, 0 if there is no time for a
// question.
func explorerWait(l search.Limits, us rules.Color) time.Duration {
	wait, own := explorerMaxWait, l.White
	if us == rules.Black {
		own = l.Black
	}
	if own > 0 {
		if own < explorerMinClock {
			return 0
		}
		wait = min(wait, own/explorerShare)
	}
	if l.MoveTime > 0 {
		wait = min(wait, l.MoveTime/2)
	}
	return wait
}

// moves returns what is known about a position, if need be from a question.
func (e *explorer) moves(ctx context.Context, p *rules.Position, wait time.Duration) []book.Move {
	if moves, ask := e.lookUp(p.Key(), wait > 0); !ask {
		return moves
	}
	asking, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	o, err := e.client.Crazyhouse(asking, p.FEN())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inFlight = false
	switch {
	case err != nil && ctx.Err() != nil:
		return nil // the game has moved on
	case err != nil:
		e.pause(err)
		return nil
	}
	moves := filterMoves(p, o)
	if _, kept := e.cache[p.Key()]; kept {
		e.cache[p.Key()] = moves
	}
	return moves
}

// lookUp returns the cached moves of a position, or that it is to be requested
// now. From then on it is cached.
func (e *explorer) lookUp(key uint64, may bool) (moves []book.Move, ask bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	moves, known := e.cache[key]
	if known || !may || e.inFlight || e.now().Before(e.pausedUntil) {
		return moves, false
	}
	if len(e.order) == explorerCacheSize {
		delete(e.cache, e.order[0])
		e.order = e.order[1:]
	}
	e.cache[key], e.order, e.inFlight = nil, append(e.order, key), true
	return nil, true
}

// pause suspends requests for a while: an explorer that does not answer would cost
// time in every move.
func (e *explorer) pause(err error) {
	pause := explorerPause
	var limited *lichess.RateLimitError
	if errors.As(err, &limited) {
		pause = max(pause, limited.RetryAfter)
	}
	e.pausedUntil = e.now().Add(pause)
	e.log.Warn().Err(err).Stringer("pause", pause).Msg("opening explorer does not answer")
}

// filterMoves returns the legal moves that were played often enough and scored no
// less than all together. As in books, a move weighs two for each win and one for each
// draw.
func filterMoves(p *rules.Position, o *lichess.Opening) (moves []book.Move) {
	points := func(m lichess.OpeningMove) int {
		if p.Turn() == rules.White {
			return 2*m.White + m.Draws
		}
		return 2*m.Black + m.Draws
	}
	games, all := 0, 0
	for _, m := range o.Moves {
		move, err := p.ParseUCI(m.UCI)
		if err != nil {
			continue // the network may say what it likes
		}
		games, all = games+m.Games(), all+points(m)
		if m.Games() >= explorerMinGames && points(m) > 0 {
			moves = append(moves, book.Move{Move: move, Weight: points(m), Games: m.Games()})
		}
	}
	return slices.DeleteFunc(moves, func(m book.Move) bool {
		return float64(m.Weight)*float64(games) < float64(all)*float64(m.Games)
	})
}

func (e *explorer) close() {
	if e != nil {
		e.client.Close()
	}
}

// explorer asks the opening explorer, if it is to be used, about the start
// position.
func (k *checker) explorer(ctx context.Context, c *config.Config) {
	e, err := newExplorer(c, zerolog.Nop())
	if err != nil {
		k.reportProblem("explorer", err, "")
		return
	}
	if e == nil {
		return
	}
	defer e.close()
	start := rules.StartPosition()
	o, err := e.client.Crazyhouse(ctx, start.FEN())
	if err != nil {
		k.reportProblem("explorer", err, "is explorer.url right, and its token not revoked? Or set explorer.enabled to false")
		return
	}
	k.reportOK("explorer: %s answers, %d moves in the start position", c.Explorer.URL, len(o.Moves))
}
