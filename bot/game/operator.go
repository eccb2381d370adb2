package game

import (
	"context"
	"errors"
	"fmt"

	"github.com/zhbot/zhbot/lichess"
)

// Command is a command of the operator's for a game. Called by the game's goroutine, it
// returns the request to send, or why that would be in vain.
type Command func(*game) (send Request, err error)

// order is a command on its way to a game.
type order struct {
	command Command
	reply   chan<- error // buffered
}

var (
	errOver       = errors.New("it is over")
	errNotRead    = errors.New("it has not been read yet; try again")
	errBothMoved  = errors.New("both have moved, so it can only be resigned")
	errTooEarly   = errors.New("no draw can be offered before both have moved")
	errOffered    = fmt.Errorf("another draw can be offered only after %d plies", offerAgainAfter)
	errNotInTouch = errors.New("this bot is not playing it")
)

// Resign resigns a game. Lichess aborts one in which the players have not both moved, unless it
// is in an arena.
func Resign(g *game) (Request, error) {
	if g.board.game.Ply() < 2 {
		g.aborting, g.byOperator = true, true
	}
	return g.opts.Client.Resign, nil
}

// Abort aborts a game.
func Abort(g *game) (Request, error) {
	if g.board.game.Ply() >= 2 {
		return nil, errBothMoved
	}
	g.aborting, g.byOperator = true, true
	return g.opts.Client.Abort, nil
}

// Draw offers a draw, or accepts the opponent's offer.
func Draw(g *game) (Request, error) {
	ply := g.board.game.Ply()
	switch {
	case ply < 2:
		return nil, errTooEarly
	case g.drawOfferedAt > 0 && ply < g.drawOfferedAt+offerAgainAfter && !g.offers.draw:
		return nil, errOffered
	}
	g.drawOfferedAt = ply
	return withAnswer(g.opts.Client.Draw, true), nil
}

// Say sends the opponent a chat message.
func Say(text string) Command {
	return func(g *game) (Request, error) {
		return g.chatRequest(lichess.PlayerRoom, text), nil
	}
}

// Command has the goroutine that plays a game execute a command, and returns when the
// server has answered.
func (r *Registry) Command(ctx context.Context, id string, c Command) error {
	e, err := r.played(id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	reply := make(chan error, 1)
	select {
	case e.commands <- order{c, reply}:
	case <-e.forgotten:
		return errOver
	case <-ctx.Done():
		return fmt.Errorf("the game does not answer: %w", ctx.Err())
	}
	select {
	case err := <-reply: // before the game is forgotten
		return err
	case <-ctx.Done():
		return fmt.Errorf("no answer from the server: %w", ctx.Err())
	}
}

// played returns the entry of a game that is being played, or why it is not.
func (r *Registry) played(id string) (*Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.find(id)
	switch {
	case e != nil && e.phase == playing:
		return e, nil
	case e != nil && e.phase == ended:
		return nil, errOver
	}
	return nil, errNotInTouch
}

// execute executes a command.
func (g *game) execute(ctx context.Context, o order) {
	if g.state == nil {
		o.reply <- errNotRead
		return
	}
	send, err := o.command(g)
	if err != nil {
		o.reply <- err
		return
	}
	g.spawn(func() {
		// The command may end the game, and with it ctx, before the server has answered.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTimeout)
		defer cancel()
		o.reply <- send(ctx, g.id)
	})
}
