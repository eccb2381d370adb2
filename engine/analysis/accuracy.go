package analysis

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/zhbot/zhbot/rules"
)

// Accuracy is computed as Lichess does for a game, see https://lichess.org/page/accuracy:
// each move has an accuracy from the winning chances that it loses, and a player's is the
// mean of two means of these, one weighted by how volatile the game was around the move,
// the other harmonic.

// maxChances are the chances, in percent, of who mates: as with an advantage of ten pawns.
const maxChances = 97.545

// accuracies returns the accuracy of each side in percent, NaN for one without moves. The
// chances are White's in percent, before the first move of the given side and after each.
func accuracies(chances []float64, first rules.Color) (players [2]float64) {
	var sums [2]struct{ weighted, weights, reciprocals, moves float64 }
	for i, weight := range volatilities(chances) {
		side, lost := first, chances[i]-chances[i+1]
		if i%2 == 1 {
			side = first.Other()
		}
		if side == rules.Black {
			lost = -lost
		}
		s, accuracy := &sums[side], moveAccuracy(lost)
		s.weighted += weight * accuracy
		s.weights += weight
		s.reciprocals += 1 / max(accuracy, 1)
		s.moves++
	}
	for side, s := range sums {
		players[side] = (s.weighted/s.weights + s.moves/s.reciprocals) / 2
	}
	return players
}

// moveAccuracy returns the accuracy, in percent, of a move that loses winning chances, in
// percent.
func moveAccuracy(lost float64) float64 {
	return min(max(103.1668*math.Exp(-0.04354*lost)-3.1669+1, 0), 100)
}

// volatilities returns for each move the standard deviation of the chances around it, from
// 0.5 to 12.
func volatilities(chances []float64) (weights []float64) {
	moves := len(chances) - 1
	size := min(max(moves/10, 2), 8, len(chances))
	for i := range moves {
		// The first moves share the first window.
		from := max(i+2-size, 0)
		weights = append(weights, min(max(stat.PopStdDev(chances[from:from+size], nil), 0.5), 12))
	}
	return weights
}
