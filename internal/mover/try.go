package mover

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/rules"
)

// trialTime is what the program gets to find the mate.
const trialTime = time.Second

// TryProgram starts a process of a program that has some places, has it find a mate by a
// drop, and ends it. It fails in the same cases as [Mover.AwaitReady], and if the program does
// not find the mate. It returns the program's name and its move, in SAN.
func TryProgram(ctx context.Context, e config.Engine, places int, o Options) (name, move string, err error) {
	c, err := newPool(ctx, e, places, o).startProcess(ctx, places)
	if err != nil {
		return "", "", fmt.Errorf("engine.command: %w", err)
	}
	defer func() { c.close(err) }()
	g := MateByDrop()
	searching, cancel := context.WithTimeout(ctx, 2*trialTime) // it may have forgotten its time
	defer cancel()
	result, err := c.engine.SearchAndReport(searching, g, engine.Limits{MoveTime: trialTime}, func(engine.Info) {})
	if err != nil {
		return "", "", fmt.Errorf("engine.command: search: %w", err)
	}
	position := g.Position()
	move = position.SAN(result.Move)
	if next := position.After(result.Move); !next.IsCheckmate() {
		return "", "", fmt.Errorf("engine.command: it plays %s where a drop mates (%s): does it know crazyhouse?",
			move, position.FEN())
	}
	return term.Short(c.engine.Name(), maxName), move, nil
}

// MateByDrop returns a game in which White mates by a drop, and only by a drop. It has moves,
// since xboard's protocol cannot set up pockets.
func MateByDrop() *rules.Game {
	g := rules.NewGame(rules.StartPosition())
	const moves = "e2e4 g8f6 b1c3 f6e4 c3e4 d7d5 e4g3 b8d7 d1e2 c7c6" // and N@d6
	if err := g.PlayUCI(strings.Fields(moves)...); err != nil {
		panic(err) // a test plays them
	}
	return g
}
