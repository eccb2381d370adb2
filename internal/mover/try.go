package mover

import (
	"context"
	"fmt"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/rules"
)

// trialTime is what the program gets to find the mate.
const trialTime = time.Second

// TryProgram starts a process of a program that has some places, has it find a mate by a
// drop, and ends it. It fails in the same cases as [Pool.AwaitReady], and if the program does
// not find the mate. It returns the program's name and its move, in SAN.
func TryProgram(ctx context.Context, e config.Engine, places int, o Options) (name, move string, err error) {
	c, err := NewPool(ctx, e, places, o).startProcess(ctx, places)
	if err != nil {
		return "", "", fmt.Errorf("engine.command: %w", err)
	}
	defer func() { c.close(err) }()
	position, err := rules.ParseFEN(MateByDrop)
	if err != nil {
		return "", "", err
	}
	result, err := c.engine.SearchAndReport(ctx, rules.NewGame(position), engine.Limits{MoveTime: trialTime},
		func(engine.Info) {})
	if err != nil {
		return "", "", fmt.Errorf("engine.command: search: %w", err)
	}
	move = position.SAN(result.Move)
	if next := position.After(result.Move); !next.IsCheckmate() {
		return "", "", fmt.Errorf("engine.command: it plays %s where a drop mates (%s): does it know crazyhouse?",
			move, MateByDrop)
	}
	return term.Short(c.engine.Name(), maxName), move, nil
}

// MateByDrop is a position in which White mates by a drop, and only by a drop.
const MateByDrop = "6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1"
