package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/engine/selfplay"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// materialGames are random games whose scores are the material on the board.
func materialGames(tb testing.TB, n int) (games []*selfplay.Game) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	for range n {
		g := &selfplay.Game{Result: rules.Draw}
		p := rules.StartPosition()
		for ply := range 20 + rng.IntN(100) {
			moves := p.LegalMoves()
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			if ply < 8 {
				g.Opening = append(g.Opening, m)
			} else {
				g.Plies = append(g.Plies, selfplay.Ply{Move: m, Score: material(&p)})
			}
			p = p.After(m)
		}
		games = append(games, g)
	}
	return games
}

// material returns White's lead on the board in centipawns.
func material(p *rules.Position) (score int16) {
	values := [...]int{rules.Pawn: 100, rules.Knight: 300, rules.Bishop: 300, rules.Rook: 500, rules.Queen: 900}
	for t := rules.Pawn; t <= rules.Queen; t++ {
		score += int16(values[t] * (p.Pieces(rules.White, t).Count() - p.Pieces(rules.Black, t).Count()))
	}
	return score
}

// writeGames writes games to a file.
func writeGames(tb testing.TB, path string, games []*selfplay.Game) {
	tb.Helper()
	w, _, _, err := selfplay.OpenWriter(path, selfplay.Recipe{Program: "test"})
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

func smallOptions() Options {
	o := DefaultOptions()
	o.Width, o.Buckets, o.Epochs, o.Batch, o.Rate, o.Decay, o.Origin = 128, 1, 6, 128, 5e-3, 0.01, "material"
	return o
}

// load loads files as the tests learn from them.
func load(ctx context.Context, st Storage, paths ...string) (train, validation *Samples, c Contents, err error) {
	st.holdout = 10
	return LoadSamples(ctx, paths, Objective{ScoreScale: 400}, st)
}

// samplesOf returns the samples of some games, from shards of about a size.
func samplesOf(tb testing.TB, games []*selfplay.Game, seed uint64, shardSize int) (train, validation *Samples) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "games")
	writeGames(tb, path, games)
	st := Storage{Seed: seed, Dir: tb.TempDir(), shardSize: shardSize}
	train, validation, stats, err := load(tb.Context(), st, path)
	if err != nil {
		tb.Fatal(err)
	}
	if stats.Games != len(games) || train.Len() == 0 || validation.Len() == 0 {
		tb.Fatalf("loaded %+v", stats)
	}
	tb.Cleanup(func() {
		if err := errors.Join(train.Close(), validation.Close()); err != nil {
			tb.Error(err)
		}
	})
	return train, validation
}

func smallSamples(tb testing.TB, games int) (train, validation *Samples) {
	tb.Helper()
	return samplesOf(tb, materialGames(tb, games), 0, 0)
}

func newRun(tb testing.TB, o Options, train, validation *Samples) *Run {
	tb.Helper()
	run, err := NewRun(o, train, validation)
	if err != nil {
		tb.Fatal(err)
	}
	return run
}

