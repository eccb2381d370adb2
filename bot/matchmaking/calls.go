package matchmaking

import (
	"context"
	"fmt"

	"github.com/zhbot/zhbot/bot/game"
)

// calls queues functions for the goroutine of Run, which calls them with its context.
type calls struct {
	queue chan func(context.Context)
	ended chan struct{} // closed when Run has ended
}

func newCalls() calls { return calls{make(chan func(context.Context)), make(chan struct{})} }

// do has a function called, and waits until it returns. After an error it may still run.
func (c *calls) do(ctx context.Context, f func(context.Context)) error {
	done := make(chan struct{})
	select {
	case c.queue <- func(ctx context.Context) { defer close(done); f(ctx) }:
	case <-c.ended:
		return game.ErrDraining
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-done:
		return nil
	case <-c.ended:
		return game.ErrDraining
	case <-ctx.Done():
		return fmt.Errorf("its result was not awaited: %w", ctx.Err())
	}
}
