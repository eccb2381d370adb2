package train

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/rules"
)

// randomGame plays random moves with random scores.
func randomGame(tb testing.TB, rng *rand.Rand) *Game {
	tb.Helper()
	g := &Game{Result: Result(rng.IntN(3) - 1), Ending: Ending(rng.IntN(int(endings)))}
	p := rules.StartPosition()
	for ply := range 20 + rng.IntN(100) {
		var l rules.MoveList
		p.Generate(&l, rules.All)
		if l.Len() == 0 {
			break
		}
		m := l.At(rng.IntN(l.Len()))
		next, err := p.Play(m)
		if err != nil {
			tb.Fatal(err)
		}
		p = next
		if ply < 8 {
			g.Opening = append(g.Opening, m)
			continue
		}
		g.Plies = append(g.Plies, Ply{m, int16(rng.IntN(4000) - 2000)})
	}
	return g
}

func writeGames(tb testing.TB, path string, games []*Game) {
	tb.Helper()
	w, _, _, err := OpenWriter(path)
	if err != nil {
		tb.Fatal(err)
	}
	for _, g := range games {
		if err := w.Add(g); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

func readGames(path string) (games []*Game, err error) {
	for g, err := range Games(path) {
		if err != nil {
			return games, err
		}
		games = append(games, &Game{append([]rules.Move(nil), g.Opening...), append([]Ply(nil), g.Plies...), g.Result, g.Ending})
	}
	return games, nil
}

func randomGames(tb testing.TB, n int) (games []*Game) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range n {
		games = append(games, randomGame(tb, rng))
	}
	return games
}

func TestGames_RoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games")
	want := randomGames(t, 600) // several blocks
	writeGames(t, path, want[:200])
	writeGames(t, path, want[200:])
	got, err := readGames(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	plies := 0
	for _, g := range want {
		plies += len(g.Plies)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if perPly := float64(info.Size()) / float64(plies); perPly > 4.5 {
		t.Errorf("%.2f bytes a ply, want at most 4.5", perPly)
	}
}

// A file cut anywhere keeps all whole blocks, and writing goes on after them.
func TestOpenWriter_CutsTornTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games")
	games := randomGames(t, 800)
	writeGames(t, path, games[:400])
	writeGames(t, path, games[400:])
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{1, 7, headerSize, 500, 70_000} {
		if err := os.WriteFile(path, whole[:len(whole)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		kept, err := readGames(path)
		if !errors.Is(err, ErrTorn) {
			t.Errorf("cut %d: reading ends with %v, want ErrTorn", cut, err)
		}
		w, n, _, err := OpenWriter(path)
		if err != nil {
			t.Fatal(err)
		}
		if n != len(kept) || n == 0 || n == len(games) {
			t.Errorf("cut %d: writer kept %d games, reader %d", cut, n, len(kept))
		}
		if err := errors.Join(w.Add(games[0]), w.Close()); err != nil {
			t.Fatal(err)
		}
		again, err := readGames(path)
		if err != nil || len(again) != n+1 {
			t.Errorf("cut %d: after one more game %d games, %v; want %d", cut, len(again), err, n+1)
		}
	}
}

func TestGames_RefusesOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games")
	if err := os.WriteFile(path, []byte(strings.Repeat("not games ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readGames(path); err == nil || errors.Is(err, ErrTorn) {
		t.Errorf("reading: %v, want an error that is not ErrTorn", err)
	}
	if _, _, _, err := OpenWriter(path); err == nil {
		t.Error("writing to a file of another kind would overwrite it")
	}
}

func TestReplay_NamesIllegalMove(t *testing.T) {
	g := randomGames(t, 1)[0]
	g.Plies[5].Move = rules.NewDrop(rules.Queen, 20)
	err := g.Replay(func(*rules.Position, Ply) {})
	if !errors.Is(err, rules.ErrIllegalMove) || !strings.Contains(err.Error(), "ply 14") {
		t.Errorf("error %v, want an illegal move at ply 14", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, g := range randomGames(f, 3) {
		f.Add(g.append(nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var g Game
		rest, err := g.decode(data)
		if err != nil {
			return
		}
		if used := data[:len(data)-len(rest)]; len(g.append(nil)) > len(used) {
			t.Errorf("%d bytes decode to a game of %d", len(used), len(g.append(nil)))
		}
		_ = g.Replay(func(*rules.Position, Ply) {}) // must not panic
	})
}
