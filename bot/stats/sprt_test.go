package stats

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/zhbot/zhbot/config"
)

// ordinary is a league as one expects it; the others are those that might mislead a test.
var ordinary = league{name: "ordinary", games: 6000, opponents: 60, deviation: 90, draws: 0.02, pools: 100}

func harder() []league {
	drift, pools, near, few := ordinary, ordinary, ordinary, ordinary
	drift.name, drift.drift = "opponents that drift", 40
	pools.name, pools.pools = "pools 400 apart", 400
	near.name, near.near = "opponents chosen by our rating", true
	few.name, few.opponents = "only 8 opponents", 8
	return []league{drift, pools, near, few}
}

// outcomes counts the outcomes of tests with one difference.
type outcomes struct {
	trials, wrong, decided int
	games                  []int
}

// add plays a season with a difference, and tests it for a gain of 0 or of gain, with so many
// games between two looks.
func (o *outcomes) add(l league, difference, gain float64, seed uint64, every int) {
	l.difference = difference
	r := l.play(seed).sprt(config.SPRT{New: "a", Base: "b", Elo1: gain}, every)
	o.trials++
	o.games = append(o.games, r.Games)
	if r.Verdict != Undecided {
		o.decided++
	}
	if r.Verdict == AcceptedH1 && difference == 0 || r.Verdict == AcceptedH0 && difference > 0 {
		o.wrong++
	}
}

// mostWrong is how many of the trials may be wrong if each is in 5 % of cases: two standard
// errors above the mean.
func (o *outcomes) mostWrong() int {
	n := float64(o.trials)
	return int(n*0.05 + 2*math.Sqrt(n*0.05*0.95))
}

func (o *outcomes) check(t *testing.T) {
	t.Helper()
	slices.Sort(o.games)
	t.Logf("%d trials: %d wrong, %d decided, in %d games in the median, %d in 9 of 10", o.trials, o.wrong,
		o.decided, o.games[o.trials/2], o.games[o.trials*9/10])
	if o.wrong > o.mostWrong() {
		t.Errorf("%d wrong of %d, want at most %d", o.wrong, o.trials, o.mostWrong())
	}
	if o.decided*10 < o.trials*8 {
		t.Errorf("%d decided of %d, want 80 %%", o.decided, o.trials)
	}
}

// A large difference is found by the test, and none is, as often as it promises. A test for
// a smaller one differs only in the number of games: see [TestSPRT_Seasons].
func TestSPRT(t *testing.T) {
	const seasons, gain = 100, 120
	for _, difference := range []float64{0, gain} {
		t.Run(fmt.Sprint(difference), func(t *testing.T) {
			t.Parallel()
			l, all := ordinary, outcomes{}
			l.games = 600
			for seed := range uint64(seasons) {
				all.add(l, difference, gain, seed, lookEvery)
			}
			all.check(t)
		})
	}
}

// Contenders of which one wins every game, and the other loses every game, are told apart; two that win all are not.
func TestSPRT_Extremes(t *testing.T) {
	l := ordinary
	l.games = 300
	for winner, want := range map[string]Verdict{"a": AcceptedH1, "b": AcceptedH0, "": Undecided} {
		games := l.play(1)
		for i := range games.games {
			o := &games.games[i]
			o.score = 0
			if o.contender == games.contenders[winner] || winner == "" {
				o.score = 1
			}
		}
		if r := games.SPRT(config.SPRT{New: "a", Base: "b", Elo1: 30}); r.Verdict != want {
			t.Errorf("%q wins all: %s", winner, r)
		}
	}
}

// firstSeed is the seed of the first season: with those below, [sprtBound] was chosen.
const firstSeed = 10_000

// Tests for a gain of 30 in whole seasons, as many as ZHBOT_SEASONS says: the table of
// docs/contenders.md. Without it two short seasons of each kind are simulated.
func TestSPRT_Seasons(t *testing.T) {
	seasons, games := 2, 120
	if n, err := strconv.Atoi(os.Getenv("ZHBOT_SEASONS")); err == nil {
		seasons, games = n, ordinary.games
	}
	for i, l := range append([]league{ordinary}, harder()...) {
		l.games = games
		n, often := seasons, seasons/10 // with a look after each game
		if i > 0 {
			n, often = min(seasons, 300), 0
		}
		for _, difference := range []float64{0, 30} {
			t.Run(fmt.Sprintf("%s, a difference of %g", l.name, difference), func(t *testing.T) {
				t.Parallel()
				var all outcomes
				for seed := range n {
					every := lookEvery
					if seed < often {
						every = 1
					}
					all.add(l, difference, 30, uint64(firstSeed+seed), every)
				}
				if seasons > 2 {
					all.check(t)
				} else if all.decided > 0 || all.games[0] != games {
					t.Errorf("outcomes %+v, want none decided", all)
				}
			})
		}
	}
}
