package event

import (
	"fmt"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// GameView is a snapshot of a game.
type GameView struct {
	record.Summary
	Us      rules.Color
	Board   *rules.Game
	Notes   []record.Note // by ply
	Clocks  [2]time.Duration
	At      time.Time // when the clocks were read
	Running bool      // the clock of the side to move runs
}

// Opponent returns the other player.
func (v *GameView) Opponent() record.Player {
	return v.Summary.Opponent(v.Us)
}

// PlayerOf describes a player of Lichess, nil for nobody.
func PlayerOf(p *lichess.Player) record.Player {
	if p == nil {
		p = new(lichess.Player)
	}
	name := p.Name
	if p.AILevel > 0 {
		name = fmt.Sprintf("lichess AI level %d", p.AILevel)
	}
	if name == "" {
		name = "Anonymous"
	}
	return record.Player{Name: name, Title: p.Title, Rating: p.Rating}
}
