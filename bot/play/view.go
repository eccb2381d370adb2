package play

import (
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// watch returns a function that reports the progress of a search; nil without an
// observer.
func (g *game) watch(board *rules.Game) func(search.Info) {
	if g.Emit == nil {
		return nil
	}
	return func(i search.Info) { g.Emit(event.Searching{Game: g.id, Board: board, Info: i}) }
}

// emitState reports the state of the game.
func (g *game) emitState() {
	if g.Emit != nil {
		g.Emit(event.GameChanged{GameView: g.view()})
	}
}

// emitEnd reports that the game is over.
func (g *game) emitEnd(final *lichess.Game) {
	if g.Emit != nil {
		g.Emit(event.GameEnded{GameView: g.view(), RatingDiff: final.RatingDiff})
	}
}

// view returns a snapshot of the game.
func (g *game) view() event.GameView {
	board := g.board.snapshot()
	v := event.GameView{
		ID: g.id, Site: g.Site + "/" + g.id, Us: g.us,
		White: event.PlayerOf(&g.full.White), Black: event.PlayerOf(&g.full.Black),
		Rated: g.full.Rated, Speed: g.full.Speed,
		Board: board, Notes: append([]record.Note(nil), g.board.notes...),
		Status: g.state.Status, Result: record.ResultOf(g.state.Status, g.state.Winner), At: g.receivedAt,
	}
	if c := g.full.Clock; c != nil {
		v.HasClock, v.Initial, v.Increment = true, c.Initial.Duration(), c.Increment.Duration()
		v.Clocks = [2]time.Duration{rules.White: g.state.WhiteTime.Duration(), rules.Black: g.state.BlackTime.Duration()}
		v.Running = !g.state.Status.Over() && board.Ply() >= 2
	}
	return v
}
