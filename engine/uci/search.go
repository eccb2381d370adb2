package uci

import (
	"context"
	"errors"
	"fmt"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// searchJob is a search, or a ponder search that may become one.
type searchJob struct {
	engine    *engine.Engine
	game      *rules.Game
	limits    engine.Limits
	out       *lineWriter
	wdl       bool          // in each info line
	reported  engine.Info   // in the last info line
	ponderHit chan struct{} // closed by ponderhit
}

// goCommand starts a search or a perft, or plays a book move. Every search is answered by a
// bestmove.
func (c *session) goCommand(ctx context.Context, args []string) error {
	if c.game == nil {
		c.out.writeError(fmt.Errorf("go: %w", errNoPosition))
		c.out.writeLine(noBestMove)
		return nil
	}
	r := parseGo(c.game.Position(), args)
	for _, err := range r.ignored {
		c.out.writeError(fmt.Errorf("go: %w", err))
	}
	if r.perft > 0 {
		c.startPerft(ctx, r.perft)
		return nil
	}
	if r.noMove {
		c.out.writeLine(noBestMove)
		return nil
	}
	if c.playBookMove(r.limits) {
		return nil
	}
	c.prepareEngine()
	o := &c.options
	r.limits.Overhead, r.limits.MultiPV, r.limits.NodesTime = o.Overhead, o.MultiPV, uint64(o.NodesTime)
	r.limits.Bounds = true
	r.limits.Strength = o.Strength(c.seeds.Uint64())
	s := &searchJob{
		engine:    c.engine,
		game:      c.game,
		limits:    r.limits,
		out:       c.out,
		wdl:       o.ShowWDL,
		ponderHit: make(chan struct{}),
	}
	c.start(ctx, &job{search: s, endless: isEndless(r.limits)}, s.run)
	return nil
}

const noBestMove = "bestmove (none)"

// isEndless reports whether a search ends only on stop.
func isEndless(l engine.Limits) bool { return l.Infinite || l.Ponder || !isLimited(l) }

// isLimited reports whether there is a limit.
func isLimited(l engine.Limits) bool {
	clock := l.White > 0 || l.Black > 0 || l.WhiteInc > 0 || l.BlackInc > 0
	return clock || l.MoveTime > 0 || l.Depth > 0 || l.Nodes > 0 || l.Mate > 0
}

// run ponders first, if requested, then searches, and writes bestmove.
func (s *searchJob) run(ctx context.Context) {
	limits := s.limits
	if p := s.game.Position(); !p.HasLegalMove() {
		s.out.writeLine("info depth 0 score %s", terminalScore(p))
	}
	if limits.Ponder {
		result, err := s.ponder(ctx)
		if ctx.Err() != nil || err != nil {
			s.writeBestMove(result, err)
			return
		}
		limits.Ponder = false
	}
	result, err := s.engine.Search(ctx, s.game, limits, s.report)
	if limits.Infinite {
		<-ctx.Done() // the search of a finished game did not wait
	}
	s.writeBestMove(result, err)
}

// ponder searches until ponderhit or stop.
func (s *searchJob) ponder(ctx context.Context) (engine.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		select {
		case <-s.ponderHit:
			cancel()
		case <-ctx.Done():
		}
	}()
	result, err := s.engine.Search(ctx, s.game, s.limits, s.report)
	<-waited // the search of a finished game did not wait
	return result, err
}

// ponderHit turns a ponder search into a normal one.
func (c *session) ponderHit() error {
	if !c.job.isSearch() || !c.job.search.limits.Ponder {
		return errors.New("ponderhit: not pondering")
	}
	s := c.job.search
	select {
	case <-s.ponderHit:
		return errors.New("ponderhit: already received")
	default:
	}
	close(s.ponderHit)
	limits := s.limits
	limits.Ponder = false
	c.job.endless = isEndless(limits)
	return nil
}

// writeBestMove writes bestmove, after an info line if the last one is outdated: GUIs want
// a score with every move, and match runners the final node count.
func (s *searchJob) writeBestMove(r engine.Result, err error) {
	p := s.game.Position()
	if _, ok := errors.AsType[*engine.PanicError](err); ok {
		s.out.writeError(fmt.Errorf("go: %w", err)) // there is still a move
		err = nil
	}
	switch {
	case errors.Is(err, engine.ErrGameOver):
		s.out.writeLine(noBestMove)
		return
	case err != nil:
		s.out.writeError(fmt.Errorf("go: %w", err))
		return
	case len(r.Lines) > 0:
		for _, i := range r.Lines {
			s.report(i)
		}
	case s.reported.Depth == 0 || s.reported.Bound != "" || s.reported.Nodes < r.Info.Nodes ||
		s.reported.PV[0] != r.Move:
		s.report(r.Info)
	}
	best := "bestmove " + p.UCI(r.Move)
	if r.Ponder != rules.NoMove {
		next := p.After(r.Move)
		best += " ponder " + next.UCI(r.Ponder)
	}
	s.out.writeLine("%s", best)
}

// report writes an info line.
func (s *searchJob) report(i engine.Info) {
	s.reported = i
	s.out.writeLine("%s", infoLine(s.game.Position(), i, s.wdl))
}

// terminalScore returns the score of a position without legal moves.
func terminalScore(p *rules.Position) string {
	if p.InCheck() {
		return "mate 0"
	}
	return "cp 0"
}
