package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// outcome is a game's end as the bot sees it.
func outcome(r lichesstest.Result) (opponent, score, color string) {
	opponent, color = r.Black, "white"
	if r.Black == demoBot {
		opponent, color = r.White, "black"
	}
	switch r.Winner {
	case color:
		return opponent, "won", color
	case "":
		return opponent, "drew", color
	}
	return opponent, "lost", color
}

// clockLeft is what the bot had left at a game's end.
func clockLeft(r lichesstest.Result) time.Duration {
	if r.White == demoBot {
		return r.WhiteLeft
	}
	return r.BlackLeft
}

func tenths(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// printResult prints a line when a game ends; total 0 means no end.
func printResult(out io.Writer, n, total int, r lichesstest.Result) {
	opponent, score, color := outcome(r)
	number := fmt.Sprint(n)
	if total > 0 {
		number = fmt.Sprintf("%d/%d", n, total)
	}
	fmt.Fprintf(out, "game %-7s %s as %s against %-9s by %s in %d moves (%s, %s left); last: %s\n", number, score, color, opponent,
		r.Status, (r.Plies+1)/2, tenths(r.Duration), tenths(clockLeft(r)), strings.Join(r.Moves[max(0, len(r.Moves)-3):], " "))
}

// scoreLine is a line of the summary: the score against an opponent, and the least
// that was left on our clock at the end of a game.
type scoreLine struct {
	won, drew, lost int
	minClock        time.Duration
}

func (t *scoreLine) add(r lichesstest.Result) {
	if left := clockLeft(r); t.games() == 0 || left < t.minClock {
		t.minClock = left
	}
	switch _, score, _ := outcome(r); score {
	case "won":
		t.won++
	case "drew":
		t.drew++
	default:
		t.lost++
	}
}

func (t *scoreLine) games() int { return t.won + t.drew + t.lost }

// summarize prints the table of all games, and fails if the bot did what no
// bot may do.
func summarize(out io.Writer, results []lichesstest.Result, a lichesstest.Audit) error {
	tallies := map[string]*scoreLine{"total": {}}
	for _, r := range results {
		opponent, _, _ := outcome(r)
		if tallies[opponent] == nil {
			tallies[opponent] = &scoreLine{}
		}
		tallies[opponent].add(r)
		tallies["total"].add(r)
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "opponent\tgames\twon\tdrawn\tlost\tleast clock left\t")
	for _, name := range append(slices.Clone(demoOpponents), "total") {
		if t := tallies[name]; t != nil {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t\n", name, t.games(), t.won, t.drew, t.lost, tenths(t.minClock))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	lostOnTime, illegal, twice := a.LostOnTime[demoBot], a.Illegal[demoBot], a.Duplicates[demoBot]+a.OutOfTurn[demoBot]
	fmt.Fprintf(out, "\n%d moves posted; lost on time: %d; illegal posts: %d; posts twice or out of turn: %d; most games at once: %d\n",
		a.Moves[demoBot], lostOnTime, illegal, twice, a.MaxConcurrent[demoBot])
	if lostOnTime+illegal+twice > 0 {
		return fmt.Errorf("demo: %d games lost on time, %d illegal posts, %d posts twice or out of turn; all should be 0", lostOnTime, illegal, twice)
	}
	return nil
}
