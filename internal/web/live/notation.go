package live

import (
	"cmp"
	"fmt"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// formatTimeControl formats a time control as minutes+seconds, such as 3+2.
func formatTimeControl(clock bool, initial, increment time.Duration) string {
	if !clock {
		return "no clock"
	}
	minutes := fmt.Sprintf("%g", initial.Minutes())
	switch {
	case initial == 15*time.Second:
		minutes = "¼"
	case initial == 30*time.Second:
		minutes = "½"
	case initial == 45*time.Second:
		minutes = "¾"
	case initial%(30*time.Second) != 0:
		minutes = fmt.Sprintf("%gs", initial.Seconds())
	}
	return fmt.Sprintf("%s+%g", minutes, increment.Seconds())
}

// endings are Lichess's game statuses in words, to follow "White won".
var endings = map[lichess.Status]string{
	lichess.StatusMate: "by checkmate", lichess.StatusResign: "by resignation", lichess.StatusOutOfTime: "on time",
	lichess.StatusStalemate: "by stalemate", lichess.StatusDraw: "by agreement or repetition", lichess.StatusCheat: "because of cheating",
	lichess.StatusVariantEnd: "by the variant's rule", lichess.StatusInsufficientMaterial: "by insufficient material",
}

// describeResult describes how a game ended, such as "White won by checkmate". The page's
// script replaces who won by "Won" and "Lost", so what follows must fit both sides.
func describeResult(status lichess.Status, result rules.Result) string {
	winner, loser := "Drawn", "a player"
	switch {
	case status == lichess.StatusAborted || status == lichess.StatusNoStart:
		return "Aborted"
	case result == rules.NoResult:
		return "Ended without a result"
	case result == rules.WhiteWins:
		winner, loser = "White won", "Black"
	case result == rules.BlackWins:
		winner, loser = "Black won", "White"
	}
	if status == lichess.StatusTimeout {
		return fmt.Sprintf("%s because %s left", winner, loser)
	}
	return winner + " " + cmp.Or(endings[status], "("+string(status)+")")
}
