package bot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// commandTimeout bounds everything that is said or asked beside the moves.
const commandTimeout = 15 * time.Second

// command sends something that no move may wait for. What came of it, the
// stream tells.
func (g *game) command(ctx context.Context, what string, send func(context.Context) error) {
	g.talk.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, commandTimeout)
		defer cancel()
		if err := send(ctx); err != nil && ctx.Err() == nil {
			g.log.Warn().Err(err).Str("command", what).Msg("command refused")
		}
	})
}

// say writes a line to the opponent, cut to what Lichess takes.
func (g *game) say(ctx context.Context, text string) {
	text = strings.ReplaceAll(text, "{opponent}", g.opponent)
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
	if !g.greeted && g.board.game.Ply() < 2 {
		g.say(ctx, g.bot.opts.Greeting)
	}
	g.greeted = true
}

// answerOffers declines the opponent's draw and takeback offers, once for each
// position they are made in.
func (g *game) answerOffers(ctx context.Context) {
	draw, takeback := g.state.BlackDraw, g.state.BlackTakeback
	if g.us == rules.Black {
		draw, takeback = g.state.WhiteDraw, g.state.WhiteTakeback
	}
	if !draw && !takeback || g.answered == g.id+g.state.Moves {
		return
	}
	g.answered = g.id + g.state.Moves
	if takeback {
		g.command(ctx, "decline takeback", func(ctx context.Context) error { return g.bot.opts.Client.Takeback(ctx, g.id, false) })
	}
	if draw {
		g.command(ctx, "decline draw", func(ctx context.Context) error { return g.bot.opts.Client.Draw(ctx, g.id, false) })
	}
}

// finishWithin is how long the rating change may take to come after the end.
const finishWithin = 2 * time.Second

// conclude says goodbye, waits for the rating change, and archives the game.
func (g *game) conclude(ctx context.Context) {
	played := g.board.game.Ply() >= 2
	if played {
		g.say(ctx, g.bot.opts.Goodbye)
	}
	var end lichess.Game
	timer := time.NewTimer(finishWithin)
	defer timer.Stop()
	select {
	case f := <-g.finish:
		end = *f
	case <-timer.C:
	case <-ctx.Done():
	}
	g.log.Info().Str("status", string(g.state.Status)).Str("winner", string(g.state.Winner)).Str("color", g.us.String()).
		Int("plies", g.board.game.Ply()).Int("rating_diff", end.RatingDiff).Msg("game over")
	if !played || g.bot.opts.Archive == nil {
		return
	}
	if err := g.bot.opts.Archive.Save(g.finished(&end)); err != nil {
		g.log.Error().Err(err).Msg("game not archived")
	}
}

// finished returns the game for the archive.
func (g *game) finished(end *lichess.Game) *record.Game {
	r := &record.Game{
		ID: g.id, Site: g.bot.opts.Site + "/" + g.id, Rated: g.full.Rated, Speed: string(g.full.Speed),
		Created: time.UnixMilli(int64(g.full.CreatedAt)).UTC(),
		White:   player(&g.full.White), Black: player(&g.full.Black),
		Game: g.board.game.Clone(), Notes: g.board.noted(),
		Status: string(g.state.Status), Winner: string(g.state.Winner),
	}
	if c := g.full.Clock; c != nil {
		r.Initial, r.Increment, r.HasClock = c.Initial.Duration(), c.Increment.Duration(), true
	}
	if end.ID != "" {
		r.White.RatingDiff, r.Black.RatingDiff = end.RatingDiff, end.Opponent.RatingDiff
		if g.us == rules.Black {
			r.White.RatingDiff, r.Black.RatingDiff = r.Black.RatingDiff, r.White.RatingDiff
		}
		r.RatingKnown = g.full.Rated
	}
	return r
}

func player(p *lichess.Player) record.Player {
	name := p.Name
	if p.AILevel > 0 {
		name = fmt.Sprintf("lichess AI level %d", p.AILevel)
	}
	if name == "" {
		name = "Anonymous"
	}
	return record.Player{Name: name, Title: p.Title, Rating: p.Rating}
}
