package train

import (
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// Samples are quiet positions with the score and result to learn from, packed
// into about 80 bytes each.
type Samples struct {
	features []uint16 // of all samples, as White sees them
	first    []uint32 // sample i has features first[i] to first[i+1]
	targets  []target

	objective Objective
}

// Len returns the number of samples.
func (s *Samples) Len() int { return len(s.targets) }

// Filter chooses the positions to learn from. The network judges quiet
// positions only, since the search resolves the others: not in check, the best
// move neither capture nor promotion.
type Filter struct {
	Noisy    bool // keep positions that are not quiet
	MaxScore int  // drop scores beyond this that agree with the result; 0: keep
}

// Keep reports whether to learn from a position.
func (f Filter) Keep(p *rules.Position, ply Ply, result Result) bool {
	score := int(ply.Score)
	if score >= MateBound || score <= -MateBound {
		return false
	}
	if f.MaxScore > 0 && (score > f.MaxScore && result == WhiteWins || score < -f.MaxScore && result == BlackWins) {
		return false
	}
	return f.Noisy || !p.InCheck() && !p.IsCapture(ply.Move) && !ply.Move.IsPromotion()
}

// DataStats counts what loading read and kept.
type DataStats struct {
	Games, Plies      int
	Train, Validation int // samples
	Truncated         []string
}

// LoadSamples reads games files and splits them into training and validation
// samples for the objective by whole games: every holdout-th game, chosen by its moves, so that
// a game read twice never stands on both sides.
func LoadSamples(paths []string, filter Filter, o Objective, holdout int) (train, validation *Samples, stats DataStats, err error) {
	train, validation = newSamples(o), newSamples(o)
	for _, path := range paths {
		for g, err := range Games(path) {
			if errors.Is(err, ErrTruncated) {
				stats.Truncated = append(stats.Truncated, path)
				break
			}
			if err != nil {
				return nil, nil, stats, err
			}
			into := train
			if holdout > 0 && g.hash()%uint64(holdout) == 0 {
				into = validation
			}
			if err := into.add(g, filter); err != nil {
				return nil, nil, stats, fmt.Errorf("load samples from %s: game %d: %w", path, stats.Games+1, err)
			}
			stats.Games++
			stats.Plies += len(g.Plies)
		}
	}
	stats.Train, stats.Validation = train.Len(), validation.Len()
	return train, validation, stats, nil
}

func newSamples(o Objective) *Samples { return &Samples{first: []uint32{0}, objective: o} }

func (s *Samples) add(g *Game, filter Filter) error {
	expected, next := s.objective.expected(g), 0
	return g.Replay(func(p *rules.Position, ply Ply) {
		next++
		if !filter.Keep(p, ply, g.Result) || len(s.features) > 1<<32-1-nnue.MaxActive {
			return
		}
		s.features = nnue.AppendFeatures(s.features, p)
		s.first = append(s.first, uint32(len(s.features)))
		inHand := p.Pocket(rules.White).Total() + p.Pocket(rules.Black).Total()
		s.targets = append(s.targets, target{expected[next-1], p.Turn(), uint8(inHand)})
	})
}

// hash names a game by its moves.
func (g *Game) hash() uint64 {
	h := fnv.New64a()
	for m := range g.moves() {
		h.Write([]byte{byte(m), byte(m >> 8)})
	}
	return h.Sum64()
}
