package app

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Outcome is a game's end from the bot's point of view.
type Outcome struct {
	Opponent  string
	Color     lichess.Color // the bot's
	Score     string        // "won", "drew" or "lost"
	ClockLeft time.Duration
	Absent    time.Duration // how long the bot was without a stream of the game
}

// OutcomeOf returns the outcome of a game of the bot.
func OutcomeOf(r lichesstest.Result) Outcome {
	o := Outcome{Opponent: r.Black, Color: lichess.White, Score: "lost", ClockLeft: r.WhiteLeft, Absent: r.WhiteAbsent}
	if r.Black == SandboxBot {
		o = Outcome{Opponent: r.White, Color: lichess.Black, Score: "lost", ClockLeft: r.BlackLeft, Absent: r.BlackAbsent}
	}
	switch r.Winner {
	case o.Color:
		o.Score = "won"
	case "":
		o.Score = "drew"
	}
	return o
}

// Tenths rounds a duration to tenths of a second.
func Tenths(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// PrintResult prints a line when a game ends; a total of 0 means an endless series.
func PrintResult(out io.Writer, n, total int, r lichesstest.Result) {
	o := OutcomeOf(r)
	number := fmt.Sprint(n)
	if total > 0 {
		number = fmt.Sprintf("%d/%d", n, total)
	}
	count, unit := (r.Plies+1)/2, "moves"
	if count == 1 {
		unit = "move"
	}
	fmt.Fprintf(out, "game %-7s %s as %s against %-9s %s in %d %s (%s, %s left); last: %s\n", number, o.Score, o.Color, o.Opponent,
		record.DescribeEnding(r.Status), count, unit, Tenths(r.Duration), Tenths(o.ClockLeft), strings.Join(r.Moves[max(0, len(r.Moves)-3):], " "))
}
