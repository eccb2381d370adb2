// Package player chooses the bot's moves: from opening books, from Lichess's
// opening explorer, or by the engine's search. [Player] implements [search.Engine].
package player

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/resources"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Player finds moves for the bot. It is shared by all games.
type Player struct {
	engine   *engine.Engine
	network  string // name of the evaluation network
	openings *openings
	skill    int           // level of play
	seed     func() uint64 // seeds the choice of a level below the highest
}

// New makes the player of the settings and gives the scheduler of Go two threads
// more than the search has, so that sockets are read in time.
func New(c *config.Config, log zerolog.Logger) (*Player, error) {
	network, err := engine.OpenNetwork(c.Engine.Network)
	if err != nil {
		return nil, fmt.Errorf("engine.network: %w", err)
	}
	openings, err := newOpenings(c, log)
	if err != nil {
		return nil, err
	}
	threads := c.Engine.SearchThreads(resources.Cores())
	runtime.GOMAXPROCS(threads + 2)
	return &Player{
		engine:  engine.New(engine.Options{Threads: threads, HashMB: c.Engine.HashSize(resources.Memory()), Network: network}),
		network: engine.NetworkName(network), openings: openings,
		skill: c.Engine.Skill, seed: rand.Uint64,
	}, nil
}

// Network returns the name of the evaluation network, as it is recorded.
func (p *Player) Network() string { return p.network }

// Reload opens the books of changed settings. If one cannot be read, the old ones
// stay, and the log says so.
func (p *Player) Reload(s *config.Search, log zerolog.Logger) {
	if err := p.openings.open(s); err != nil {
		log.Error().Err(err).Msg("books not reloaded: the old ones stay")
	}
}

// Close ends the connections to the opening explorer.
func (p *Player) Close() { p.openings.explorer.Close() }

// Search implements search.Engine. A move out of a book is no search: it comes
// without depth and score.
func (p *Player) Search(ctx context.Context, g *rules.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	start := time.Now()
	if m, ok := p.openings.pick(ctx, g, l); ok {
		return search.Result{Move: m}, nil
	}
	l = subtractElapsed(l, g.Position().Turn(), time.Since(start))
	var onInfo func(engine.Info)
	if report != nil {
		onInfo = func(i engine.Info) { report(botInfo(i)) }
	}
	r, err := p.engine.Search(ctx, g, engine.Limits{
		White: l.White, Black: l.Black, WhiteInc: l.WhiteInc, BlackInc: l.BlackInc,
		Overhead: l.Overhead, MoveTime: l.MoveTime, Nodes: l.Nodes, SearchMoves: l.Moves,
		Ponder: l.Ponder, Sharpness: l.Sharpness, Plain: l.Plain, Strength: p.strength(),
	}, onInfo)
	var panicked *engine.PanicError
	if errors.As(err, &panicked) {
		err = &search.PanicError{Value: panicked.Value, Stack: panicked.Stack}
	}
	return search.Result{Move: r.Move, Ponder: r.Ponder, Info: botInfo(r.Info)}, err
}

// strength returns how well to play a move. Chance differs from search to search,
// so that nobody can win the same game again.
func (p *Player) strength() engine.Strength { return engine.StrengthFromSkill(p.skill, p.seed()) }

// subtractElapsed returns what limits leave once some time is gone.
func subtractElapsed(l search.Limits, us rules.Color, spent time.Duration) search.Limits {
	own := &l.White
	if us == rules.Black {
		own = &l.Black
	}
	for _, left := range []*time.Duration{own, &l.MoveTime} {
		if *left > 0 { // 0 is no limit
			*left = max(*left-spent, time.Millisecond)
		}
	}
	return l
}

func botInfo(i engine.Info) search.Info {
	score := pgn.Score{Centipawns: int(i.Score)}
	if moves, mate := i.Score.MateIn(); mate {
		score = pgn.Score{Mate: moves}
	}
	return search.Info{Depth: i.Depth, Score: score, Nodes: i.Nodes, NPS: i.NPS, Time: i.Time, PV: i.PV}
}
