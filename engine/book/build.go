package book

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/rules"
)

// ScoredMove is a move with its score in centipawns for the side to move.
type ScoredMove struct {
	Move  rules.Move
	Score int
}

// Scorer returns the promising moves of a position with their scores, or an error if the
// context is done. For a book to be repeatable, the result must depend on the position
// only.
type Scorer func(ctx context.Context, p *rules.Position) ([]ScoredMove, error)

// BuildOptions are the limits of a book and how to build it.
type BuildOptions struct {
	Positions int // maximum number of positions to score
	Plies     int // maximum depth in plies
	Margin    int // maximum loss of a book move against the best one, in centipawns
	Replies   int // maximum loss of an opponent's move that the book answers, in centipawns
	Workers   int // positions scored at a time; does not change the book
	// Note returns the note of the book, given the number of positions scored.
	Note func(positions int) string
}

// batchSize is how many positions are scored before the next ones are chosen. It does not
// depend on the number of workers, so neither does the book.
const batchSize = 32

// Build builds a book by scoring positions, beginning with the start position. It calls
// newScorer once per worker, and report, if not nil, after each position with the number
// scored by then, never concurrently. The most likely positions come first: few plies
// away, by good moves. Scores are backed up, so that the score of a move is that of its
// best continuation.
//
// A position is scored if at least one side reaches it by book moves only; the moves of the
// other may be worse, so that the book answers them. If the context is done, Build
// returns the book of the positions scored so far and the context's error.
func Build(ctx context.Context, o BuildOptions, newScorer func() Scorer, report func(positions int)) (*Table, error) {
	t := newTree(o)
	w := workers{scorers: make(chan Scorer, max(1, o.Workers)), report: report}
	for range cap(w.scorers) {
		w.scorers <- newScorer()
	}
	var scoreErr error
	for scoreErr == nil {
		batch := t.choose(min(batchSize, o.Positions-w.scored))
		if len(batch) == 0 {
			break
		}
		var moves [][]ScoredMove
		moves, scoreErr = w.scoreAll(ctx, batch)
		for i, n := range batch {
			if moves[i] != nil {
				t.add(n, moves[i])
			}
		}
	}
	book, err := t.table()
	if err != nil {
		return nil, err
	}
	return book, scoreErr
}

// workers score positions.
type workers struct {
	scorers chan Scorer // those not at work
	report  func(positions int)

	mu     sync.Mutex
	scored int
}

// scoreAll scores positions, as many at a time as there are scorers. After an error the
// moves of some are nil.
func (w *workers) scoreAll(ctx context.Context, batch []*node) ([][]ScoredMove, error) {
	scored := make([][]ScoredMove, len(batch))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cap(w.scorers))
	for i, n := range batch {
		g.Go(func() error {
			scorer := <-w.scorers
			defer func() { w.scorers <- scorer }()
			if err := ctx.Err(); err != nil {
				return err
			}
			moves, err := scorer(ctx, &n.position)
			if err != nil {
				return fmt.Errorf("score %s: %w", n.position.FEN(), err)
			}
			scored[i] = moves
			w.count()
			return nil
		})
	}
	return scored, g.Wait()
}

// count counts a position and reports it.
func (w *workers) count() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scored++
	if w.report != nil {
		w.report(w.scored)
	}
}
