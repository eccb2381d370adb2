package stats

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// trial is a test in one season.
type trial struct {
	league     string
	difference float64
	seed       uint64
	every      int // games between two looks
}

// outcome is how a trial ended.
type outcome struct {
	games   int
	verdict Verdict
}

// run plays a season and tests it for a gain of 0 or of gain.
func (k trial) run(l league, gain float64) outcome {
	l.difference = k.difference
	r := l.play(k.seed).sprt(config.SPRT{New: "a", Base: "b", Elo1: gain}, k.every)
	return outcome{r.Games, r.Verdict}
}

// outcomes counts the outcomes of trials with one difference.
type outcomes struct {
	trials, wrong, decided int
	games                  []int
}

func (o *outcomes) add(k trial, got outcome) {
	o.trials++
	o.games = append(o.games, got.games)
	if got.verdict != Undecided {
		o.decided++
	}
	if got.verdict == AcceptedH1 && k.difference == 0 || got.verdict == AcceptedH0 && k.difference > 0 {
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
	t.Logf("%d trials: %d wrong, %d decided, in %d games in the median, %d in 9 of 10", o.trials, o.wrong, o.decided, o.games[o.trials/2], o.games[o.trials*9/10])
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
				k := trial{l.name, difference, seed, lookEvery}
				all.add(k, k.run(l, gain))
			}
			all.check(t)
		})
	}
}

// seasonsFile names the environment variable for [TestSPRT_Seasons].
const seasonsFile = "ZHBOT_SEASONS"

// Tests for a gain of 30 in whole seasons: the table of docs/contenders.md. Each outcome is a
// line of a file, and those that it has are not simulated again, so that this can be
// stopped and continued:
//
//	ZHBOT_SEASONS=$PWD/seasons.txt go test ./bot/stats -run SPRT_Seasons -v -timeout 0
//
// Without a file two short seasons of each kind are simulated, and their outcomes read back.
func TestSPRT_Seasons(t *testing.T) {
	file, seasons, games := os.Getenv(seasonsFile), 1000, ordinary.games
	if file == "" {
		file, seasons, games = filepath.Join(t.TempDir(), "seasons.txt"), 2, 120
	}
	known := readOutcomes(t, file)
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]outcomes{}
	for i, l := range append([]league{ordinary}, harder()...) {
		n, often := seasons, seasons/10
		if i > 0 {
			n, often = min(seasons, 300), 0
		}
		for _, difference := range []float64{0, 30} {
			name := fmt.Sprintf("%s, a difference of %g", l.name, difference)
			l.games = games
			all[name] = simulateSeasons(t, out, known, l, difference, n, often)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if again := readOutcomes(t, file); len(again) < 2*(seasons+4*min(seasons, 300)) {
		t.Errorf("read %d outcomes back", len(again))
	}
	for name, o := range all {
		t.Run(name, func(t *testing.T) {
			if seasons > 2 {
				o.check(t)
			} else if len(o.games) != 2 || o.games[0] != games {
				t.Errorf("outcomes %+v, want none decided", o)
			}
		})
	}
}

// firstSeed is the seed of the first season: with those below, [sprtBound] was chosen.
const firstSeed = 10_000

// simulateSeasons simulates the seasons of which no outcome is known, the first few of
// them with a look after each game.
func simulateSeasons(t *testing.T, out io.Writer, known map[trial]outcome, l league, difference float64, seasons, often int) (all outcomes) {
	t.Helper()
	for seed := range seasons {
		k := trial{l.name, difference, uint64(firstSeed + seed), lookEvery}
		if seed < often {
			k.every = 1
		}
		got, found := known[k]
		if !found {
			got = k.run(l, 30)
			if _, err := fmt.Fprintf(out, "%s\t%g\t%d\t%d\t%d\t%s\n", k.league, k.difference, k.seed, k.every, got.games, got.verdict); err != nil {
				t.Fatal(err)
			}
		}
		all.add(k, got)
	}
	return all
}

// readOutcomes reads what is known of earlier runs.
func readOutcomes(t *testing.T, file string) map[trial]outcome {
	t.Helper()
	known := map[trial]outcome{}
	f, err := os.Open(file)
	if err != nil {
		return known
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 6 {
			t.Fatalf("%s: line %q", file, lines.Text())
		}
		number := func(i int) int {
			n, err := strconv.Atoi(fields[i])
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			return n
		}
		known[trial{fields[0], float64(number(1)), uint64(number(2)), number(3)}] = outcome{number(4), Verdict(fields[5])}
	}
	return known
}
