package match

import (
	"context"
	"errors"
	"fmt"

	"github.com/zhbot/zhbot/engine/external"
)

// worker plays games one after another, with its own two engines.
type worker struct {
	match   *match
	players [2]Player // by contestant; nil if not running
}

// run plays pairs until there are no more.
func (w *worker) run(ctx context.Context) error {
	defer w.stopEngine(Engine)
	defer w.stopEngine(Opponent)
	for games := w.match.nextGames(); len(games) > 0; games = w.match.nextGames() {
		opening, err := w.match.Openings(ctx, games[0]/2)
		if err != nil {
			return fmt.Errorf("opening of pair %d: %w", games[0]/2, err)
		}
		for _, number := range games {
			r := newReferee(&w.match.Config, number, opening)
			if err := w.playGame(ctx, r); err != nil {
				return err
			}
			if err := w.match.record(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// playGame plays a game, and stops an engine that failed in it.
func (w *worker) playGame(ctx context.Context, r *referee) error {
	for contestant := Engine; contestant <= Opponent && r.record.Ending == ""; contestant++ {
		if err := w.prepare(ctx, contestant, r.record); err != nil {
			return err
		}
	}
	if err := r.play(ctx, w.players); err != nil {
		return err
	}
	switch r.record.Ending {
	case Crash, Hang:
		w.stopEngine(r.record.loser())
	}
	return nil
}

// prepare prepares a contestant's engine for a game. An engine that has worked before and
// fails now loses the game.
func (w *worker) prepare(ctx context.Context, contestant Contestant, g *Game) (err error) {
	if w.players[contestant] == nil {
		w.players[contestant], err = w.match.sides()[contestant].Start(ctx)
	}
	if p, ok := w.players[contestant].(Numbered); ok && err == nil {
		err = p.SetGame(g.Number)
	}
	if err == nil {
		err = w.players[contestant].NewGame(ctx)
	}
	started := &w.match.started[contestant]
	switch {
	case err == nil:
		started.Store(true)
		g.Names[contestant] = w.players[contestant].Name() + w.match.sides()[contestant].Suffix
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !started.Load():
		return fmt.Errorf("%s: %w", contestant, withHint(err))
	}
	ending, ok := faultEnding(err)
	if !ok {
		ending = Crash
	}
	g.setLoss(contestant, ending, err.Error())
	w.stopEngine(contestant)
	return nil
}

// withHint adds a hint to the error of an engine that has never answered.
func withHint(err error) error {
	if errors.Is(err, external.ErrTimeout) || errors.Is(err, external.ErrExited) {
		return fmt.Errorf("%w; does it speak another protocol?", err)
	}
	return err
}

// stopEngine closes a contestant's engine and ignores its error.
func (w *worker) stopEngine(contestant Contestant) {
	if p := w.players[contestant]; p != nil {
		_ = p.Close()
		w.players[contestant] = nil
	}
}
