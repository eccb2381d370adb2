package rules

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "search for the factors and write magics.bin")

// TestMagicFactors checks that a factor maps every blocker set of a square to an index of
// as many bits as there are blocker squares, with no two different attack sets on one
// index. go generate has it search for such factors.
func TestMagicFactors(t *testing.T) {
	if !*update {
		for s := range Square(64) {
			if !isMagic(s, rookSteps, magicFactor(int(s))) || !isMagic(s, bishopSteps, magicFactor(64+int(s))) {
				t.Errorf("a factor of %s maps different attacks to one index", s)
			}
		}
		return
	}
	rng := rand.New(rand.NewPCG(1, 956))
	var found bytes.Buffer
	for _, steps := range [][][2]int{rookSteps, bishopSteps} {
		for s := range Square(64) {
			factor := rng.Uint64() & rng.Uint64() & rng.Uint64()
			for !isMagic(s, steps, factor) {
				factor = rng.Uint64() & rng.Uint64() & rng.Uint64()
			}
			found.Write(binary.LittleEndian.AppendUint64(nil, factor))
		}
	}
	if err := os.WriteFile("magics.bin", found.Bytes(), 0o644); err != nil { //nolint:gosec // no secret
		t.Fatal(err)
	}
}

// isMagic reports whether a factor is one of a slider on a square.
func isMagic(s Square, steps [][2]int, factor uint64) bool {
	edges := (Rank1|Rank8)&^RankBB(s.Rank()) | (FileA|FileH)&^FileBB(s.File())
	mask := sliderAttacks(s, steps, 0) &^ edges
	if bits.OnesCount64(uint64(mask)*factor>>56) < 6 {
		return false // hardly ever one
	}
	attacks := map[uint64]Bitboard{}
	m := magic{mask, factor, 0, uint32(64 - bits.OnesCount64(uint64(mask)))}
	for blockers := Bitboard(0); ; {
		want := sliderAttacks(s, steps, blockers)
		if set, used := attacks[m.index(blockers)]; used && set != want {
			return false
		}
		attacks[m.index(blockers)] = want
		if blockers = (blockers - mask) & mask; blockers == 0 {
			return true
		}
	}
}
