package nnue

import (
	"math/bits"

	"github.com/zhbot/zhbot/rules"
)

// featureSet is a set of features in White's perspective, a bit for each. The pieces fill
// twelve words, as bitboards; the pockets have one word and the promoted pieces two.
type featureSet [15]uint64

const (
	pocketWord   = pocketBase / 64
	promotedWord = pocketWord + 1
	// promotedGap is the number of unused bits of the pockets' word.
	promotedGap = 64*promotedWord - promotedBase
)

// set makes the set that of a position.
func (s *featureSet) set(p *rules.Position) {
	s[pocketWord] = 0
	for c := rules.White; c <= rules.Black; c++ {
		for t := rules.Pawn; t <= rules.King; t++ {
			s[6*int(c)+int(t-1)] = uint64(p.Pieces(c, t))
		}
		for pocket, t := p.Pocket(c), rules.Pawn; t <= rules.Queen; t++ {
			n := min(pocket.Count(t), rules.PocketLimit(t))
			s[pocketWord] |= (1<<n - 1) << (int(c)*pocketSlots + int(pocketOffset[t]))
		}
		s[promotedWord+int(c)] = uint64(p.Promoted() & p.ByColor(c))
	}
}

// toggle adds a feature that is not in the set or removes one that is.
func (s *featureSet) toggle(f uint16) {
	if f >= promotedBase {
		f += promotedGap
	}
	s[f/64] ^= 1 << (f % 64)
}

// play changes the set of a position by a move.
func (s *featureSet) play(d *featureDelta) {
	for _, f := range d.rows[:d.added] {
		s.toggle(f)
	}
	for _, f := range d.rows[4 : 4+d.removed] {
		s.toggle(f)
	}
}

// appendDifference appends the features that are in s but not in other, as orient maps
// them.
func (s *featureSet) appendDifference(dst []uint16, other *featureSet, orient *FeatureMap) []uint16 {
	for word := range s {
		offset := uint16(64 * word)
		if word >= promotedWord {
			offset -= promotedGap
		}
		for missing := s[word] &^ other[word]; missing != 0; missing &= missing - 1 {
			dst = append(dst, orient[offset+uint16(bits.TrailingZeros64(missing))])
		}
	}
	return dst
}
