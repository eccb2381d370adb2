package bot

import (
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

// recordOpponent records that the game has begun. It does not wait for the disk.
func (g *game) recordOpponent() {
	them, at := g.opponent(), time.UnixMilli(int64(g.full.CreatedAt)).UTC()
	if them.ID == "" {
		return
	}
	id, bot := opponent.ID(them), them.IsBot()
	g.spawn(func() { g.bot.memory.Began(g.id, id, bot, at, time.Now()) })
}

// recordOutcome records the finished game: its moves, or why there were none.
func (g *game) recordOutcome(played bool, final *lichess.Game) {
	switch them, m, now := g.opponent(), g.bot.memory, time.Now(); {
	case played:
		m.Played(g.record(final), g.us)
	case them.ID == "" || g.alreadyOver:
	case g.opponentAborted():
		m.Aborted(opponent.ID(them), now)
	case g.opponentIdle():
		m.Idle(opponent.ID(them), now, g.bot.settings().Matchmaking.Pauses)
	default:
		m.EndPair(opponent.ID(them))
	}
}

// opponentAborted reports whether the opponent aborted the game. Neither our own
// abort counts, nor that of a challenge that was accepted while we canceled it.
func (g *game) opponentAborted() bool {
	return g.state.Status == lichess.StatusAborted && !g.aborting && !g.bot.wasCanceled(g.id)
}

// opponentIdle reports whether the game ended because the opponent made no first
// move.
func (g *game) opponentIdle() bool {
	theirTurn := g.board.game.Position().Turn() != g.us
	return theirTurn && (g.aborting || g.state.Status == lichess.StatusNoStart)
}
