package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine/selfplay"
	"github.com/zhbot/zhbot/rules"
)

// Samples are in random shards by the seed, whose files are removed.
func TestTrain_Shards(t *testing.T) {
	games := materialGames(t, 60)
	o := smallOptions()
	o.Epochs = 2
	networks := map[uint64]map[string]bool{3: {}, 4: {}}
	for _, seed := range []uint64{3, 4, 3} {
		train, validation := samplesOf(t, games, seed, 200)
		networks[seed][trainToEnd(t, newRun(t, o, train, validation)).Hash()] = true
		if len(train.counts) < 5 {
			t.Errorf("%d samples in %d files", train.Len(), len(train.counts))
		}
		place := train.dir
		if err := train.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(place); !os.IsNotExist(err) {
			t.Errorf("%s is left behind: %v", place, err)
		}
	}
	for hash := range networks[3] {
		if len(networks[3]) > 1 || networks[4][hash] {
			t.Errorf("networks by the seed: %v", networks)
		}
	}
}

// endingContext ends when it has been asked so often whether it has.
type endingContext struct {
	context.Context
	left int
}

// Err implements [context.Context].
func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// After an error or the end of the context no samples and no files are left.
func TestLoadSamples_Fails(t *testing.T) {
	path, dir := filepath.Join(t.TempDir(), "games"), t.TempDir()
	games := materialGames(t, 60)
	games[59].Plies[0].Move = rules.NewMove(rules.E1, rules.E8)
	writeGames(t, path, games)
	for asked, want := range map[int]error{
		1 << 20: rules.ErrIllegalMove, // never ends
		30:      context.Canceled,     // while games are counted
		115:     context.Canceled,     // with samples
	} {
		train, validation, _, err := load(&endingContext{t.Context(), asked}, Storage{Dir: dir}, path)
		if train != nil || validation != nil || !errors.Is(err, want) {
			t.Errorf("loaded %v and %v, %v", train, validation, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left behind, %v", left, err)
		}
	}
}

// A truncated file of samples is an error.
func TestTrain_RefusesDamagedFiles(t *testing.T) {
	train, validation := samplesOf(t, materialGames(t, 60), 0, 200)
	sh, err := train.load(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(train.files[1].Name(), 2*int64(sh.starts[50])); err != nil { // after 50 whole samples
		t.Fatal(err)
	}
	run := newRun(t, smallOptions(), train, validation)
	if _, err := run.Train(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "50 samples") {
		t.Errorf("error %v", err)
	}
}

// An epoch uses every sample once.
func TestRun_BatchesCoverAllSamples(t *testing.T) {
	train, validation := samplesOf(t, materialGames(t, 60), 0, 200)
	run := newRun(t, smallOptions(), train, validation)
	steps, last := 0, Progress{}
	if _, err := run.epoch(context.Background(), func(p Progress) { steps, last = steps+1, p }); err != nil {
		t.Fatal(err)
	}
	if steps != run.batches() || last.Batch != last.Batches || run.optimizer.step != steps {
		t.Errorf("%d reports, %d steps of %d batches; last %+v", steps, run.optimizer.step, run.batches(), last)
	}
	want := 0
	for sh, err := range train.inOrder(rand.New(rand.NewPCG(1, 2)).Perm(len(train.counts))) {
		if err != nil { // also if a shard has not the samples that were counted
			t.Fatal(err)
		}
		want += sh.len()
	}
	if want != train.Len() {
		t.Errorf("%d samples in shards, %d counted", want, train.Len())
	}
}

// gamesWithScale makes games whose results follow from their scores on a scale.
func gamesWithScale(n int, scale float64) (games []*selfplay.Game) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range n {
		score := rng.NormFloat64() * 400
		g := &selfplay.Game{Result: rules.BlackWins,
			Plies: []selfplay.Ply{{Score: int16(score)}, {Score: selfplay.MateScore - 3}}}
		if rng.Float64() < sigmoid(score/scale) {
			g.Result = rules.WhiteWins
		}
		games = append(games, g)
	}
	return games
}

func TestScaleFit(t *testing.T) {
	for _, want := range []float64{150, 300, 600} {
		var f scaleFit
		for _, g := range gamesWithScale(20_000, want) {
			f.add(g)
		}
		if got := f.scale(); math.Abs(got/want-1) > 0.05 {
			t.Errorf("scale %.1f, want %.0f", got, want)
		}
	}
	for name, games := range map[string][]*selfplay.Game{
		"none": nil, "one": {{Plies: []selfplay.Ply{{Score: 30}}, Result: rules.WhiteWins}},
		"unrelated": gamesWithScale(20_000, 1e9),
	} {
		var f scaleFit
		for _, g := range games {
			f.add(g)
		}
		if got := f.scale(); got != 0 {
			t.Errorf("%s: scale %.1f", name, got)
		}
	}
}

// The scores of all files are converted to one scale.
func TestContents_EqualizesScores(t *testing.T) {
	var paths []string
	for _, scale := range []float64{200, 400} {
		path := filepath.Join(t.TempDir(), "games")
		writeGames(t, path, gamesWithScale(5000, scale))
		paths = append(paths, path)
	}
	empty := filepath.Join(t.TempDir(), "games")
	writeGames(t, empty, nil)
	stats, err := scan(t.Context(), append(paths, empty), func(int, *selfplay.Game, bool) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	stats.equalizeScores()
	for i, scale := range []float64{200, 400, commonScale} { // the empty file's is unknown
		if got := scale * stats.Files[i].Factor; math.Abs(got-commonScale) > 0.05*commonScale {
			t.Errorf("scores of scale %.0f are converted to %.0f", scale, got)
		}
	}
	o := Objective{ScoreScale: 400}
	g := &selfplay.Game{Plies: []selfplay.Ply{{Score: 100}}}
	if got, want := o.targets(g, 2)[0], float32(sigmoid(0.5)); got != want {
		t.Errorf("100 centipawns doubled are %.3f points, want %.3f", got, want)
	}
}
