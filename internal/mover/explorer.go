package mover

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

const (
	maxPly    = 20          // deeper, no position has been played often
	minGames  = 20          // that a move was played in, to be good enough
	pauseTime = time.Minute // without a request after one that failed
	cacheSize = 4096        // positions that are remembered; then all are forgotten
)

// Explorer picks moves that scored well in the games of Lichess's opening explorer. A
// position that is remembered is not requested again, and there is one request at a time. It
// is safe for concurrent use; a nil one knows no moves.
type Explorer struct {
	client *lichess.Explorer
	log    zerolog.Logger
	now    func() time.Time

	mu          sync.Mutex
	cache       map[uint64][]book.Move // by position; no moves if there was no answer
	inFlight    bool                   // a request is in progress
	pausedUntil time.Time              // no request before
}

// NewExplorer returns the explorer of the settings, nil if it is not enabled.
func NewExplorer(c *config.Config, o Options) (*Explorer, error) {
	if !c.Explorer.Enabled {
		return nil, nil
	}
	secret, err := c.ExplorerToken()
	if err != nil {
		return nil, err
	}
	token, err := lichess.NewToken(secret.Reveal())
	if err != nil {
		return nil, err
	}
	client, err := lichess.NewExplorer(lichess.Options{Token: token, URL: c.Explorer.URL, UserAgent: o.UserAgent})
	if err != nil {
		return nil, err
	}
	return newExplorer(client, o.Log), nil
}

func newExplorer(client *lichess.Explorer, log zerolog.Logger) *Explorer {
	return &Explorer{client: client, log: log, now: time.Now, cache: map[uint64][]book.Move{}}
}

// Pick returns a move that scored well in the game's position, if one is known or found
// within the given time; with none, only what is known counts. If allowed is not empty,
// only its moves are chosen. draw returns a random number from 0 to n-1.
func (e *Explorer) Pick(ctx context.Context, g *rules.Game, wait time.Duration, allowed []rules.Move,
	draw func(n int) int) (rules.Move, bool) {
	if e == nil || g.Ply() >= maxPly || g.Repetitions() > 1 {
		return rules.NoMove, false
	}
	moves := book.Filter(e.moves(ctx, g.Position(), wait), allowed)
	if len(moves) == 0 {
		return rules.NoMove, false
	}
	return book.PickWeighted(moves, draw).Move, true
}

// CountMoves queries the start position and returns how many moves the explorer has
// there.
func (e *Explorer) CountMoves(ctx context.Context) (int, error) {
	start := rules.StartPosition()
	o, err := e.client.Opening(ctx, lichess.Crazyhouse, start.FEN())
	if err != nil {
		return 0, err
	}
	return len(o.Moves), nil
}

// moves returns what is known about a position, from a request if necessary.
func (e *Explorer) moves(ctx context.Context, p *rules.Position, wait time.Duration) []book.Move {
	if moves, ask := e.lookUp(p.Key(), wait > 0); !ask {
		return moves
	}
	requesting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	o, err := e.client.Opening(requesting, lichess.Crazyhouse, p.FEN())
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
func (e *Explorer) lookUp(key uint64, may bool) (moves []book.Move, ask bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	moves, known := e.cache[key]
	if known || !may || e.inFlight || e.now().Before(e.pausedUntil) {
		return moves, false
	}
	if len(e.cache) == cacheSize {
		clear(e.cache)
	}
	e.cache[key], e.inFlight = nil, true
	return nil, true
}

// pause suspends requests for a while: an explorer that does not answer would cost
// time in every move.
func (e *Explorer) pause(err error) {
	pause := pauseTime
	if limited, ok := errors.AsType[*lichess.RateLimitError](err); ok {
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
			continue // illegal here: the response is untrusted
		}
		games, all = games+m.Games(), all+points(m)
		if m.Games() >= minGames && points(m) > 0 {
			moves = append(moves, book.Move{Move: move, Weight: points(m), Games: m.Games()})
		}
	}
	return slices.DeleteFunc(moves, func(m book.Move) bool {
		return float64(m.Weight)*float64(games) < float64(all)*float64(m.Games)
	})
}

// Close ends the connections.
func (e *Explorer) Close() {
	if e != nil {
		e.client.Close()
	}
}
