package bot

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// commandTimeout bounds every request other than moves.
const commandTimeout = 15 * time.Second

// sendCommand sends a request that no move may wait for. The stream shows its
// effect.
func (g *game) sendCommand(ctx context.Context, what string, send func(context.Context) error) {
	g.spawn(func() {
		ctx, cancel := context.WithTimeout(ctx, commandTimeout)
		defer cancel()
		if err := send(ctx); err != nil && ctx.Err() == nil {
			g.log.Warn().Err(err).Str("command", what).Msg("command refused")
		}
	})
}

// say sends a chat line to a room, cut to Lichess's limit.
func (g *game) say(ctx context.Context, room lichess.Room, text string) {
	text = cutChat(text)
	if text == "" {
		return
	}
	g.sendCommand(ctx, "chat", func(ctx context.Context) error {
		return g.bot.opts.Client.Chat(ctx, g.id, room, text)
	})
}

// announce sends a configured text to the opponent and, if configured, to
// spectators.
func (g *game) announce(ctx context.Context, text string) {
	text = g.expandPlaceholders(text)
	g.say(ctx, lichess.PlayerRoom, text)
	if g.bot.settings().Spectators {
		g.say(ctx, lichess.SpectatorRoom, text)
	}
}

// cutChat normalizes and truncates a text to a line of chat.
func cutChat(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	units := 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > lichess.MaxChatLength {
			return text[:i]
		}
	}
	return text
}

// expandPlaceholders replaces the placeholders of a text in one pass, so that
// inserted text is not expanded again.
func (g *game) expandPlaceholders(text string) string {
	us, them := &g.full.White, g.opponent()
	if us == them {
		us = &g.full.Black
	}
	return strings.NewReplacer(
		"{opponent}", event.PlayerOf(them).Name,
		"{rating}", ratingText(them.Rating),
		"{me}", event.PlayerOf(us).Name,
		"{version}", g.bot.opts.Version,
		"{speed}", string(g.full.Speed),
		"{result}", g.result(),
	).Replace(text)
}

func ratingText(rating int) string {
	if rating == 0 {
		return "unrated"
	}
	return strconv.Itoa(rating)
}

// greet sends the greeting once, at the start of a game but not after a restart
// during one.
func (g *game) greet(ctx context.Context) {
	if !g.greeted && !g.greetedBefore && g.board.game.Ply() < 2 {
		g.announce(ctx, g.bot.settings().Greeting)
		g.handleJournalError(g.journal.MarkGreeted())
	}
	g.greeted = true
}
