package bot

import (
	"context"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// The server reads a game for the first line of its stream a moment before it
// subscribes to the game's moves. A move in between is in no line, and nothing on
// the stream ever tells. So the list of games in play, which is read for all games
// at once, is compared with each board.

// listing is what the list of games in play says of a game.
type listing struct {
	game  *lichess.Game // nil if a complete list lacks it
	asked time.Time     // when the list was asked for
}

// difference is how a listed game differed from our board.
type difference struct {
	moves, fen string
	at         time.Time
}

// compare compares the game with its entry in the list. Only where the board has
// not changed since the list was asked for does the list know better; and since a
// line may be on its way, the game is read again a moment later, if the board still
// stands.
func (g *game) compare(ctx context.Context, l listing) {
	if g.state == nil || !g.board.changed.Before(l.asked) || !g.connectedAt.Before(l.asked) {
		return
	}
	if l.game == nil {
		g.rereadOnDifference("", "game not in the list of games in play: reading it again")
		return
	}
	listed, err := rules.ParseSetup(l.game.FEN)
	switch {
	case g.full.Clock == nil:
	case err != nil:
		g.log.Debug().Err(err).Msg("listed position not read")
	case samePosition(&listed, g.board.game.Position()):
		g.confirmBoard(ctx, l.asked)
	default:
		g.rereadOnDifference(l.game.FEN, "stream has missed a move: reading the game again")
	}
}

// samePosition reports whether the pieces, the pockets and the turn are the same.
func samePosition(s *rules.Setup, p *rules.Position) bool {
	for square, piece := range s.Board {
		if p.PieceAt(rules.Square(square)) != piece {
			return false
		}
	}
	return s.Turn == p.Turn() && s.Pockets == [2]rules.Pocket{p.Pocket(rules.White), p.Pocket(rules.Black)}
}

// confirmBoard does what waited for the server to confirm our board: an opponent
// whose first move is overdue has not made it, and a move of ours that the stream
// has not shown has not arrived.
func (g *game) confirmBoard(ctx context.Context, asked time.Time) {
	if !g.overdueSince.IsZero() && g.overdueSince.Before(asked) {
		g.abort(ctx)
	}
	t := g.turn
	missing := t != nil && !t.superseded && t.isDone() && t.err == nil && t.endedAt.Before(asked)
	if missing && g.ourTurn() && !time.Now().Before(g.retryAt) {
		g.log.Warn().Stringer("move", t.posted.Load().move).Msg("posted move not in the game: posted again")
		g.rereadTimer.Stop()
		g.startTurn(ctx, t.posted.Load())
	}
}

// rereadOnDifference has the game read again, but not over and over for one
// difference. The listed position is empty if the game is not listed.
func (g *game) rereadOnDifference(fen, message string) {
	last, now := g.lastDifference, time.Now()
	if last.moves == g.state.Moves && last.fen == fen && now.Sub(last.at) < g.bot.timing.compareCooldown {
		return
	}
	g.lastDifference = difference{g.state.Moves, fen, now}
	g.log.Warn().Str("listed", fen).Str("board", g.board.game.Position().FEN()).Msg(message)
	g.rereadTimer.Reset(g.bot.timing.compareGrace)
}
