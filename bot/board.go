package bot

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// board is the game as the server tells it: the rules' game built from the
// server's move list and nothing else, with notes on each move.
type board struct {
	start rules.Position
	game  *rules.Game
	moves []string      // as the server wrote them
	notes []record.Note // by ply
}

func newBoard(start rules.Position) *board {
	return &board{start: start, game: rules.NewGame(start)}
}

// startOf returns the position a game begins at.
func startOf(full *lichess.GameFull) (rules.Position, error) {
	if full.InitialFEN == "" || full.InitialFEN == "startpos" {
		return rules.StartPosition(), nil
	}
	p, err := rules.ParseFEN(full.InitialFEN)
	if err != nil {
		return p, fmt.Errorf("%w: %w", errServerMove, err)
	}
	return p, nil
}

// follow brings the game to the server's move list, which may be longer,
// the same, or after a takeback shorter. It reports whether anything changed.
func (b *board) follow(moves []string) (changed bool, err error) {
	same := 0
	for same < min(len(moves), len(b.moves)) && moves[same] == b.moves[same] {
		same++
	}
	if back := len(b.moves) - same; back > 0 {
		b.game.TakeBack(back)
		b.moves, b.notes = b.moves[:same], b.notes[:same]
		changed = true
	}
	for _, m := range moves[same:] {
		if err := b.game.PlayUCI(m); err != nil {
			return changed, err
		}
		b.moves, b.notes = append(b.moves, m), append(b.notes, record.Note{})
		changed = true
	}
	return changed, nil
}

// note writes down the clocks after the last move of each side, and what we
// thought of a move of ours that the state shows.
func (b *board) note(s *lichess.GameState, ours *decision) {
	mover := b.game.Position().Turn().Other()
	for i, ply := range []int{len(b.notes) - 1, len(b.notes) - 2} {
		left := s.WhiteTime.Duration()
		if (mover == rules.Black) == (i == 0) {
			left = s.BlackTime.Duration()
		}
		if ply >= 0 && left < neverFlags && !b.notes[ply].HasClock {
			b.notes[ply].Clock, b.notes[ply].HasClock = left, true
		}
	}
	if ours == nil || ours.info.Depth == 0 {
		return
	}
	if ply := len(strings.Fields(ours.moves)); ply < len(b.notes) {
		b.notes[ply].Evaluated, b.notes[ply].Depth = true, ours.info.Depth
		b.notes[ply].Centipawns, b.notes[ply].Mate = whites(ours.info.Score, ply%2 == 0 == (b.start.Turn() == rules.White))
	}
}

// whites turns a score of the side to move into White's view.
func whites(s Score, white bool) (centipawns, mate int) {
	if white {
		return s.Centipawns, s.Mate
	}
	return -s.Centipawns, -s.Mate
}

// neverFlags is what Lichess shows as the clock of a game without one.
const neverFlags = 24 * 24 * time.Hour

// snapshot returns a copy of the game for the engine.
func (b *board) snapshot() *rules.Game { return b.game.Clone() }

// noted returns the notes so far.
func (b *board) noted() []record.Note { return slices.Clone(b.notes) }
