package check

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/bridge"
	"github.com/zhbot/zhbot/internal/player"
)

// program tries the engine program, if one is to search.
func (k *checker) program(ctx context.Context, c *config.Config) {
	if c.Engine.Command == "" {
		return
	}
	s := player.SettingsOf(c)
	o, err := s.Bridge(zerolog.Nop())
	if err != nil {
		k.reportProblem("engine", err, "")
		return
	}
	trial, err := bridge.Try(ctx, o)
	if err != nil {
		k.reportProblem("engine", err, "name a UCI program that knows crazyhouse by its path, such as /usr/games/fairy-stockfish, with options that it has; or remove engine.command")
		return
	}
	k.reportOK("engine: %s starts and finds a mate by a drop, %s; %d processes, with %d threads and %d MiB in all",
		trial.Name, trial.Move, o.Processes, o.Threads, o.HashMB)
}
