package stats

import (
	"math"
	"testing"
)

// Seasons with a known difference: the 95 % interval contains it in 95 % of them, and
// the estimate is right on average, to within three standard errors. Of 500 trials, each a
// success with a chance of 95 %,
// 475 ± 10 succeed (two standard errors).
func TestCompare_Simulation(t *testing.T) {
	const seasons, least, most = 500, 465, 485
	for _, l := range []league{
		{name: "a small difference", difference: 25, share: 0.5, games: 400, opponents: 60, deviation: 90, draws: 0.02},
		{name: "a large difference, bad ratings", difference: 100, share: 0.5, games: 400, opponents: 40,
			deviation: 150, draws: 0.02},
		{name: "few opponents, met often, unequal shares", difference: -40, share: 0.25, games: 300, opponents: 8,
			deviation: 90, draws: 0.02},
	} {
		if testing.Short() && l.name != "a small difference" {
			continue // one is enough for the race detector
		}
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			covered, sum, squares := 0, 0.0, 0.0
			for seed := range uint64(seasons) {
				d := l.play(seed).Compare().Differences[0]
				if d.Stronger == "b" {
					d.Elo = -d.Elo
				}
				miss := d.Elo - l.difference
				sum, squares = sum+miss, squares+miss*miss
				if math.Abs(miss) <= d.Error {
					covered++
				}
			}
			mean := sum / seasons
			deviation := math.Sqrt(squares/seasons - mean*mean)
			limit := 3 * deviation / math.Sqrt(seasons)
			t.Logf("%d of %d intervals contain the difference; mean error %+.2f, within ±%.2f; standard deviation %.1f",
				covered, seasons, mean, limit, deviation)
			if covered < least || covered > most {
				t.Errorf("%d of %d intervals contain the difference, want %d to %d", covered, seasons, least, most)
			}
			if math.Abs(mean) > limit {
				t.Errorf("mean error %+.2f, want one within ±%.2f", mean, limit)
			}
		})
	}
}
