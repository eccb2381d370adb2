package app

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// score is a line of the summary: the games against an opponent by their scores, and the
// least that was left on our clock at the end of a game.
type score struct {
	games    map[string]int // by [Outcome.Score]; "" counts all
	minClock time.Duration
}

// summarize prints the table of all games, and fails if the bot did what no
// bot may do.
func summarize(out io.Writer, results []lichesstest.Result, a lichesstest.Audit) error {
	scores := map[string]*score{}
	for _, r := range results {
		o := OutcomeOf(r)
		for _, name := range []string{o.Opponent, "total"} {
			if scores[name] == nil {
				scores[name] = &score{map[string]int{}, o.ClockLeft}
			}
			t := scores[name]
			t.games[""]++
			t.games[o.Score]++
			t.minClock = min(t.minClock, o.ClockLeft)
		}
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "opponent\tgames\twon\tdrawn\tlost\tleast clock left\t")
	for _, name := range append(slices.Clone(Opponents), "total") {
		if t := scores[name]; t != nil {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t\n", name, t.games[""], t.games["won"], t.games["drew"], t.games["lost"], Tenths(t.minClock))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	twice := a.Duplicates + a.OutOfTurn
	fmt.Fprintf(out, "\n%d moves posted; lost on time: %d; illegal posts: %d; posts twice or out of turn: %d; most games at once: %d\n",
		a.Moves, a.LostOnTime, a.Illegal, twice, a.MaxConcurrent)
	if a.LostOnTime+a.Illegal+twice > 0 {
		return fmt.Errorf("%d games lost on time, %d illegal posts, %d posts twice or out of turn; all should be 0", a.LostOnTime, a.Illegal, twice)
	}
	return nil
}
