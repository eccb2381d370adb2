package human

import "testing"

// candidates returns root moves with scores, after which nothing hangs.
func candidates(scores ...int) (list []Candidate) {
	for _, s := range scores {
		list = append(list, Candidate{Score: s})
	}
	return list
}

func TestStrength_ZeroValueIsFull(t *testing.T) {
	for name, s := range map[string]Strength{
		"zero": {}, "20": AtLevel(MaxLevel, 7), "21": AtLevel(MaxLevel+1, 7), "Elo": AtElo(MaxElo, 7),
	} {
		if !s.Full() || s.NodeLimit() != 0 || s.Lines() != 1 {
			t.Errorf("%s: %+v is not full strength", name, s)
		}
	}
	if s := AtLevel(-3, 0); s.levelsBelow != MaxLevel {
		t.Errorf("level -3 is %+v, want level 0", s)
	}
}

// Each level has more nodes than the previous one, and more often chooses the best move.
func TestStrength_GrowsWithTheLevel(t *testing.T) {
	scores := []int{100, 80, 30, -40, -200}
	before, freely := uint64(0), 2.0
	for level := range MaxLevel {
		best, seeds := 0, 2000
		for seed := range seeds {
			if AtLevel(float64(level), uint64(seed)).Choose(1, candidates(scores...)) == 0 {
				best++
			}
		}
		other := 1 - float64(best)/float64(seeds)
		if n := AtLevel(float64(level), 0).NodeLimit(); n <= before || other > freely+0.02 {
			t.Errorf("level %d: %d nodes after %d, %.3f other moves after %.3f", level, n, before, other, freely)
		} else {
			before = n
		}
		freely = other
	}
	if freely > 0.02 {
		t.Errorf("level 19 plays %.3f moves that are 20 centipawns worse", freely)
	}
}

func TestStrength_Elo(t *testing.T) {
	scale := SelfPlayScale()
	if scale[0] != MinElo || scale[MaxLevel] != MaxElo {
		t.Fatalf("the scale goes from %.0f to %.0f", scale[0], scale[MaxLevel])
	}
	last := AtElo(MinElo-100, 0).levelsBelow
	if last != MaxLevel {
		t.Errorf("below the scale is %v levels below full strength", last)
	}
	for elo := MinElo; elo <= MaxElo; elo++ {
		s := AtElo(elo, 0)
		if s.levelsBelow > last {
			t.Fatalf("Elo %d is weaker than %d", elo, elo-1)
		}
		last = s.levelsBelow
	}
	for level, elo := range scale {
		if got, want := AtElo(int(elo), 5), AtLevel(float64(level), 5); got != want {
			t.Errorf("Elo %.0f is %+v, want level %d, %+v", elo, got, level, want)
		}
	}
}

func TestStrength_Choose(t *testing.T) {
	for name, tt := range map[string]struct {
		scores []int
		never  int // index never chosen; -1 if only the first is
	}{
		"no move that is mated":            {[]int{0, -20, -30_000}, 2},
		"no move beyond the margin":        {[]int{0, -20, -levelMargin*levelTemperature - 1}, 2},
		"a single move needs no choice":    {[]int{12}, -1},
		"later lines may be worth no less": {[]int{0, 3, -9999}, 2},
	} {
		other := false
		for seed := range uint64(500) {
			i := AtLevel(0, seed).Choose(9, candidates(tt.scores...))
			other = other || i > 0
			if i == tt.never || tt.never < 0 && i != 0 {
				t.Errorf("%s: chose %d", name, i)
				break
			}
		}
		if other == (tt.never < 0) {
			t.Errorf("%s: another than the first move chosen: %t", name, other)
		}
	}
}
