package record

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// randomGame plays at most so many random moves and annotates each. It prefers
// captures, promotions, drops and castling, where notation is most error-prone.
func randomGame(rng *rand.Rand, start rules.Position, plies int) *Game {
	g := &Game{
		Summary: Summary{
			ID: "randomid", Site: "https://lichess.org/randomid", Created: time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC), Rated: true,
			White: Player{Name: "zhbot", Title: "BOT", Rating: 2000 + rng.IntN(100), RatingDiff: rng.IntN(20) - 10, Provisional: rng.IntN(2) == 0},
			Black: Player{Name: "opponent", Rating: 1900 + rng.IntN(200), Provisional: rng.IntN(2) == 0}, RatingKnown: true, Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
			Status: [...]lichess.Status{"resign", "timeout"}[rng.IntN(2)], Result: rules.WhiteWins + rules.Result(rng.IntN(3)), Version: "v1.2.3",
			Network: "zh-0123456789ab", Fallbacks: rng.IntN(3),
		},
		Game: rules.NewGame(start),
	}
	for g.Game.Ply() < plies {
		m := randomMove(rng, g.Game.Position())
		if m == rules.NoMove || g.Game.Play(m) != nil {
			break
		}
		g.Notes = append(g.Notes, Note{
			HasClock: true, Clock: time.Duration(rng.IntN(1800)) * 100 * time.Millisecond,
			Eval: pgn.Eval{Known: rng.IntN(2) == 0, Score: pgn.Score{Centipawns: rng.IntN(2000) - 1000}, Depth: 1 + rng.IntN(30)},
		})
	}
	return g
}

// randomMove returns a random legal move, one of the rare kinds if there is one.
func randomMove(rng *rand.Rand, p *rules.Position) rules.Move {
	moves := p.LegalMoves()
	if len(moves) == 0 {
		return rules.NoMove
	}
	best := moves[rng.IntN(len(moves))]
	for range 3 {
		m := moves[rng.IntN(len(moves))]
		if kindOf(p, m) > kindOf(p, best) {
			best = m
		}
	}
	return best
}

// The kinds of moves, the rarest last.
const (
	quiet = iota
	drop
	capture
	promotion
	castling
)

func kindOf(p *rules.Position, m rules.Move) int {
	switch {
	case m.IsDrop():
		return drop
	case m.Promotion() != rules.NoPieceType:
		return promotion
	case p.IsCastling(m):
		return castling
	case p.IsCapture(m):
		return capture
	}
	return quiet
}

// A thousand random games survive being written and read back, with their notes, and
// contain enough of the rare kinds of moves.
func TestArchive_RoundTrip(t *testing.T) {
	const games = 1000
	rng := rand.New(rand.NewPCG(7, 7))
	custom := rulestest.Position(t, "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R[PNBRQpnbrq] b KQkq - 3 17")
	var kinds [castling + 1]int
	want := make([]*Game, games)
	path := filepath.Join(t.TempDir(), "games.pgn")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		start := rules.StartPosition()
		if i%4 == 0 {
			start = custom
		}
		want[i] = randomGame(rng, start, 150)
		want[i].ID = fmt.Sprint(i)
		countKinds(want[i].Game, &kinds)
		if _, err := want[i].PGN().WriteTo(f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := pgn.NewReader(f)
	for i, g := range want {
		got, err := in.Next()
		if err != nil {
			t.Fatalf("game %d: %v", i, err)
		}
		compare(t, g, got)
	}
	if _, err := in.Next(); err != io.EOF {
		t.Errorf("after the last game: %v", err)
	}
	for kind, n := range kinds {
		if n < 100 {
			t.Errorf("only %d moves of kind %d", n, kind)
		}
	}
}

func countKinds(g *rules.Game, kinds *[castling + 1]int) {
	again := rules.NewGame(*g.Start())
	for _, m := range g.Moves() {
		kinds[kindOf(again.Position(), m)]++
		if err := again.Play(m); err != nil {
			panic(err) // it was played before
		}
	}
}

// compare checks a game that was read against the one that was written.
func compare(t *testing.T, want *Game, got *pgn.Game) {
	t.Helper()
	again := rules.NewGame(got.Start)
	for _, m := range got.Moves {
		if err := again.Play(m.Move); err != nil {
			t.Fatalf("game %s: %v", want.ID, err)
		}
	}
	if *again.Position() != *want.Game.Position() {
		t.Fatalf("game %s ends in %s, want %s", want.ID, again.Position().FEN(), want.Game.Position().FEN())
	}
	for ply, n := range want.Notes {
		m := got.Moves[ply]
		eval := n.Eval
		if !eval.Known {
			eval = pgn.Eval{}
		}
		if m.Clock != n.Clock || m.HasClock != n.HasClock || m.Eval != eval {
			t.Fatalf("game %s, ply %d: read %+v, want %+v", want.ID, ply, m, n)
		}
	}
	if got.Result != want.Result || got.Tag("GameId") != want.ID {
		t.Fatalf("game %s: read as %s with result %s, want %s", want.ID, got.Tag("GameId"), got.Result, want.Result)
	}
}
