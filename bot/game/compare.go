package game

import (
	"context"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// The server reads a game for the first line of its stream a moment before it
// subscribes to the game's moves. A move in between never appears on the stream. So
// the list of games in progress, which is read once for all games, is compared with
// each board.

const (
	compareGrace    = 500 * time.Millisecond // how far the stream may lag behind the list
	compareCooldown = time.Minute            // before a game is read again for the same difference
)

// difference is how a listed game differed from our board.
type difference struct {
	moves, fen string
	at         time.Time
	message    string // for the log when the game is read again
}

// compare compares the game with its entry in the list. The list is newer only if
// the board has not changed since it was requested; and since a line may be on its
// way, the game is read again after a short delay, if the board is still the same.
func (g *game) compare(ctx context.Context, l listing) {
	g.receiveReports()
	if g.state == nil && l.game != nil && l.game.SecondsLeft != nil {
		g.stream.SetFlagTime(l.asked.Add(l.game.SecondsLeft.Duration()))
	}
	switch {
	case g.state == nil:
		return
	case l.ended:
		g.rereadTimer.Reset(compareGrace) // unless its stream shows the end first
		return
	case !g.board.changed.Before(l.asked) || !g.connectedAt.Before(l.asked):
		return
	}
	if l.game == nil {
		g.rereadOnDifference("", "game not listed as in progress: reading it again")
		return
	}
	listed, err := rules.ParseFEN(l.game.FEN)
	switch {
	case err != nil:
		g.log.Debug().Err(err).Msg("listed position not read")
	case samePosition(&listed, g.board.game.Position()):
		g.confirmBoard(ctx, l.asked)
	default:
		g.rereadOnDifference(l.game.FEN, "stream has missed a move: reading the game again")
	}
}

// checkListed ends a game with an unknown status that a newer list of games lacks. It returns
// an error if the lists have lacked the game for so long that its end cannot be read: its
// stream fails, or its first line is always invalid.
func (g *game) checkListed(l listing) error {
	switch {
	case l.ended: // no list, and it may be from before this run
	case l.game != nil:
		g.unlistedSince = time.Time{}
	case g.unlistedSince.IsZero():
		g.unlistedSince = l.asked
	case g.connectedAt.After(g.unlistedSince) && g.state.Status.IsUnknown():
		g.state.Status = lichess.StatusUnknownFinish
		g.entry.update(over)
	case l.asked.Sub(g.unlistedSince) > g.opts.Timing.Stream.UnlistedTimeout && g.connectedAt.Before(g.unlistedSince):
		return errEndUnread
	}
	return nil
}

// samePosition reports whether the pieces, the pockets and the side to move are the
// same.
func samePosition(a, b *rules.Position) bool {
	return *a.Board() == *b.Board() && a.Turn() == b.Turn() && a.Pocket(rules.White) == b.Pocket(rules.White) &&
		a.Pocket(rules.Black) == b.Pocket(rules.Black)
}

// confirmBoard acts on the server's confirmation of our board: an opponent whose
// first move is overdue has not made it, and a posted move that the stream has not
// shown did not arrive.
func (g *game) confirmBoard(ctx context.Context, asked time.Time) {
	g.watchFirstMove(ctx, false, asked)
	m := &g.move
	missed := m.inProgress() && m.turn.accepted && m.turn.endedAt.Before(asked)
	if missed && g.ourTurn() && !time.Now().Before(m.blockedUntil) {
		g.log.Warn().Stringer("move", m.turn.chosen.move).Msg("posted move not in the game: posting it again")
		g.rereadTimer.Stop()
		g.startTurn(ctx, m.turn.chosen)
	}
}

// rereadOnDifference reads the game again, but not repeatedly for the same
// difference. fen is the listed position, empty if the game is not listed.
func (g *game) rereadOnDifference(fen, message string) {
	last, now := g.difference, time.Now()
	if last.moves == g.state.Moves && last.fen == fen && now.Sub(last.at) < compareCooldown {
		return
	}
	g.difference = difference{g.state.Moves, fen, now, message}
	g.rereadTimer.Reset(compareGrace)
}

// reread reads the game again, and logs the difference if that is why.
func (g *game) reread() {
	if d := &g.difference; d.message != "" && g.state != nil && g.state.Moves == d.moves {
		g.log.Warn().Str("listed", d.fen).Str("board", g.board.game.Position().FEN()).Msg(d.message)
		d.message = ""
	}
	g.stream.Reopen()
}
