package play

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules"
)

// overhead is what a move of the engine loses between the search and the clock.
const overhead = 10 * time.Millisecond

// think starts the engine's search for its move.
func (s *Session) think() {
	ctx, cancel := context.WithCancel(context.Background())
	s.stopThinking = cancel
	revision, game, limits := s.state.Revision, s.state.Game.Clone(), s.limits()
	s.searches.Go(func() {
		defer cancel()
		r, err := s.o.Engine.Search(ctx, game, limits, nil)
		s.playEngineMove(revision, r.Move, err)
	})
}

// limits returns those of the engine's search now.
func (s *Session) limits() engine.Limits {
	l := engine.Limits{Strength: engine.StrengthFromSkill(s.state.Settings.Level, rand.Uint64())}
	switch c := s.state.Settings.Clock; {
	case !c.IsZero():
		l.White, l.Black, l.Overhead = s.left(rules.White), s.left(rules.Black), overhead
		l.WhiteInc, l.BlackInc = c.Increment, c.Increment
	case len(s.state.Game.Position().LegalMoves()) == 1: // with a clock, the engine plays it at once anyway
		l.MoveTime = time.Millisecond
	default:
		l.MoveTime = s.o.MoveTime
	}
	return l
}

// playEngineMove plays the move that a search has found, unless the game has changed
// meanwhile.
func (s *Session) playEngineMove(revision int, m rules.Move, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || revision != s.state.Revision {
		return
	}
	if err != nil {
		s.o.Log.Error().Err(err).Str("fen", s.state.Game.Position().FEN()).Msg("search failed")
	}
	if !s.state.Game.Position().IsLegal(m) { // there is one: the game is not over
		m = s.state.Game.Position().LegalMoves()[0]
	}
	s.play(m)
}

// Evaluation is the engine's evaluation of a position of the game, at full strength.
type Evaluation struct {
	web.Evaluation

	Ply int `json:"ply"` // of the position, 0 for the first one
}

// Evaluate starts an evaluation of the position after a number of plies, which replaces
// the previous evaluation. It is also possible while the game is paused or over.
func (s *Session) Evaluate(revision, ply int) error {
	return s.command(revision, func() error {
		switch {
		case s.stopThinking != nil:
			return ErrThinking
		case ply < 0 || ply > s.state.Game.Ply():
			return ErrStale
		}
		game := s.state.Game.Clone()
		game.TakeBack(game.Ply() - ply)
		if game.Position().IsCheckmate() || game.Position().IsStalemate() {
			return ErrOver
		}
		if s.stopEvaluating != nil {
			s.stopEvaluating()
		}
		ctx, cancel := context.WithCancel(context.Background())
		evaluation := &Evaluation{Ply: ply, Evaluation: web.Evaluation{Searching: true}}
		s.stopEvaluating, s.state.Evaluation = cancel, evaluation
		position := *game.Position()
		s.notify()
		s.searches.Go(func() {
			defer cancel()
			r, err := s.o.Engine.Search(ctx, game, engine.Limits{MoveTime: s.o.EvaluationTime}, func(i engine.Info) { s.reportEvaluation(evaluation, position, i, true) })
			if err != nil {
				s.o.Log.Error().Err(err).Str("fen", game.Position().FEN()).Msg("evaluation failed")
			}
			s.reportEvaluation(evaluation, position, r.Info, false)
		})
		return nil
	})
}

// reportEvaluation updates the evaluation of a position, unless another one or none has
// replaced it.
func (s *Session) reportEvaluation(e *Evaluation, p rules.Position, i engine.Info, running bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Evaluation != e {
		return
	}
	score := int(i.Score)
	mate, _ := i.Score.MateIn()
	if mate != 0 {
		score = 0
	}
	if p.Turn() == rules.Black {
		score, mate = -score, -mate
	}
	e.Evaluation = web.Evaluation{
		Centipawns: score, Mate: mate, Depth: i.Depth, Nodes: i.Nodes, Searching: running, Line: web.FormatLine(p, i.PV),
	}
	if !running {
		s.stopEvaluating = nil
	}
	s.notify()
}
