package selfplay

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// randomGame plays random moves with random scores.
func randomGame(tb testing.TB, rng *rand.Rand) *Game {
	tb.Helper()
	g := &Game{Result: rules.WhiteWins + rules.Result(rng.IntN(3))}
	p := rules.StartPosition()
	for ply := range 20 + rng.IntN(100) {
		moves := p.LegalMoves()
		if len(moves) == 0 {
			break
		}
		m := moves[rng.IntN(len(moves))]
		p = p.After(m)
		if ply < 8 {
			g.Opening = append(g.Opening, m)
			continue
		}
		g.Plies = append(g.Plies, Ply{m, randomScore(rng)})
	}
	return g
}

// randomScore returns a score that the file format represents exactly.
func randomScore(rng *rand.Rand) int16 {
	if rng.IntN(20) == 0 {
		return int16(MateScore-rng.IntN(100)) * int16(2*rng.IntN(2)-1)
	}
	return int16(rng.IntN(129)-64) * fineStep
}

// writeFile has a function write to a file, which may have games.
func writeFile(tb testing.TB, path string, r Recipe, write func(w *Writer, games int) error) {
	tb.Helper()
	w, games, _, err := OpenWriter(path, r)
	if err == nil {
		err = errors.Join(write(w, games), w.Close())
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func writeGames(tb testing.TB, path string, games []*Game) {
	tb.Helper()
	writeFile(tb, path, testRecipe, func(w *Writer, _ int) (err error) {
		for _, g := range games {
			err = errors.Join(err, w.Add(g))
		}
		return err
	})
}

var testRecipe = Recipe{Program: "test", Network: "zh-1", Nodes: 700, Seed: 1<<64 - 1, LineOpenings: 0.5}

func readGames(path string) (games []*Game, err error) {
	for g, err := range Games(path) {
		if err != nil {
			return games, err
		}
		games = append(games, &Game{slices.Clone(g.Opening), slices.Clone(g.Plies), g.Result})
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
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	plies := 0
	for _, g := range want {
		plies += len(g.Plies)
	}
	if recipe, err := ReadRecipe(path); err != nil || recipe == nil || *recipe != testRecipe {
		t.Errorf("recipe %+v, %v", recipe, err)
	}
	w, n, searched, err := OpenWriter(path, testRecipe)
	if err != nil || n != len(want) || searched != plies {
		t.Errorf("opened with %d games, %d plies, %v; want %d, %d", n, searched, err, len(want), plies)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// A file truncated anywhere keeps all complete blocks, and writing continues after them.
func TestOpenWriter_RemovesTruncatedTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games")
	games := randomGames(t, 800)
	writeGames(t, path, games[:400])
	writeGames(t, path, games[400:])
	whole := fixture.Read(t, path)
	for _, cut := range []int{1, 7, headerSize, 500, 60_000} {
		fixture.Write(t, path, whole[:len(whole)-cut])
		kept, err := readGames(path)
		if !errors.Is(err, ErrTruncated) {
			t.Errorf("cut %d: reading ends with %v, want ErrTruncated", cut, err)
		}
		w, n, _, err := OpenWriter(path, testRecipe)
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
	fixture.Write(t, path, strings.Repeat("not games ", 100))
	if _, err := readGames(path); err == nil || errors.Is(err, ErrTruncated) {
		t.Errorf("reading: %v, want an error that is not ErrTruncated", err)
	}
	if _, _, _, err := OpenWriter(path, testRecipe); err == nil {
		t.Error("a file of another kind was opened for writing")
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

func TestOpenWriter_RefusesAnotherRecipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games")
	writeGames(t, path, randomGames(t, 3))
	other := testRecipe
	other.Nodes, other.LineOpenings = 800, 0
	_, _, _, err := OpenWriter(path, other)
	if err == nil || !strings.Contains(err.Error(), "nodes 700, not 800, line-openings 0.5, not 0;") {
		t.Errorf("error %v", err)
	}
}

// Two processes never write one file.
func TestOpenWriter_InUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games")
	w, _, _, err := OpenWriter(path, testRecipe)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := OpenWriter(path, testRecipe); !errors.Is(err, file.ErrInUse) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("opened a second time: %v, want %v", err, file.ErrInUse)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	writeGames(t, path, randomGames(t, 1))
}

// Blocks after a damaged one are not removed, whichever bit of it is wrong.
func TestOpenWriter_KeepsWhatFollowsDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games")
	games := randomGames(t, 30)
	var ends []int64 // of the blocks with games
	for i := range 3 {
		writeGames(t, path, games[10*i:10*i+10])
		ends = append(ends, int64(len(fixture.Read(t, path))))
	}
	whole := fixture.Read(t, path)
	recipe := int64(headerSize) + int64(binary.LittleEndian.Uint32([]byte(whole[4:8])))
	for name, tt := range map[string]struct {
		at   int64
		bit  byte
		size int64 // of the file
		want error
	}{
		"magic":               {recipe, 1, ends[2], ErrDamaged},
		"length beyond end":   {recipe + 6, 8, ends[2], ErrDamaged},
		"impossible length":   {recipe + 7, 1, ends[2], ErrDamaged},
		"plies":               {recipe + 12, 1, ends[2], ErrDamaged},
		"checksum":            {recipe + 16, 1, ends[2], ErrDamaged},
		"payload":             {recipe + 500, 1, ends[2], ErrDamaged},
		"end of the first":    {ends[0] - 1, 128, ends[2], ErrDamaged},
		"end of the second":   {ends[1] - 1, 128, ends[2], ErrDamaged},
		"one byte follows":    {ends[1] - 1, 128, ends[1] + 1, ErrDamaged},
		"magic of the last":   {ends[1], 1, ends[2], ErrTruncated},
		"payload of the last": {ends[2] - 1, 1, ends[2], ErrTruncated},
	} {
		left := tt.size
		if tt.want == ErrTruncated {
			left = ends[1]
		}
		file := []byte(whole[:tt.size])
		file[tt.at] ^= tt.bit
		fixture.Write(t, path, file)
		if _, err := readGames(path); !errors.Is(err, tt.want) {
			t.Errorf("%s: reading ends with %v, want %v", name, err, tt.want)
		}
		w, _, _, err := OpenWriter(path, testRecipe)
		if err == nil {
			err = w.Close()
		}
		if errors.Is(err, ErrDamaged) != (tt.want == ErrDamaged) {
			t.Errorf("%s: OpenWriter returned %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, file[:left]) {
			t.Errorf("%s: %d bytes are left, want %d of %d, %v", name, len(after), left, tt.size, err)
		}
	}
}

// A score is read with an error of at most half a step: about 1 % beyond 400 centipawns.
func TestScores_KeptInSteps(t *testing.T) {
	for score := -32767; score <= 32767; score++ {
		got, ok := scoreFromStep(stepFromScore(int16(score)))
		size, diff := max(score, -score), max(int(got)-score, score-int(got))
		within := max(fineStep/2, size/64)
		if size >= MateBound {
			within = 0
		}
		if !ok || diff > within || size < MateBound && max(got, -got) >= MateBound {
			t.Fatalf("score %d is read as %d, %v", score, got, ok)
		}
		if score > -32767 && stepFromScore(int16(score)) < stepFromScore(int16(score-1)) {
			t.Fatalf("the step of %d is below that of %d", score, score-1)
		}
	}
}

func TestPackMove(t *testing.T) {
	for v := range 1 << 16 {
		m := rules.Move(v)
		valid := !m.IsDrop() && !m.IsPromotion() ||
			m.IsPromotion() && m.Promotion() >= rules.Knight && m.Promotion() <= rules.Queen ||
			m.IsDrop() && m.Dropped() <= rules.Queen && m.From() == 0
		origin, target, err := packMove(m)
		if valid != (err == nil) {
			t.Fatalf("move %#x: %v", v, err)
		}
		if err != nil {
			continue
		}
		if got, err := unpackMove(origin, target); err != nil || got != m {
			t.Fatalf("move %#x is read as %#x, %v", v, uint16(got), err)
		}
	}
}

// Games unpacked from any stream are the same after packing and unpacking.
func FuzzUnpackStream(f *testing.F) {
	p := newPacker()
	for _, g := range randomGames(f, 3) {
		if err := p.add(g); err != nil {
			f.Fatal(err)
		}
	}
	games, plies := p.games, p.plies
	stream, err := io.ReadAll(flate.NewReader(bytes.NewReader(p.pack())))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(stream, games, plies)
	p = newPacker()
	f.Fuzz(func(t *testing.T, stream []byte, count, plies int) {
		if count < 0 || count > maxBlock || plies < 0 || plies > maxBlockPlies {
			return // blockReader rejects them
		}
		games, err := unpackStream(bufio.NewReader(bytes.NewReader(stream)), count, plies)
		if err != nil {
			return
		}
		for i := range games {
			if err := p.add(&games[i]); err != nil {
				t.Fatal(err)
			}
		}
		again, err := block{count, plies, p.pack()}.unpack()
		if diff := cmp.Diff(games, again); err != nil || diff != "" {
			t.Error(err, diff)
		}
	})
}
