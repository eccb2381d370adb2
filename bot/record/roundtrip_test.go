package record

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// randomGame plays at most so many random moves and annotates each.
func randomGame(rng *rand.Rand, start rules.Position, plies int) *Game {
	g := &Game{
		Summary: Summary{
			ID: "randomid", Site: "https://lichess.org/randomid", Created: time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC), Rated: true,
			White: Player{Name: "zhbot", Title: "BOT", Rating: 2000 + rng.IntN(100), RatingDiff: rng.IntN(20) - 10, Provisional: rng.IntN(2) == 0},
			Black: Player{Name: "opponent", Rating: 1900 + rng.IntN(200), Provisional: rng.IntN(2) == 0}, RatingKnown: true, Speed: lichess.Blitz, Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
			Status: [...]lichess.Status{"resign", "timeout"}[rng.IntN(2)], Result: rules.WhiteWins + rules.Result(rng.IntN(3)), Version: "v1.2.3",
			Network: "zh-0123456789ab", Fallbacks: rng.IntN(3),
		},
		Board: rules.NewGame(start), PostMortem: [...]string{"", "blunder: 3.Bc4 (ply 5), from -0.30 to -4.00"}[rng.IntN(2)],
	}
	for g.Board.Ply() < plies {
		moves := g.Board.Position().LegalMoves()
		if len(moves) == 0 || g.Board.Play(moves[rng.IntN(len(moves))]) != nil {
			break
		}
		n := Note{HasClock: true, Clock: time.Duration(rng.IntN(1800)) * 100 * time.Millisecond}
		if rng.IntN(2) == 0 {
			n.Eval = pgn.Eval{Known: true, Score: pgn.Score{Centipawns: rng.IntN(2000) - 1000}, Depth: 1 + rng.IntN(30)}
		}
		g.Notes = append(g.Notes, n)
	}
	return g
}

// Random games survive being written and read back, with their notes.
func TestArchive_RoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	custom := rulestest.Position(t, "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R[PNBRQpnbrq] b KQkq - 3 17")
	for i := range 300 {
		start := rules.StartPosition()
		if i%4 == 0 {
			start = custom
		}
		want := randomGame(rng, start, 150)
		parsed, err := pgn.NewReader(strings.NewReader(want.PGN().String())).Next()
		must(t, err)
		got := parseGame(parsed)
		got.Status = want.Status // which says more than the result and the last move
		if diff := cmp.Diff(want, got, compareGames); diff != "" {
			t.Fatalf("game %d (-want +got):\n%s", i, diff)
		}
	}
}
