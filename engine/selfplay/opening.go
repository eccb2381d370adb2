package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/rules"
)

// There are three kinds of openings. Random openings are 8 to 10 random plies and teach the
// network the cost of blunders. Searched openings are 2 or 3 random plies and 6 from the
// best lines of a search, and lead to positions of good play. Line openings are a part of a
// line of a book, a random ply, and 6 from a search. Of the others, every second game has a
// searched opening. The number of a game determines the kind.
const (
	randomPlies         = 8 // and up to two more
	searchedRandomPlies = 2 // and up to one more
	searchedPlies       = 6
	searchedLines       = 6 // lines of each search
	minMargin           = 100
	maxMargin           = 250 // centipawns; each game draws its own margin
	minOpeningNodes     = 500 // of a search: fewer do not find several lines, and games repeat

	minLine = 4  // plies of a line that are played at least
	maxLine = 40 // plies of a game after which it is no opening
)

// inShare reports whether game n, from 1, belongs to a share of the games. Any number of
// consecutive games has the share, up to one game.
func inShare(n uint64, share float64) bool {
	return uint64(float64(n)*share) != uint64(float64(n-1)*share)
}

// opening plays the opening of game n.
func (p *player) opening(ctx context.Context, n uint64, rng *rand.Rand) (*rules.Game, error) {
	if inShare(n, p.opts.LineOpenings) {
		return p.lineOpening(ctx, rng)
	}
	g := rules.NewGame(rules.StartPosition())
	if !inShare(n, 0.5) {
		match.PlayRandom(g, randomPlies+rng.IntN(3), rng)
		return g, nil
	}
	match.PlayRandom(g, searchedRandomPlies+rng.IntN(2), rng)
	return g, p.playNearBest(ctx, g, searchedPlies, rng)
}

// lineOpening plays a part of a line, a random ply, and then from the best lines of searches:
// without the random ply, half of a thousand games from the embedded book were repeated. All
// moves of the book for a position are as likely: by their weights, most games would follow the
// same few lines.
func (p *player) lineOpening(ctx context.Context, rng *rand.Rand) (*rules.Game, error) {
	g := rules.NewGame(rules.StartPosition())
	for moves := p.opts.Lines.Moves(g.Position()); len(moves) > 0 && g.Ply() < maxLine; {
		if err := g.Play(moves[rng.IntN(len(moves))].Move); err != nil {
			return nil, fmt.Errorf("self-play opening: %w", err)
		}
		moves = p.opts.Lines.Moves(g.Position())
	}
	if longer := g.Ply() - minLine; longer > 0 {
		g.TakeBack(rng.IntN(longer + 1))
	}
	match.PlayRandom(g, 1, rng)
	return g, p.playNearBest(ctx, g, searchedPlies, rng)
}

// playNearBest plays moves from the best lines of searches.
func (p *player) playNearBest(ctx context.Context, g *rules.Game, plies int, rng *rand.Rand) error {
	margin := minMargin + rng.IntN(maxMargin-minMargin+1)
	for range plies {
		if !g.Position().HasLegalMove() {
			break
		}
		moves, err := p.nearBestMoves(ctx, g, margin)
		if err != nil {
			return err
		}
		if err := g.Play(moves[rng.IntN(len(moves))]); err != nil {
			return err
		}
	}
	return nil
}

// nearBestMoves returns the first moves of the best lines of a search, up to margin
// centipawns worse than the best.
func (p *player) nearBestMoves(ctx context.Context, g *rules.Game, margin int) ([]rules.Move, error) {
	var lines []engine.Info
	limits := engine.Limits{Nodes: max(p.opts.Nodes, minOpeningNodes), MultiPV: searchedLines}
	r, err := p.engine.Search(ctx, g, limits, func(i engine.Info) {
		if i.MultiPV == 1 { // of the next depth
			lines = lines[:0]
		}
		lines = append(lines, i)
	})
	if err := searchError(ctx, err, g); err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return []rules.Move{r.Move}, nil
	}
	return withinMargin(lines, margin), nil
}

// withinMargin returns the first moves of the lines that are at most margin centipawns
// worse than the first line.
func withinMargin(lines []engine.Info, margin int) (moves []rules.Move) {
	for _, l := range lines {
		if int(lines[0].Score)-int(l.Score) <= margin {
			moves = append(moves, l.PV[0])
		}
	}
	return moves
}
