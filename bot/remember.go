package bot

import (
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// meet notes that the game is on. It does not wait for the disk.
func (g *game) meet() {
	opponent, at := g.opponent(), time.UnixMilli(int64(g.full.CreatedAt)).UTC()
	if opponent.ID == "" {
		return
	}
	id, bot := idOf(opponent), opponent.IsBot()
	g.aides.Go(func() { g.bot.memory.began(g.id, id, bot, at, time.Now()) })
}

// remember takes in the finished game: what came of the moves, or that there
// were none.
func (g *game) remember(played bool, final *lichess.Game) {
	switch opponent := g.opponent(); {
	case played:
		g.bot.memory.played(g.record(final), g.us)
	case opponent.ID != "" && !g.late:
		g.bot.memory.aborted(idOf(opponent), time.Now())
	}
}
