package train

import (
	"fmt"
	"sort"
	"strings"
)

// PhaseLoss is the loss by the number of pieces in hand: mean squared errors.
type PhaseLoss [len(phases)]float64

// phases are the minimum numbers of pieces in hand.
var phases = [...]int{0, 4, 8, 16}

func phaseOf(inHand int) int { return sort.SearchInts(phases[:], inHand+1) - 1 }

// String returns the losses, each after the numbers of pieces in hand.
func (l PhaseLoss) String() string {
	var texts []string
	for i, loss := range l {
		to := "+"
		if i+1 < len(phases) {
			to = fmt.Sprintf("-%d", phases[i+1]-1)
		}
		texts = append(texts, fmt.Sprintf("%d%s: %.6f", phases[i], to, loss))
	}
	return strings.Join(texts, ", ")
}

// lossSum adds up squared errors.
type lossSum struct {
	sums   [len(phases)]float64
	counts [len(phases)]int
}

func (s *lossSum) add(inHand int, squared float64) {
	phase := phaseOf(inHand)
	s.sums[phase] += squared
	s.counts[phase]++
}

func (s *lossSum) merge(other *lossSum) {
	for i := range phases {
		s.sums[i] += other.sums[i]
		s.counts[i] += other.counts[i]
	}
}

// mean returns the loss of all positions and by phase, 0 where there are no positions.
func (s *lossSum) mean() (all float64, l PhaseLoss) {
	sum, count := 0.0, 0
	for i, n := range s.counts {
		sum += s.sums[i]
		count += n
		l[i] = s.sums[i] / float64(max(1, n))
	}
	return sum / float64(max(1, count)), l
}
