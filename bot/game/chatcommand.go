package game

import (
	"fmt"
	"slices"
	"strings"
)

// levelCommands are for the opponent only.
var levelCommands = []string{"level", "harder", "easier"}

// answerCommand returns the answer to a user's command.
func (g *game) answerCommand(name, argument, user string) string {
	switch name {
	case "help":
		return g.help()
	case "eval":
		return g.evaluation()
	case "pv":
		return g.principalVariation()
	case "queue":
		return g.queue()
	case "engine":
		return g.engineName()
	case "stats":
		return g.statsOf(user)
	}
	return g.changeLevel(name, argument)
}

// hidesEvaluation reports whether our evaluation must stay hidden in all rooms: in a
// rated game it would help the opponent, who can read the spectators' room too.
func (g *game) hidesEvaluation() bool { return g.full.Rated && !g.state.Status.Over() }

// chatCommands returns the commands that are answered now.
func (g *game) chatCommands() []string {
	return slices.DeleteFunc(slices.Clone(g.opts.Settings().Chat.Commands), func(name string) bool {
		return g.hidesEvaluation() && slices.Contains([]string{"eval", "pv"}, name) ||
			!g.hasWishes() && slices.Contains(levelCommands, name)
	})
}

func (g *game) help() string {
	names := slices.DeleteFunc(g.chatCommands(), func(name string) bool { return name == "help" })
	if len(names) == 0 {
		return "I answer to nothing else."
	}
	return "I answer to !" + strings.Join(names, ", !") + "."
}

// evaluation describes the score of our latest search.
func (g *game) evaluation() string {
	for ply, n := range slices.Backward(g.board.notes) {
		if !n.Eval.Known {
			continue
		}
		text := fmt.Sprintf("%+.2f", float64(n.Score(g.us))/100)
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

// principalVariation describes the line that our latest search expects.
func (g *game) principalVariation() string {
	t := g.move.turn
	if t == nil || t.chosen == nil || len(t.chosen.info.PV) == 0 ||
		!slices.Equal(g.board.moves[:min(t.ply, len(g.board.moves))], strings.Fields(t.moves)) {
		return "I have not searched for my latest move."
	}
	before := g.board.game.PositionAt(t.ply)
	return fmt.Sprintf("I expect %s", before.Line(t.chosen.info.PV))
}

// queue tells how many games are in progress, and whose challenges wait for one to end.
func (g *game) queue() string {
	use, waiting := g.opts.Games.Use(), g.opts.Waiting()
	text := fmt.Sprintf("I play %d of at most %d games", use.Games, use.Max)
	if len(waiting) == 0 {
		return text + ", and nobody waits."
	}
	return fmt.Sprintf("%s; waiting: %s.", text, strings.Join(waiting, ", "))
}

func (g *game) engineName() string {
	if program := g.program(); program != "" {
		return fmt.Sprintf("I am zhbot %s, and %s searches for me.", g.opts.Version, program)
	}
	return fmt.Sprintf("I am zhbot %s, network %s.", g.opts.Version, g.contender.NetworkName)
}

// statsOf describes a user's results against us.
func (g *game) statsOf(user string) string {
	t := g.opts.Opponents.Tally(strings.ToLower(user))
	if t.Games() == 0 {
		return fmt.Sprintf("%s, this is the first game between us that I know of.", user)
	}
	return fmt.Sprintf("%s, of our last %d games you won %d, drew %d and lost %d.", user, t.Games(), t.Lost,
		t.Drawn, t.Won)
}
