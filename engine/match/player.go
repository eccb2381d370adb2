package match

import (
	"context"
	"fmt"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/rules"
)

// Player is an engine that plays one game at a time. [*external.Engine] is a player.
type Player interface {
	// Name returns the name that the engine reports.
	Name() string

	// NewGame makes the engine forget the previous game.
	NewGame(ctx context.Context) error

	// Search returns the engine's move, a legal one, and in Info.Time the time it took.
	// Once the context is done the engine moves at once.
	Search(ctx context.Context, g *rules.Game, l engine.Limits) (engine.Result, error)

	// Close quits the engine.
	Close() error
}

// Numbered is a player that chooses by the number of the game, so that games are the same
// in any order.
type Numbered interface {
	// SetGame is called before NewGame.
	SetGame(number int) error
}

// StartFunc starts an engine.
type StartFunc func(ctx context.Context) (Player, error)

// Program returns a function that starts an engine program, an [*external.Engine].
func Program(command string, o external.Config) StartFunc {
	return func(ctx context.Context) (Player, error) {
		process, err := external.StartProcess(ctx, command)
		if err != nil {
			return nil, err
		}
		player, err := external.New(ctx, process, o)
		if err != nil {
			return nil, fmt.Errorf("engine %q: %w", command, err)
		}
		return player, nil
	}
}
