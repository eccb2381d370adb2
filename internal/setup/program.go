package setup

import (
	"context"

	"github.com/zhbot/zhbot/internal/mover"
)

// program tries the engine program of the settings in a section, if one is to search.
func (k *checker) program(ctx context.Context, section string, s mover.Settings) {
	if s.Command == "" {
		return
	}
	o, err := s.PoolOptions()
	if err != nil {
		k.reportProblem(section, err, "")
		return
	}
	trial, err := mover.TryProgram(ctx, o)
	if err != nil {
		k.reportProblem(section, err, "name a UCI program that knows crazyhouse by its path, such as /usr/games/fairy-stockfish, with options that it has; or remove the command")
		return
	}
	k.reportOK("%s: %s starts and finds a mate by a drop, %s; %d processes, with %d threads and %d MiB in total",
		section, trial.Name, trial.Move, o.Processes, o.Threads, o.HashMB)
}
