package sandbox

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Outcome is a game's end as the bot sees it: it "won", "drew" or "lost" as "white" or
// "black".
func Outcome(r lichesstest.Result) (opponent, score, color string) {
	opponent, color = r.Black, "white"
	if r.Black == Bot {
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

// ClockLeft is what the bot had left at a game's end.
func ClockLeft(r lichesstest.Result) time.Duration {
	if r.White == Bot {
		return r.WhiteLeft
	}
	return r.BlackLeft
}

// Tenths rounds a duration for people.
func Tenths(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// PrintResult prints a line when a game ends; total 0 means no end.
func PrintResult(out io.Writer, n, total int, r lichesstest.Result) {
	opponent, score, color := Outcome(r)
	number := fmt.Sprint(n)
	if total > 0 {
		number = fmt.Sprintf("%d/%d", n, total)
	}
	fmt.Fprintf(out, "game %-7s %s as %s against %-9s by %s in %d moves (%s, %s left); last: %s\n", number, score, color, opponent,
		r.Status, (r.Plies+1)/2, Tenths(r.Duration), Tenths(ClockLeft(r)), strings.Join(r.Moves[max(0, len(r.Moves)-3):], " "))
}
