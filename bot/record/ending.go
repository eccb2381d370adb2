package record

import (
	"cmp"
	"fmt"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// endings are Lichess's game statuses in words, as in "won on time".
var endings = map[lichess.Status]string{
	lichess.StatusMate: "by checkmate", lichess.StatusResign: "by resignation", lichess.StatusOutOfTime: "on time",
	lichess.StatusTimeout: "by abandonment", lichess.StatusStalemate: "by stalemate",
	lichess.StatusDraw: "by agreement or repetition", lichess.StatusCheat: "because of cheating",
	lichess.StatusVariantEnd: "by the variant's rule", lichess.StatusInsufficientMaterial: "by insufficient material",
	lichess.StatusUnknownFinish: "in an unknown way",
}

// DescribeEnding puts the status of a finished game into words, to follow "won" or "drew".
func DescribeEnding(status lichess.Status) string {
	return cmp.Or(endings[status], "("+string(status)+")")
}

// DescribeResult describes how a game ended, such as "White won by checkmate". The page's
// script replaces who won by "Won" and "Lost", so what follows must fit both sides.
func DescribeResult(status lichess.Status, result rules.Result) string {
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
	return winner + " " + DescribeEnding(status)
}
