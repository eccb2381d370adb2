package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine/level"
)

// candidates returns root moves with scores, after which nothing hangs.
func candidates(scores ...int) (list []candidate) {
	for _, s := range scores {
		list = append(list, candidate{score: s})
	}
	return list
}

func TestStrength_ZeroValueIsFull(t *testing.T) {
	for name, s := range map[string]Strength{"zero": {}, "20": StrengthFromLevel(MaxSkill, 7), "21": StrengthFromLevel(MaxSkill+1, 7), "Elo": StrengthFromElo(MaxElo, 7)} {
		if !s.full() || s.nodeLimit() != 0 || s.lineCount() != 1 {
			t.Errorf("%s: %+v is not full strength", name, s)
		}
	}
	if s := StrengthFromLevel(-3, 0); s.levelsBelow != MaxSkill {
		t.Errorf("level -3 is %+v, want level 0", s)
	}
}

// Each level has more nodes than the previous one, and more often chooses the best move.
func TestStrength_GrowsWithTheLevel(t *testing.T) {
	scores := []int{100, 80, 30, -40, -200}
	before, freely := uint64(0), 2.0
	for level := range MaxSkill {
		best, seeds := 0, 2000
		for seed := range seeds {
			if StrengthFromLevel(float64(level), uint64(seed)).chooseLine(1, candidates(scores...)) == 0 {
				best++
			}
		}
		other := 1 - float64(best)/float64(seeds)
		if n := StrengthFromLevel(float64(level), 0).nodeLimit(); n <= before || other > freely+0.02 {
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
	scale := level.SelfPlay()
	if scale[0] != MinElo || scale[MaxSkill] != MaxElo {
		t.Fatalf("the scale goes from %.0f to %.0f", scale[0], scale[MaxSkill])
	}
	last := StrengthFromElo(MinElo-100, 0).levelsBelow
	if last != MaxSkill {
		t.Errorf("below the scale is %v levels below full strength", last)
	}
	for elo := MinElo; elo <= MaxElo; elo++ {
		s := StrengthFromElo(elo, 0)
		if s.levelsBelow > last {
			t.Fatalf("Elo %d is weaker than %d", elo, elo-1)
		}
		last = s.levelsBelow
	}
	for level, elo := range scale {
		if got, want := StrengthFromElo(int(elo), 5), StrengthFromLevel(float64(level), 5); got != want {
			t.Errorf("Elo %.0f is %+v, want level %d, %+v", elo, got, level, want)
		}
	}
}

func TestStrength_Choose(t *testing.T) {
	mate, mated := mateIn(3), matedIn(2)
	for name, tt := range map[string]struct {
		scores []int
		never  int // index never chosen; -1 if only the first is
	}{
		"a found mate is played":           {[]int{mate, mate - 2, 500}, -1},
		"no move that is mated":            {[]int{0, -20, mated}, 2},
		"no move beyond the margin":        {[]int{0, -20, -levelMargin*levelTemperature - 1}, 2},
		"the least bad of mates":           {[]int{mated + 4, mated + 2, mated}, -1},
		"a single move needs no choice":    {[]int{12}, -1},
		"later lines may be worth no less": {[]int{0, 3, -9999}, 2},
	} {
		other := false
		for seed := range uint64(500) {
			i := StrengthFromLevel(0, seed).chooseLine(9, candidates(tt.scores...))
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

func TestStrength_SeedDecides(t *testing.T) {
	g := newGame(t, start)
	moves := map[string]bool{}
	for seed := range uint64(20) {
		l := Limits{Depth: 3, Strength: StrengthFromLevel(2, seed)}
		first, again := mustSearch(t, newTestEngine(), g, l), mustSearch(t, newTestEngine(), g, l)
		if first.Move != again.Move || first.Info.Nodes != again.Info.Nodes {
			t.Fatalf("seed %d: %s and %s", seed, first.Move, again.Move)
		}
		if first.Info.PV[0] != first.Move {
			t.Errorf("seed %d: plays %s and reports %s", seed, first.Move, first.Info.PV[0])
		}
		moves[first.Move.String()] = true
	}
	if len(moves) < 3 {
		t.Errorf("twenty seeds play only %v", moves)
	}
}

// A level ends its search by itself, with any or no limit, and a lower limit still
// applies.
func TestStrength_BoundsNodes(t *testing.T) {
	for name, l := range map[string]Limits{
		"clock": {White: time.Hour, Black: time.Hour},
		"time":  {MoveTime: time.Hour},
		"none":  {},
	} {
		l.Strength = StrengthFromLevel(10, 1)
		r := mustSearch(t, New(Options{Threads: 4, HashMB: 4}), newGame(t, start), l)
		if n := l.Strength.nodeLimit(); r.Info.Nodes > n+1 {
			t.Errorf("%s: %d nodes, want at most %d", name, r.Info.Nodes, n)
		}
	}
	r := mustSearch(t, newTestEngine(), newGame(t, richPockets), Limits{Nodes: 10, Strength: StrengthFromLevel(0, 1)})
	if r.Info.Nodes > 11 {
		t.Errorf("%d nodes, want 10", r.Info.Nodes)
	}
}

func TestStrength_MateInOneAtEveryLevel(t *testing.T) {
	g := newGame(t, "6rk/6pp/8/8/8/8/8/K7/NQ w - - 0 1")
	for level := range MaxSkill + 1 {
		for seed := range uint64(3) {
			r := mustSearch(t, newTestEngine(), g, Limits{Nodes: 20_000, Strength: StrengthFromLevel(float64(level), seed)})
			if r.Move.String() != "N@f7" {
				t.Errorf("level %d plays %s, want N@f7", level, r.Move)
			}
		}
	}
}

// Eight levels up must clearly win. Games are repeatable: seeds are fixed and nothing is
// timed.
func TestStrength_HigherLevelsWin(t *testing.T) {
	for _, step := range [][2]int{{8, 0}, {16, 8}} {
		t.Run(fmt.Sprint(step[0], " against ", step[1]), func(t *testing.T) {
			const games = 12
			limits := func(i int) Limits {
				return Limits{Nodes: 8000, Strength: StrengthFromLevel(float64(step[i]), uint64(i))}
			}
			score := playMatch(t, games, limits(0), limits(1))
			t.Logf("level %d scores %.1f of %d against level %d", step[0], score, games, step[1])
			if score/games < 0.65 {
				t.Errorf("level %d scores %.1f of %d against level %d, want at least 65 %%", step[0], score, games, step[1])
			}
		})
	}
}
