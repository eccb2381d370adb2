package bot

import (
	"context"
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/postmortem"
	"github.com/zhbot/zhbot/lichess"
)

// handleChat answers a command in the chat. It ignores all other text, our own
// lines, the server's, and those of users over the rate limit. An answer never
// starts like a command, so two bots cannot keep each other talking.
func (g *game) handleChat(ctx context.Context, line *lichess.ChatLine) {
	g.log.Debug().Str("room", string(line.Room)).Str("user", line.Username).Str("text", line.Text).Msg("chat")
	if g.full == nil || strings.EqualFold(line.Username, g.bot.Account()) || line.Room != lichess.PlayerRoom && !g.bot.settings().Spectators {
		return
	}
	answer := g.chatAnswer(line)
	if answer == nil {
		return
	}
	if !g.bot.chat.allow(line.Username, g.id) {
		g.log.Debug().Str("user", line.Username).Msg("chat rate limit exceeded")
		return
	}
	g.say(ctx, line.Room, answer())
}

// chatAnswer returns a function that answers a command, nil if the line is no
// command or has no answer now.
func (g *game) chatAnswer(line *lichess.ChatLine) func() string {
	name, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(line.Text)), "!")
	if !ok {
		return nil
	}
	name, _, _ = strings.Cut(name, " ")
	switch name {
	case "help":
		return g.help
	case "eval":
		if g.hidesEvaluation() {
			return nil
		}
		return g.evaluation
	case "engine":
		return g.engineName
	case "stats":
		return func() string { return g.statsOf(line.Username) }
	case "rematch":
		if line.Room != lichess.PlayerRoom || !strings.EqualFold(line.Username, event.PlayerOf(g.opponent()).Name) {
			return nil
		}
		return g.requestRematch
	}
	return nil
}

// hidesEvaluation reports whether our evaluation must stay hidden in all rooms: in a
// rated game it would help the opponent, who can read the spectators' room too.
func (g *game) hidesEvaluation() bool { return g.full.Rated && !g.state.Status.Over() }

func (g *game) help() string {
	commands := "!engine, !stats, !rematch"
	if !g.hidesEvaluation() {
		commands = "!eval, " + commands
	}
	return "I answer to " + commands + "."
}

// evaluation describes the score of our latest search.
func (g *game) evaluation() string {
	for ply := len(g.board.notes) - 1; ply >= 0; ply-- {
		n := &g.board.notes[ply]
		if !n.Eval.Known || g.board.mover(ply) != g.us {
			continue
		}
		text := fmt.Sprintf("%+.2f", float64(postmortem.Score(*n, g.us))/100)
		switch mate := n.Eval.For(g.us).Mate; {
		case mate > 0:
			text = fmt.Sprintf("mate in %d", mate)
		case mate < 0:
			text = fmt.Sprintf("mated in %d", -mate)
		}
		return fmt.Sprintf("From my side: %s at depth %d, after move %d.", text, n.Eval.Depth, ply/2+1)
	}
	return "I have not searched in this game yet."
}

func (g *game) engineName() string {
	o := &g.bot.opts
	return fmt.Sprintf("I am zhbot %s, network %s.", o.Version, o.Network)
}

// statsOf describes a user's results against us.
func (g *game) statsOf(user string) string {
	t := g.bot.memory.Tally(strings.ToLower(user))
	if t.Games() == 0 {
		return fmt.Sprintf("%s, this is the first game between us that I know of.", user)
	}
	return fmt.Sprintf("%s, of our last %d games you won %d, drew %d and lost %d.", user, t.Games(), t.Lost, t.Drawn, t.Won)
}

// requestRematch records that the opponent wants a rematch.
func (g *game) requestRematch() string {
	if rule, ok := g.bot.rematches.Check(g.full, lichess.Color(g.us.String())); !ok {
		return fmt.Sprintf("No rematch: %s.", rule)
	}
	g.rematchWanted = true
	return "I will challenge you to a rematch when this game is over."
}
