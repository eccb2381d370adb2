package match

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Openings returns the opening of a pair: a game with some moves, or from a position. It
// must be safe for concurrent use.
type Openings func(ctx context.Context, pair int) (*rules.Game, error)

// ReadOpenings reads the games of a PGN, or openings one per line: a FEN or an EPD; or a FEN, a
// score and the moves from the start position that lead to it, separated by tabs. Empty lines
// and lines that start with # are skipped. warn is called with each defect that could be worked
// around.
func ReadOpenings(r io.Reader, warn func(error)) (openings []*rules.Game, err error) {
	in := bufio.NewReader(r)
	start, _ := in.Peek(512)                                                  // less at the end
	if bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n\ufeff"), []byte("[")) { // a tag
		openings, err = readGames(in, warn)
	} else {
		openings, err = readLines(in, warn)
	}
	if err == nil && len(openings) == 0 {
		err = errors.New("no openings: want PGN, or a FEN on each line")
	}
	return openings, err
}

// readGames reads the games of a PGN, all moves of each.
func readGames(r io.Reader, warn func(error)) (openings []*rules.Game, err error) {
	for games := pgn.NewReader(r); ; {
		g, err := games.Next()
		_, broken := errors.AsType[*pgn.GameError](err)
		switch {
		case errors.Is(err, io.EOF):
			return openings, nil
		case broken:
			warn(err)
			continue
		case err != nil:
			return nil, err
		}
		for _, w := range g.Warnings {
			warn(w)
		}
		opening := rules.NewGame(g.Start)
		for _, m := range g.Moves {
			if err := opening.Play(m.Move); err != nil {
				return nil, err // unreachable: the reader checked the move
			}
		}
		if err := checkOpening(opening); err != nil {
			return nil, err
		}
		openings = append(openings, opening)
	}
}

// checkOpening returns an error for a game that is over.
func checkOpening(g *rules.Game) error {
	if outcome := g.Outcome(rules.Threefold); outcome.Over() {
		return fmt.Errorf("opening %q: the game is over there: %s", g.Position().FEN(), outcome.Termination)
	}
	return nil
}

// readLines reads openings, one per line. Empty lines and lines that start with # are
// skipped. Errors have the line number.
func readLines(r io.Reader, warn func(error)) (openings []*rules.Game, err error) {
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := strings.Trim(lines.Text(), " \t\r\v\f\ufeff")
		if line == "" || line[0] == '#' {
			continue
		}
		g, err := parseOpening(line, warn)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		openings = append(openings, g)
	}
	return openings, lines.Err()
}

func parseOpening(line string, warn func(error)) (*rules.Game, error) {
	fields := strings.Split(line, "\t")
	p, cleared, err := rules.RepairFEN(fields[0])
	if err != nil && strings.Contains(fields[0], ";") { // an EPD operation ends with one
		p, cleared, err = rules.RepairFEN(fenOfEPD(fields[0]))
	}
	if err != nil {
		return nil, fmt.Errorf("opening %q: %w", fields[0], err)
	}
	for _, what := range cleared {
		warn(fmt.Errorf("opening %q: cleared %s", fields[0], what))
	}
	g := rules.NewGame(p)
	if len(fields) >= 3 {
		g = rules.NewGame(rules.StartPosition())
		if err := g.PlayUCI(strings.Fields(fields[2])...); err != nil {
			return nil, fmt.Errorf("opening %q: %w", fields[2], err)
		}
		if g.Position().Key() != p.Key() {
			return nil, fmt.Errorf("opening %q: the moves lead to %s, not to %s",
				fields[2], g.Position().FEN(), p.FEN())
		}
	}
	return g, checkOpening(g)
}

// fenOfEPD returns the FEN at the start of an EPD: four fields and up to two numbers,
// before any operations.
func fenOfEPD(epd string) string {
	fields := strings.Fields(epd)
	n := min(len(fields), 4)
	for n < min(len(fields), 6) {
		if _, err := strconv.Atoi(fields[n]); err != nil {
			break
		}
		n++
	}
	return strings.Join(fields[:n], " ")
}

// Distinct removes openings that lead to the same position as an earlier one. It modifies
// the slice.
func Distinct(openings []*rules.Game) []*rules.Game {
	seen := map[uint64]bool{}
	return slices.DeleteFunc(openings, func(g *rules.Game) bool {
		key := g.Position().Key()
		again := seen[key]
		seen[key] = true
		return again
	})
}

// Shuffled returns openings in an order determined by the seed, and repeats them when all
// are used.
func Shuffled(openings []*rules.Game, seed uint64) Openings {
	order := rand.New(rand.NewPCG(seed, 0)).Perm(len(openings))
	return func(_ context.Context, pair int) (*rules.Game, error) {
		return openings[order[pair%len(order)]], nil
	}
}

// The openings of RandomOpenings.
const (
	randomPlies   = 8
	balancedScore = 150   // maximum, in centipawns
	balanceNodes  = 20000 // of the search for the score
)

// RandomOpenings returns openings of random moves and drops that a short search considers
// balanced. The seed and the number of the pair determine them.
func RandomOpenings(seed uint64) Openings {
	return func(ctx context.Context, pair int) (*rules.Game, error) {
		rng := rand.New(rand.NewPCG(seed, uint64(pair)))
		evaluator := engine.New(engine.Options{Threads: 1, HashMB: 1})
		for {
			g := rules.NewGame(rules.StartPosition())
			PlayRandom(g, randomPlies, rng)
			evaluator.Clear()
			r, err := evaluator.Search(ctx, g, engine.Limits{Nodes: balanceNodes}, nil)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if score := int(r.Info.Score); err == nil && max(score, -score) <= balancedScore {
				return g, nil
			}
		}
	}
}

// PlayRandom plays random legal moves, drops included, up to the end of the game.
func PlayRandom(g *rules.Game, plies int, rng *rand.Rand) {
	for range plies {
		moves := g.Position().LegalMoves()
		if len(moves) == 0 {
			return
		}
		if err := g.Play(moves[rng.IntN(len(moves))]); err != nil {
			panic(err) // generated moves are legal
		}
	}
}
