package bot

import (
	"context"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// commandTimeout bounds everything that is said or asked beside the moves.
const commandTimeout = 15 * time.Second

// command sends something that no move may wait for. What came of it, the
// stream tells.
func (g *game) command(ctx context.Context, what string, send func(context.Context) error) {
	g.aides.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, commandTimeout)
		defer cancel()
		if err := send(ctx); err != nil && ctx.Err() == nil {
			g.log.Warn().Err(err).Str("command", what).Msg("command refused")
		}
	})
}

// say writes a line to the opponent, cut to what Lichess takes.
func (g *game) say(ctx context.Context, text string) {
	text = strings.ReplaceAll(text, "{opponent}", playerOf(g.opponent()).Name)
	if r := []rune(text); len(r) > lichess.MaxChat {
		text = string(r[:lichess.MaxChat])
	}
	if text != "" {
		g.command(ctx, "chat", func(ctx context.Context) error {
			return g.bot.opts.Client.Chat(ctx, g.id, lichess.PlayerRoom, text)
		})
	}
}

// greet says hello once, at the start of a game but not after a restart in the
// middle of one.
func (g *game) greet(ctx context.Context) {
	if !g.greeted && !g.welcomed && g.board.game.Ply() < 2 {
		g.say(ctx, g.bot.settings().Greeting)
		g.jot(g.journal.Greeted())
	}
	g.greeted = true
}
