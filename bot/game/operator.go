package game

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// operatorCommand is a command of the operator's for a game.
type operatorCommand struct {
	// request returns the request to send, or why it would be in vain. The game's
	// goroutine calls it.
	request func(*game) (func(context.Context) error, error)
	reply   chan<- error // buffered
}

var (
	errOver       = errors.New("it is over")
	errNotRead    = errors.New("it has not been read yet; try again")
	errBothMoved  = errors.New("both have moved, so it can only be resigned")
	errTooEarly   = errors.New("no draw can be offered before both have moved")
	errOffered    = fmt.Errorf("another draw can be offered only after %d plies", offerAgainAfter)
	errTooMuch    = errors.New("too many lines of chat; try again in a few seconds")
	errNotInTouch = errors.New("nobody plays it")
)

// Resign resigns a game, or aborts one in which the players have not both moved. Like the
// methods below, it returns when the server has answered.
func (p *Manager) Resign(ctx context.Context, id string) error {
	return p.execute(ctx, id, func(g *game) (func(context.Context) error, error) {
		if g.board.game.Ply() < 2 {
			g.aborting, g.byOperator = true, true
		}
		return func(ctx context.Context) error { return g.Client.Resign(ctx, id) }, nil
	})
}

// Abort aborts a game.
func (p *Manager) Abort(ctx context.Context, id string) error {
	return p.execute(ctx, id, func(g *game) (func(context.Context) error, error) {
		if g.board.game.Ply() >= 2 {
			return nil, errBothMoved
		}
		g.aborting, g.byOperator = true, true
		return func(ctx context.Context) error { return g.Client.Abort(ctx, id) }, nil
	})
}

// Draw offers a draw, or accepts the opponent's offer.
func (p *Manager) Draw(ctx context.Context, id string) error {
	return p.execute(ctx, id, func(g *game) (func(context.Context) error, error) {
		ply := g.board.game.Ply()
		switch {
		case ply < 2:
			return nil, errTooEarly
		case g.drawOfferedAt > 0 && ply < g.drawOfferedAt+offerAgainAfter && !g.offers.draw:
			return nil, errOffered
		}
		g.drawOfferedAt = ply
		return func(ctx context.Context) error { return g.Client.Draw(ctx, id, true) }, nil
	})
}

// Say sends the opponent a chat message, within the limits of chat.
func (p *Manager) Say(ctx context.Context, id, text string) error {
	return p.execute(ctx, id, func(g *game) (func(context.Context) error, error) {
		if !g.Chat.Allow(g.Account().Username, id) {
			return nil, errTooMuch
		}
		return g.chatRequest(lichess.PlayerRoom, text), nil
	})
}

// execute has a command carried out by the goroutine that plays a game, and waits for the
// server's answer.
func (p *Manager) execute(ctx context.Context, id string, request func(*game) (func(context.Context) error, error)) error {
	p.mu.Lock()
	i := p.inboxes[id]
	p.mu.Unlock()
	switch {
	case i == nil, p.o.Slots.IsAbandoned(id):
		return errNotInTouch
	case p.o.Slots.HasEnded(id):
		return errOver
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	reply := make(chan error, 1)
	select {
	case i.commands <- operatorCommand{request, reply}:
	case <-i.forgotten:
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

// execute carries out a command.
func (g *game) execute(ctx context.Context, c operatorCommand) {
	if g.state == nil {
		c.reply <- errNotRead
		return
	}
	send, err := c.request(g)
	if err != nil {
		c.reply <- err
		return
	}
	g.spawn(func() {
		// The command may end the game, and with it ctx, before the server has answered.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTimeout)
		defer cancel()
		c.reply <- send(ctx)
	})
}

// Views returns the games that are played as they were last seen, by id.
func (p *Manager) Views() []event.GameView {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []event.GameView
	for _, i := range p.inboxes {
		if v := i.view.Load(); v != nil && !v.Status.Over() && p.o.Slots.IsLive(v.ID) {
			list = append(list, *v)
		}
	}
	slices.SortFunc(list, func(a, b event.GameView) int { return strings.Compare(a.ID, b.ID) })
	return list
}
