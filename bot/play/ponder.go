package play

import (
	"context"

	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/rules"
)

// ponder is a search on the opponent's time. Its result is discarded: what it leaves
// in the hash table makes our next search faster, also when the opponent plays
// another reply than the expected one. When the opponent moves, it is canceled, and
// our move is searched for as usual.
type ponder struct {
	moves  string // the game's when it began
	cancel context.CancelFunc
}

// ponder searches the position after the expected reply to our move or, if none is
// known, the opponent's position. Games without a clock are not pondered.
func (g *game) ponder(ctx context.Context) {
	p := g.board.game.Position()
	switch o := g.Settings(); {
	case !o.Ponder || o.MaxNodes > 0 || g.full.Clock == nil:
		return
	case g.board.game.Ply() < 2 || p.Turn() == g.us || !p.HasLegalMove():
		return
	case g.pondering != nil && g.pondering.moves == g.state.Moves:
		return
	}
	g.stopPondering()
	board := g.board.game.Clone()
	if reply := g.expectedReply(); reply != rules.NoMove {
		if err := board.Play(reply); err != nil || !board.Position().HasLegalMove() {
			return // it would end the game
		}
	}
	if g.games.panicked.has(board.Position().Key()) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	g.pondering = &ponder{moves: g.state.Moves, cancel: cancel}
	g.spawn(func() {
		defer cancel()
		if _, err := g.search(ctx, board, search.Limits{Ponder: true}, nil); err != nil {
			g.log.Debug().Err(err).Msg("pondering ended")
		}
	})
}

// expectedReply returns the reply that our last search expects, or NoMove: after a
// restart, or when the reply is illegal.
func (g *game) expectedReply() rules.Move {
	t, moves := g.move.turn, g.board.game.Moves()
	if t == nil || len(moves) != t.ply+1 {
		return rules.NoMove
	}
	d := t.chosen
	if d == nil || d.move != moves[t.ply] || !g.board.game.Position().IsLegal(d.reply) {
		return rules.NoMove
	}
	return d.reply
}

// stopPondering cancels the search on the opponent's time, without waiting for it:
// it yields its thread to the search for our move at once.
func (g *game) stopPondering() {
	if g.pondering != nil {
		g.pondering.cancel()
		g.pondering = nil
	}
}
