package selfplay

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Lines draws a known line at random.
type Lines func(rng *rand.Rand) []rules.Move

const (
	minLine = 4  // plies of a line that are played at least
	maxLine = 40 // plies of a game after which it is no opening
)

// OpenLines opens books and PGN files, whose games are lines, and returns their names with
// hashes of their content. A line comes from each file equally often.
func OpenLines(paths []string) (Lines, string, error) {
	var sources []Lines
	var names []string
	for _, path := range paths {
		open := openBook
		if strings.EqualFold(filepath.Ext(path), ".pgn") {
			open = openGames
		}
		l, name, err := open(path)
		if err != nil {
			return nil, "", fmt.Errorf("opening lines: %w", err)
		}
		sources, names = append(sources, l), append(names, name)
	}
	draw := func(rng *rand.Rand) []rules.Move { return sources[rng.IntN(len(sources))](rng) }
	return draw, strings.Join(names, ", "), nil
}

// openBook opens a book. All moves for a position are as likely: by their weights, most
// games would follow the same few lines.
func openBook(path string) (Lines, string, error) {
	b, err := book.Open(path)
	if err != nil {
		return nil, "", err
	}
	draw := func(rng *rand.Rand) []rules.Move {
		g := rules.NewGame(rules.StartPosition())
		for g.Ply() < maxLine {
			moves := b.Moves(g.Position())
			if len(moves) == 0 || g.Play(moves[rng.IntN(len(moves))].Move) != nil {
				break
			}
		}
		return g.Moves()
	}
	return draw, "book " + b.Hash(), nil
}

// openGames reads the games of a PGN file that begin at the start position. An invalid one
// is an error.
func openGames(path string) (Lines, string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	hash := sha256.New()
	var lines [][]rules.Move
	for r := pgn.NewReader(io.TeeReader(file, hash)); ; {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", path, err)
		}
		if len(g.Moves) < minLine || g.Start.FEN() != rules.StartFEN {
			continue
		}
		var line []rules.Move
		for _, m := range g.Moves[:min(len(g.Moves), maxLine)] {
			line = append(line, m.Move)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, "", fmt.Errorf("%s: no game of at least %d plies from the start position", path, minLine)
	}
	draw := func(rng *rand.Rand) []rules.Move { return lines[rng.IntN(len(lines))] }
	return draw, fmt.Sprintf("games %x", hash.Sum(nil)[:6]), nil
}

// lineOpening plays a part of a line, a random ply, and then from the best lines of
// searches: without the random ply, half of a thousand games from the embedded book were
// repeated.
func (p *player) lineOpening(ctx context.Context, rng *rand.Rand) (*rules.Game, error) {
	g := rules.NewGame(rules.StartPosition())
	line := p.opts.Lines(rng)
	if longer := len(line) - minLine; longer > 0 {
		line = line[:minLine+rng.IntN(longer+1)]
	}
	for _, m := range line {
		if err := g.Play(m); err != nil {
			return nil, fmt.Errorf("self-play opening: %w", err)
		}
	}
	match.PlayRandom(g, 1, rng)
	return g, p.playNearBest(ctx, g, searchedPlies, rng)
}
