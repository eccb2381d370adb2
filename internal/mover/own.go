package mover

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// ownSearch is our engine, as the bot asks for it.
type ownSearch struct {
	engine  *engine.Engine
	network *engine.Network
	skill   int           // level of play
	seed    func() uint64 // seeds the choice of a level below the highest
}

// newOwnSearch makes our engine. It shares the threads of another one, unless that is nil.
func newOwnSearch(s *Settings, share *engine.Engine) (*ownSearch, error) {
	network, err := engine.OpenNetwork(s.Network)
	if err != nil {
		return nil, fmt.Errorf("engine.network: %w", err)
	}
	o := &ownSearch{network: network, skill: s.Skill, seed: rand.Uint64}
	if share != nil {
		o.engine = share.NewSharing(s.HashMB, network)
	} else {
		o.engine = engine.New(engine.Options{Threads: s.Threads, HashMB: s.HashMB, Network: network})
	}
	return o, nil
}

// Search passes limits down and scores up.
func (o *ownSearch) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(event.SearchInfo)) (game.SearchResult, error) {
	r, err := o.engine.Search(ctx, g, o.limits(&l), convertReports(report))
	var panicked *engine.PanicError
	if errors.As(err, &panicked) {
		err = &game.PanicError{Value: panicked.Value, Stack: panicked.Stack}
	}
	return game.SearchResult{Move: r.Move, Ponder: r.Ponder, Info: botInfo(r.Info)}, err
}

func (o *ownSearch) limits(l *game.SearchLimits) engine.Limits {
	limits := engineLimits(l)
	if !l.FullStrength {
		limits.Strength = o.strength()
	}
	return limits
}

// strength returns how well to play a move. Chance differs from search to search,
// so that nobody can win the same game again.
func (o *ownSearch) strength() engine.Strength { return engine.StrengthFromSkill(o.skill, o.seed()) }

// engineLimits returns the limits at full strength.
func engineLimits(l *game.SearchLimits) engine.Limits {
	return engine.Limits{
		White: l.White, Black: l.Black, WhiteInc: l.WhiteInc, BlackInc: l.BlackInc,
		Overhead: l.Overhead, MoveTime: l.MoveTime, Nodes: l.Nodes, SearchMoves: l.Moves,
		Ponder: l.Ponder, Sharpness: l.Sharpness, Plain: l.Plain,
	}
}

// convertReports returns what passes an engine's reports on, nil for nil.
func convertReports(report func(event.SearchInfo)) func(engine.Info) {
	if report == nil {
		return nil
	}
	return func(i engine.Info) { report(botInfo(i)) }
}

func botInfo(i engine.Info) event.SearchInfo {
	score := pgn.Score{Centipawns: int(i.Score)}
	if moves, mate := i.Score.MateIn(); mate {
		score = pgn.Score{Mate: moves}
	}
	return event.SearchInfo{Depth: i.Depth, Score: score, Nodes: i.Nodes, NPS: i.NPS, Time: i.Time, PV: i.PV}
}
