package app

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// score is a line of the summary: the score against an opponent, and the least
// that was left on our clock at the end of a game.
type score struct {
	won, drew, lost int
	minClock        time.Duration
}

func (t *score) add(o Outcome) {
	if t.games() == 0 || o.ClockLeft < t.minClock {
		t.minClock = o.ClockLeft
	}
	switch o.Score {
	case "won":
		t.won++
	case "drew":
		t.drew++
	default:
		t.lost++
	}
}

func (t *score) games() int { return t.won + t.drew + t.lost }

// summarize prints the table of all games, and fails if the bot did what no
// bot may do.
func summarize(out io.Writer, results []lichesstest.Result, a lichesstest.Audit) error {
	scores := map[string]*score{"total": {}}
	for _, r := range results {
		o := OutcomeOf(r)
		if scores[o.Opponent] == nil {
			scores[o.Opponent] = &score{}
		}
		scores[o.Opponent].add(o)
		scores["total"].add(o)
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "opponent\tgames\twon\tdrawn\tlost\tleast clock left\t")
	for _, name := range append(slices.Clone(Opponents), "total") {
		if t := scores[name]; t != nil {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t\n", name, t.games(), t.won, t.drew, t.lost, Tenths(t.minClock))
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