// trainToEnd trains a network without interruption.
func trainToEnd(t *testing.T, run *Run) *nnue.Network {
	t.Helper()
	n, err := run.Train(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// firstShard returns the first of the samples' shards.
func firstShard(tb testing.TB, s *Samples) *sampleShard {
	tb.Helper()
	sh, err := s.load(0)
	if err != nil {
		tb.Fatal(err)
	}
	return sh
}

// A game is learned once, in whichever files it is.
func TestLoadSamples_Duplicates(t *testing.T) {
	dir, games := t.TempDir(), materialGames(t, 30)
	once, again := filepath.Join(dir, "once"), filepath.Join(dir, "again")
	writeGames(t, once, games)
	writeGames(t, again, append(games[:10:10], games[3], games[3]))
	var want int
	for _, paths := range [][]string{{once}, {once, again}} {
		train, validation, stats, err := load(t.Context(), Storage{Dir: dir}, paths...)
		if err != nil {
			t.Fatal(err)
		}
		n := train.Len() + validation.Len()
		if len(paths) == 1 {
			want = n
		} else if stats.Games != 42 || stats.Duplicates != 12 || n != want {
			t.Errorf("%+v, %d positions, want %d", stats, n, want)
		}
		if err := errors.Join(train.Close(), validation.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTrain_LearnsMaterial(t *testing.T) {
	train, validation := smallSamples(t, 400)
	run := newRun(t, smallOptions(), train, validation)
	n := trainToEnd(t, run)
	first, last := run.History[0], run.History[len(run.History)-1]
	t.Log(run.History)
	if last.Validation > 0.7*first.Validation {
		t.Errorf("validation loss went from %.5f to %.5f", first.Validation, last.Validation)
	}
	if !strings.Contains(n.Summary(), "material") || !strings.Contains(n.Summary(), " Epochs:6 ") {
		t.Errorf("summary %q", n.Summary())
	}
	up := fixture.Position(t, "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq - 0 1")
	down := fixture.Position(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR/ w KQkq - 0 1")
	if u, d := n.Evaluate(&up), n.Evaluate(&down); u < 300 || d > -300 {
		t.Errorf("a queen up is worth %d, a queen down %d", u, d)
	}
}

// output returns the output of the network that a worker trains.
func output(w *worker, sh *sampleShard, sample int) float64 {
	w.chunk.set(sh, []int{sample}, w.weights.buckets)
	w.first.forward(w.weights.first, &w.chunk.features)
	return float64(w.head.forward(w.first.accOf(0), w.first.accOf(1), &w.chunk.counts[0],
		int(w.chunk.positions[0].bucket)))
}

// The quantised network agrees with the floating-point network.
func TestExport_KeepsScores(t *testing.T) {
	train, validation := smallSamples(t, 50)
	o := smallOptions()
	o.Buckets, o.Epochs = 4, 2
	run := newRun(t, o, train, validation)
	n := trainToEnd(t, run)
	i, sh := 0, firstShard(t, train)
	for _, g := range materialGames(t, 50) {
		err := g.Replay(func(p *rules.Position, ply selfplay.Ply) {
			if !isLearned(p, ply, g.Result) || g.Hash()%10 == 0 {
				return
			}
			out := 400 * output(run.workers[0], sh, i)
			if diff := out - float64(n.Evaluate(p)); diff > 50 || diff < -50 {
				t.Fatalf("%s: %.0f in floats, %d quantised", p.FEN(), out, n.Evaluate(p))
			}
			i++
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if i != train.Len() {
		t.Errorf("compared %d of %d samples", i, train.Len())
	}
	trained, rounded := run.History[1].Validation, run.Final.Validation
	if math.Abs(rounded/trained-1) > 0.02 {
		t.Errorf("validation loss %.6f, quantised %.6f", trained, rounded)
	}

	// A run that goes on from the network starts with its loss.
	o.From = n
	next := newRun(t, o, train, validation)
	if got, _, err := next.validate(); err != nil || math.Abs(got/rounded-1) > 1e-4 {
		t.Errorf("loss %.6f, loaded again %.6f, %v", rounded, got, err)
	}
	o.Buckets = 2
	if _, err := NewRun(o, train, validation); err == nil ||
		!strings.Contains(err.Error(), "its width is 128 with 4 stacks, not 128 with 2") {
		t.Errorf("a network of another shape: %v", err)
	}
}

// An interrupted run that is resumed gives the same network as an uninterrupted one.
func TestTrain_ResumesToTheSameNetwork(t *testing.T) {
	train, validation := smallSamples(t, 30)
	o := smallOptions()
	o.Epochs = 3
	whole := newRun(t, o, train, validation)
	want := trainToEnd(t, whole)

	o.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	ctx, cancel := context.WithCancel(context.Background())
	first := newRun(t, o, train, validation)
	_, err := first.Train(ctx, func(p Progress) {
		if p.Epoch == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted run: %v", err)
	}
	second := newRun(t, o, train, validation)
	if len(second.History) == 0 {
		t.Fatal("the second run starts from the beginning")
	}
	got := trainToEnd(t, second)
	if got.Hash() != want.Hash() {
		t.Errorf("resumed network %s, uninterrupted %s", got.Hash(), want.Hash())
	}
	o.Width = 256
	if _, err := NewRun(o, train, validation); err == nil {
		t.Error("a checkpoint of another shape was accepted")
	}
	o.Width, train.objective.Fade = smallOptions().Width, 0.1
	if _, err := NewRun(o, train, validation); err == nil || !strings.Contains(err.Error(), "fade was 0, now 0.1") {
		t.Errorf("a checkpoint of another objective: %v", err)
	}
}

func TestObjective_Expected(t *testing.T) {
	half := int16(math.Round(400 * math.Log(3))) // three quarters
	g := &selfplay.Game{Plies: []selfplay.Ply{{Score: half}, {Score: 0}, {Score: -half}}, Result: rules.WhiteWins}
	for weightAndFade, want := range map[[2]float64][3]float32{
		{0, 0}:     {0.75, 0.5, 0.25},
		{1, 0}:     {1, 1, 1},
		{0.5, 0}:   {0.875, 0.75, 0.625},
		{1, 1}:     {0.5, 0.25, 1}, // the next score
		{1, 0.5}:   {(0.625 + 0.5) / 2, 0.625, 1},
		{0.5, 0.5}: {(0.75 + 0.5625) / 2, 0.5625, 0.625},
	} {
		o := Objective{ResultWeight: weightAndFade[0], Fade: weightAndFade[1], ScoreScale: 400}
		for i, got := range o.targets(g, 1) {
			if diff := got - want[i]; diff > 1e-3 || diff < -1e-3 {
				t.Errorf("%v: ply %d: %.4f, want %.4f", weightAndFade, i, got, want[i])
			}
		}
	}
}

func TestTarget_SideToMove(t *testing.T) {
	for turn, want := range map[rules.Color]float32{rules.White: 0.75, rules.Black: 0.25} {
		if got := (target{points: 0.75, turn: turn}).sideToMoveTarget(); got != want {
			t.Errorf("colour %d: %.2f, want %.2f", turn, got, want)
		}
	}
}

func TestIsLearned(t *testing.T) {
	const (
		open    = "rnbqkb1r/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR/N w KQkq - 0 2"
		check   = "rnbqk1nr/pppp1ppp/8/4p3/1b1P4/8/PPP1PPPP/RNBQKBNR/ w KQkq - 0 3"
		promote = "4k3/1P6/8/8/8/8/8/4K3/ w - - 0 1"
	)
	for _, tt := range []struct {
		name   string
		fen    string
		move   string
		score  int16
		result rules.Result
		want   bool
	}{
		{"quiet", rules.StartFEN, "e2e4", 30, rules.Draw, true},
		{"drop", open, "N@f5", 30, rules.Draw, true},
		{"capture", open, "e4d5", 30, rules.Draw, false},
		{"in check", check, "c2c3", 0, rules.Draw, false},
		{"promotion", promote, "b7b8q", 0, rules.Draw, false},
		{"mate score", rules.StartFEN, "e2e4", -31990, rules.BlackWins, false},
		{"far ahead and won", rules.StartFEN, "e2e4", 1600, rules.WhiteWins, false},
		{"far ahead and lost", rules.StartFEN, "e2e4", 1600, rules.BlackWins, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := fixture.Position(t, tt.fen)
			ply := selfplay.Ply{Move: fixture.Move(t, &p, tt.move), Score: tt.score}
			if got := isLearned(&p, ply, tt.result); got != tt.want {
				t.Errorf("learned %v, want %v", got, tt.want)
			}
		})
	}
}
