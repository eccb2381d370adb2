package play

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules"
)

// maxLine is how many moves of a line are shown.
const maxLine = 12

// overhead is what a move of the engine loses between the search and the clock.
const overhead = 10 * time.Millisecond

// search starts a search in place of the current one. done gets its result, even that of a
// search that was stopped.
func (s *session) search(game *rules.Game, l engine.Limits, report func(engine.Info), done func(engine.Result)) {
	s.stopSearch()
	ctx, cancel := context.WithCancel(context.Background())
	s.stopSearch = cancel
	s.searches.Go(func() {
		defer cancel()
		r, err := s.o.Engine.Search(ctx, game, l, report)
		if err != nil {
			s.o.Log.Error().Err(err).Str("fen", game.Position().FEN()).Msg("search failed")
		}
		done(r)
	})
}

// think starts the engine's search for its move, which is played unless the game has
// changed meanwhile.
func (s *session) think() {
	revision := s.state.revision
	s.state.thinking = true
	s.search(s.state.game.Clone(), s.limits(), nil, func(r engine.Result) {
		_ = s.at(revision, func() error {
			if position := s.state.game.Position(); !position.IsLegal(r.Move) {
				r.Move = position.LegalMoves()[0] // there is one: the game is not over
			}
			s.state.score = r.Info.Score
			s.play(r.Move)
			return nil
		})
	})
}

// limits returns those of the engine's search now.
func (s *session) limits() engine.Limits {
	scale := human.GuessedScale()
	l := engine.Limits{Strength: human.AtLevel(s.state.settings.Level.Level(&scale), rand.Uint64())}
	switch c := s.state.settings.Clock; {
	case !c.IsZero():
		l.White, l.Black, l.Overhead = s.left(rules.White), s.left(rules.Black), overhead
		l.WhiteInc, l.BlackInc = c.Increment, c.Increment
	case len(s.state.game.Position().LegalMoves()) == 1: // with a clock, the engine plays it at once anyway
		l.MoveTime = time.Millisecond
	default:
		l.MoveTime = s.o.MoveTime
	}
	return l
}

// Evaluation is the engine's evaluation of a position of the game, at full strength.
type Evaluation struct {
	web.Evaluation

	Ply int `json:"ply"` // of the position, 0 for the first one
}

// evaluate starts an evaluation of the position after a number of plies, which replaces
// the previous evaluation. It is also possible when the game is over.
func (s *session) evaluate(c *command) error {
	switch {
	case s.state.thinking:
		return errThinking
	case c.Ply < 0 || c.Ply > s.state.game.Ply():
		return errStale
	}
	game := s.state.game.Clone()
	game.TakeBack(game.Ply() - c.Ply)
	if game.Position().IsCheckmate() || game.Position().IsStalemate() {
		return errOver
	}
	e := &Evaluation{Ply: c.Ply, Evaluation: web.Evaluation{Searching: true}}
	s.state.evaluation = e
	s.notify()
	position := *game.Position()
	s.search(game, engine.Limits{MoveTime: s.o.EvaluationTime},
		func(i engine.Info) { s.updateEvaluation(e, position, i, true) },
		func(r engine.Result) { s.updateEvaluation(e, position, r.Info, false) })
	return nil
}

// updateEvaluation updates the evaluation of a position, unless another one or none has
// replaced it.
func (s *session) updateEvaluation(e *Evaluation, p rules.Position, i engine.Info, running bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.evaluation != e {
		return
	}
	score := analysis.PGNScore(i.Score).For(p.Turn())
	e.Evaluation = web.Evaluation{
		Centipawns: score.Centipawns, Mate: score.Mate, Depth: i.Depth, Nodes: i.Nodes, Searching: running,
		Line: p.Line(i.PV[:min(len(i.PV), maxLine)]),
	}
	if len(i.PV) > 0 {
		e.Best = p.UCI(i.PV[0])
	}
	s.notify()
}
