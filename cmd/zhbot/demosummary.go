package main

import (
	"fmt"
	"io"
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

// printResult prints a line when a game ends; total 0 means no end.
func printResult(out io.Writer, n, total int, r lichesstest.Result) {
	opponent, score, color := outcome(r)
	number := fmt.Sprint(n)
	if total > 0 {
		number = fmt.Sprintf("%d/%d", n, total)
	}
	fmt.Fprintf(out, "game %-7s %s as %s against %-9s by %s in %d moves (%s); last: %s\n", number, score, color, opponent,
		r.Status, (r.Plies+1)/2, r.Duration.Round(100*time.Millisecond), strings.Join(r.Moves[max(0, len(r.Moves)-3):], " "))
}

// summarize prints the table of all games, and fails if the bot did what no
// bot may do.
func summarize(out io.Writer, results []lichesstest.Result, a lichesstest.Audit) error {
	type line struct{ won, drew, lost int }
	lines := map[string]*line{"total": {}}
	for _, r := range results {
		opponent, score, _ := outcome(r)
		if lines[opponent] == nil {
			lines[opponent] = &line{}
		}
		for _, l := range []*line{lines[opponent], lines["total"]} {
			switch score {
			case "won":
				l.won++
			case "drew":
				l.drew++
			default:
				l.lost++
			}
		}
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "opponent\tgames\twon\tdrawn\tlost\t")
	for _, name := range append(append([]string{}, demoOpponents...), "total") {
		if l := lines[name]; l != nil {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", name, l.won+l.drew+l.lost, l.won, l.drew, l.lost)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	lostOnTime, illegal, twice := a.LostOnTime[demoBot], a.Illegal[demoBot], a.Duplicates[demoBot]+a.OutOfTurn[demoBot]
	fmt.Fprintf(out, "\n%d moves posted; lost on time: %d; illegal posts: %d; posts twice or out of turn: %d; most games at once: %d\n",
		a.Moves[demoBot], lostOnTime, illegal, twice, a.MostAtOnce[demoBot])
	if lostOnTime+illegal+twice > 0 {
		return fmt.Errorf("demo: %d games lost on time, %d illegal posts, %d posts twice or out of turn; all should be 0", lostOnTime, illegal, twice)
	}
	return nil
}
