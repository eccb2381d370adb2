package match

import (
	"context"
	"errors"
	"fmt"

	"github.com/zhbot/zhbot/engine/external"
)

// worker plays games one after another, with two engines of its own.
type worker struct {
	match   *match
	games   chan<- *referee
	players [2]Player // by seat; nil if not running
}

func newWorker(m *match, games chan<- *referee) *worker { return &worker{match: m, games: games} }

// run plays pairs until there are no more.
func (w *worker) run(ctx context.Context, pairs <-chan pair) error {
	defer w.stopEngine(Engine)
	defer w.stopEngine(Opponent)
	for p := range pairs {
		if err := w.playPair(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) playPair(ctx context.Context, p pair) error {
	opening, err := w.match.Openings(ctx, p.number)
	if err != nil {
		return fmt.Errorf("opening of pair %d: %w", p.number, err)
	}
	for _, number := range p.games {
		r := newReferee(w.match.gameRules(), number, opening)
		if err := w.playGame(ctx, r); err != nil {
			return err
		}
		select {
		case w.games <- r:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// playGame plays a game, and dismisses an engine that can't go on after it.
func (w *worker) playGame(ctx context.Context, r *referee) error {
	for seat := Engine; seat <= Opponent && r.record.Ending == ""; seat++ {
		if err := w.prepare(ctx, seat, r.record); err != nil {
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

// prepare gets a seat's engine ready for a game. An engine that has played
// before and can't now loses the game.
func (w *worker) prepare(ctx context.Context, seat Contestant, g *Game) error {
	err := w.start(ctx, seat)
	if err == nil {
		err = w.players[seat].NewGame(ctx)
	}
	started := &w.match.started[seat]
	switch ending, ok := faultEnding(err); {
	case err == nil:
		started.Store(true)
		g.Names[seat] = w.players[seat].Name()
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !started.Load():
		return fmt.Errorf("%s: %w", seat, withHint(err))
	case ok:
		g.setLoss(seat, ending, err.Error())
	default:
		g.setLoss(seat, Crash, err.Error())
	}
	w.stopEngine(seat)
	return nil
}

// withHint adds what may be wrong with an engine that has never answered.
func withHint(err error) error {
	if errors.Is(err, external.ErrTimeout) || errors.Is(err, external.ErrExited) {
		return fmt.Errorf("%w; does it speak another protocol?", err)
	}
	return err
}

func (w *worker) start(ctx context.Context, seat Contestant) (err error) {
	if w.players[seat] == nil {
		w.players[seat], err = w.match.sides()[seat].Start(ctx)
	}
	return err
}

// stopEngine ends a seat's engine. How it ends is of no interest any more.
func (w *worker) stopEngine(seat Contestant) {
	if p := w.players[seat]; p != nil {
		_ = p.Close()
		w.players[seat] = nil
	}
}
