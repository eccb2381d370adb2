package game

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// handleChat answers a command in the chat. It ignores all other text, our own
// lines, the server's, and those of users over the rate limit. An answer never
// starts like a command, so two bots cannot keep each other talking.
func (g *game) handleChat(ctx context.Context, line *lichess.ChatLine) {
	g.log.Debug().Str("room", string(line.Room)).Str("user", line.Username).Str("text", line.Text).Msg("chat")
	if g.full == nil || strings.EqualFold(line.Username, g.opts.Account().Username) ||
		line.Room != lichess.PlayerRoom && !g.opts.Settings().Chat.Spectators {
		return
	}
	byOpponent := line.Room == lichess.PlayerRoom &&
		strings.EqualFold(line.Username, event.PlayerOf(g.opponent()).Name)
	limit := g.answers.others
	if byOpponent {
		limit = g.answers.opponent
	}
	text, isCommand := strings.CutPrefix(strings.ToLower(strings.TrimSpace(line.Text)), "!")
	name, argument, _ := strings.Cut(text, " ")
	switch {
	case !isCommand || !slices.Contains(g.chatCommands(), name):
	case slices.Contains(levelCommands, name) && !byOpponent:
	case !limit.Allow():
		g.log.Debug().Str("user", line.Username).Msg("chat rate limit exceeded")
	default:
		g.sendChat(ctx, line.Room, g.answerCommand(name, strings.TrimSpace(argument), line.Username))
	}
}

// chatLimits limit the rate of answers in a game, to its opponent and to all others. Answers share a
// connection with resignations and claims, which must not wait behind them.
type chatLimits struct{ opponent, others *rate.Limiter }

func newChatLimits() chatLimits {
	const burst, every = 4, 15 * time.Second
	return chatLimits{rate.NewLimiter(rate.Every(every), burst), rate.NewLimiter(rate.Every(every), burst)}
}

// commandTimeout bounds every request other than moves.
const commandTimeout = 15 * time.Second

// Request sends something about a game.
type Request func(ctx context.Context, game string) error

// withAnswer returns a request that says yes or no.
func withAnswer(send func(ctx context.Context, game string, yes bool) error, yes bool) Request {
	return func(ctx context.Context, game string) error { return send(ctx, game, yes) }
}

// sendCommand sends a request that no move may wait for. The stream shows its
// effect.
func (g *game) sendCommand(ctx context.Context, what string, send Request) {
	g.spawn(func() {
		ctx, cancel := context.WithTimeout(ctx, commandTimeout)
		defer cancel()
		if err := send(ctx, g.id); err != nil && ctx.Err() == nil {
			g.log.Warn().Err(err).Str("command", what).Msg("command refused")
		}
	})
}

// sendChat sends a chat line to a room, cut to Lichess's limit, after the lines before it.
func (g *game) sendChat(ctx context.Context, room lichess.Room, text string) {
	if text = chatText(text); text != "" {
		g.sendCommand(ctx, "chat", g.chatRequest(room, text))
	}
}

// chatRequest returns a request that says something after the lines before it.
func (g *game) chatRequest(room lichess.Room, text string) Request {
	previous, sent := g.chatSent, make(chan struct{})
	g.chatSent = sent
	return func(ctx context.Context, game string) error {
		defer close(sent)
		if previous != nil {
			select {
			case <-previous:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return g.opts.Client.Chat(ctx, game, room, text)
	}
}

// announce sends a configured text to the opponent and, if configured, to
// spectators.
func (g *game) announce(ctx context.Context, text string) {
	text = g.expandPlaceholders(text)
	g.sendChat(ctx, lichess.PlayerRoom, text)
	if g.opts.Settings().Chat.Spectators {
		g.sendChat(ctx, lichess.SpectatorRoom, text)
	}
}

// expandPlaceholders replaces the placeholders of a text in one pass, so that
// inserted text is not expanded again.
func (g *game) expandPlaceholders(text string) string {
	us, them := sides(g.us, &g.full.White, &g.full.Black)
	return strings.NewReplacer(
		"{opponent}", event.PlayerOf(them).Name,
		"{rating}", ratingText(them.Rating),
		"{me}", event.PlayerOf(us).Name,
		"{version}", g.opts.Version,
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
	if !g.greeted && !g.greetedEarlier && g.board.game.Ply() < 2 {
		for _, line := range g.greeting() {
			g.announce(ctx, line)
		}
	}
	g.greeted = true
}

// chatText normalises a text and truncates it to a line of chat.
func chatText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	units := 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > lichess.MaxChatLength {
			return text[:i]
		}
	}
	return text
}
