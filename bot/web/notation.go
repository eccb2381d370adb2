package web

import (
	"fmt"
	"slices"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// sanCache caches the moves of a game in SAN, so that each is formatted once.
type sanCache struct {
	moves    []rules.Move
	san      []string
	last     string // last move in UCI notation
	position rules.Position
}

// of returns the moves of a game in SAN, which the caller must not modify.
func (l *sanCache) of(g *rules.Game) []string {
	moves := g.Moves()
	if len(moves) < len(l.moves) || !slices.Equal(moves[:len(l.moves)], l.moves) || len(l.moves) == 0 {
		*l = sanCache{position: *g.Start()} // after a takeback
	}
	for _, m := range moves[len(l.moves):] {
		l.moves, l.san, l.last = append(l.moves, m), append(l.san, l.position.SAN(m)), l.position.UCI(m)
		l.position = l.position.After(m)
	}
	return slices.Clip(l.san)
}

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

// statusNames are the Lichess game statuses in words, to follow "White won by".
var statusNames = map[lichess.Status]string{
	lichess.StatusMate: "checkmate", lichess.StatusResign: "resignation", lichess.StatusOutOfTime: "time", lichess.StatusTimeout: "leaving",
	lichess.StatusStalemate: "stalemate", lichess.StatusDraw: "agreement or repetition", lichess.StatusCheat: "cheat detected",
	lichess.StatusVariantEnd: "the variant's rule", lichess.StatusInsufficientMaterial: "insufficient material",
}

// describeResult describes how a game ended, such as "White won by checkmate".
func describeResult(status lichess.Status, result rules.Result) string {
	how, known := statusNames[status]
	if !known {
		how = string(status)
	}
	switch {
	case status == lichess.StatusAborted || status == lichess.StatusNoStart:
		return "Aborted"
	case result == rules.WhiteWins:
		return "White won by " + how
	case result == rules.BlackWins:
		return "Black won by " + how
	}
	return "Drawn by " + how
}
