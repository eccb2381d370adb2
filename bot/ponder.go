package bot

import (
	"context"

	"github.com/zhbot/zhbot/rules"
)

// ponder is a search on the opponent's time. Nobody looks at its result: what it
// leaves in the engine's table makes our next search faster, also when another
// reply comes than the one expected. So there is nothing to convert when the
// opponent moves; it is cancelled, and our move is searched for as always.
type ponder struct {
	moves  string // the game's when it began
	cancel context.CancelFunc
}

// ponder thinks about the position after the expected reply to our move, or if
// none is known, about the opponent's. There is no pondering in games without a
// clock: days of it would serve nobody.
func (g *game) ponder(ctx context.Context) {
	p := g.board.game.Position()
	switch o := g.bot.settings(); {
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
	if g.bot.panicked.has(board.Position().Key()) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	g.pondering = &ponder{moves: g.state.Moves, cancel: cancel}
	g.spawn(func() {
		defer cancel()
		if _, err := g.search(ctx, board, Limits{Ponder: true}, nil); err != nil {
			g.log.Debug().Err(err).Msg("pondering ended")
		}
	})
}

// expectedReply returns what the search for our last move expects next, NoMove if
// nothing: after a restart, or when the reply cannot be played.
func (g *game) expectedReply() rules.Move {
	t, moves := g.turn, g.board.game.Moves()
	if t == nil || len(moves) != t.ply+1 {
		return rules.NoMove
	}
	d := t.posted.Load()
	if d == nil || d.move != moves[t.ply] || !g.board.game.Position().IsLegal(d.reply) {
		return rules.NoMove
	}
	return d.reply
}

// stopPondering cancels the search on the opponent's time. It is not waited for:
// it gives its thread up at once to the search for our move.
func (g *game) stopPondering() {
	if g.pondering != nil {
		g.pondering.cancel()
		g.pondering = nil
	}
}
