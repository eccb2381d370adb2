package game

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/engine"
)

// recoverTo is deferred: it turns a panic into an error.
func recoverTo(err *error) {
	if value := recover(); value != nil {
		*err = &engine.PanicError{Value: value, Stack: debug.Stack()}
	}
}

// protect calls a function and returns its panic as an error.
func protect(f func()) (err error) {
	defer recoverTo(&err)
	f()
	return nil
}

// panicked logs and counts a panic.
func (g *game) panicked(in string, p *engine.PanicError) {
	g.log.Error().Str("in", in).Str("fen", p.FEN).Str("panic", fmt.Sprint(p.Value)).Bytes("stack", p.Stack).Msg("panic")
	g.opts.Emit(event.Panicked{Game: g.id, In: in})
}

// fen returns the game's position for the log, "" if the panic has damaged the
// board.
func (g *game) fen() (fen string) {
	_ = protect(func() { fen = g.board.game.Position().FEN() }) // none is known then
	return fen
}

// spawn starts a goroutine of the game. A panic there ends only that goroutine.
func (g *game) spawn(f func()) {
	g.wg.Go(func() {
		if p, ok := errors.AsType[*engine.PanicError](protect(f)); ok {
			g.panicked(event.InGame, p)
		}
	})
}

// spawnVital starts a goroutine that the game cannot be played without. A panic
// there ends this run of the game.
func (g *game) spawnVital(f func()) {
	g.wg.Go(func() {
		if err := protect(f); err != nil {
			g.crash(err)
		}
	})
}

// afterPanic is deferred by run.
func (g *game) afterPanic(err *error) {
	if p, ok := errors.AsType[*engine.PanicError](*err); ok {
		shown := *p // which others may be reading, as the cause of their contexts
		shown.FEN = g.fen()
		g.panicked(event.InGame, &shown)
	}
}
