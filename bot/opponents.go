package bot

import (
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// recordOpponent records that the game has begun. It does not wait for the disk.
func (g *game) recordOpponent() {
	opponent, at := g.opponent(), time.UnixMilli(int64(g.full.CreatedAt)).UTC()
	if opponent.ID == "" {
		return
	}
	id, bot := idOf(opponent), opponent.IsBot()
	g.spawn(func() { g.bot.memory.began(g.id, id, bot, at, time.Now()) })
}

// recordOutcome records the finished game: its moves, or why there were none.
func (g *game) recordOutcome(played bool, final *lichess.Game) {
	switch opponent, m, now := g.opponent(), g.bot.memory, time.Now(); {
	case played:
		m.played(g.record(final), g.us)
	case opponent.ID == "" || g.alreadyOver:
	case g.opponentAborted():
		m.aborted(idOf(opponent), now)
	case g.opponentIdle():
		m.idle(idOf(opponent), now, &g.bot.settings().Matchmaking)
	default:
		m.dropPair(idOf(opponent))
	}
}

// opponentAborted reports whether the opponent aborted the game. Neither our own
// abort counts, nor that of a challenge that was accepted while we canceled it.
func (g *game) opponentAborted() bool {
	return g.state.Status == lichess.StatusAborted && !g.aborting && !g.bot.outgoing.wasCanceled(g.id)
}

// opponentIdle reports whether the game ended because the opponent made no first
// move.
func (g *game) opponentIdle() bool {
	theirTurn := g.board.game.Position().Turn() != g.us
	return theirTurn && (g.aborting || g.state.Status == lichess.StatusNoStart)
}
