package train

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/engine/selfplay"
	"github.com/zhbot/zhbot/rules"
)

// The errors are those of the network's own evaluation.
func TestTest(t *testing.T) {
	network, games, path := nnue.Default(), materialGames(t, 20), filepath.Join(t.TempDir(), "games")
	writeGames(t, path, games)
	var scores, results lossSum
	for _, g := range games {
		err := g.Replay(func(p *rules.Position, ply selfplay.Ply) {
			if !isLearned(p, ply, g.Result) {
				return
			}
			score, result := float64(ply.Score), g.Result.Points(p.Turn())
			if p.Turn() == rules.Black {
				score = -score
			}
			said := sigmoid(float64(network.Evaluate(p)) / 400)
			scores.add(p.InHand(), math.Pow(said-sigmoid(score/400), 2))
			results.add(p.InHand(), math.Pow(said-result, 2))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := Test(t.Context(), network, path, Storage{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		want lossSum
		got  EpochLoss
	}{"scores": {scores, got.Scores}, "results": {results, got.Results}} {
		all, phases := c.want.mean()
		if math.Abs(c.got.Validation-all) > 1e-3 || math.Abs(c.got.Phases[0]-phases[0]) > 1e-3 || all < 0.01 {
			t.Errorf("%s: %.6f (%s), want %.6f (%s)", name, c.got.Validation, c.got.Phases, all, phases)
		}
	}
}
