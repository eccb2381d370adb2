package bot

import (
	"context"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
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

// offers are what the opponent asks for.
type offers struct {
	draw, takeback bool
	answeredAt     int // ply at which a draw offer was last answered
}

// offerAgainAfter is how many plies must pass before a flag that stays set is a
// new draw offer: Lichess does not clear the flag of an offer that was declined,
// and allows no new one before.
const offerAgainAfter = 20

// answerOffers answers the opponent's draw and takeback offers, each once.
func (g *game) answerOffers(ctx context.Context) {
	before, ply := g.offered, g.board.game.Ply()
	g.offered.draw, g.offered.takeback = g.state.BlackDraw, g.state.BlackTakeback
	if g.us == rules.Black {
		g.offered.draw, g.offered.takeback = g.state.WhiteDraw, g.state.WhiteTakeback
	}
	if g.offered.draw && (!before.draw || ply >= before.answeredAt+offerAgainAfter) {
		g.offered.answeredAt = ply
		g.answerDraw(ctx)
	}
	if g.offered.takeback && !before.takeback {
		g.answerTakeback(ctx)
	}
}

func (g *game) answerDraw(ctx context.Context) {
	accept := g.bot.settings().Play.AcceptDraw
	yes := accept != nil && g.score != nil && accept(*g.score)
	g.log.Info().Bool("accept", yes).Msg("draw offered")
	g.command(ctx, "answer draw", func(ctx context.Context) error { return g.bot.opts.Client.Draw(ctx, g.id, yes) })
}

func (g *game) answerTakeback(ctx context.Context) {
	yes := g.takebacks < g.bot.settings().Play.Takebacks
	if yes {
		g.takebacks++
		g.jot(g.journal.Takebacks(g.takebacks))
	}
	g.log.Info().Bool("accept", yes).Msg("takeback asked for")
	g.command(ctx, "answer takeback", func(ctx context.Context) error { return g.bot.opts.Client.Takeback(ctx, g.id, yes) })
}
