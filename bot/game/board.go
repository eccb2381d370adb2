package game

import (
	"fmt"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// board is the game according to the server: built from the server's move list and
// nothing else, with notes on each move.
type board struct {
	start   rules.Position
	game    *rules.Game
	moves   []string      // in UCI, as received
	notes   []record.Note // by ply
	changed time.Time     // when the last move was made or taken back; at first, when the game was read
	cached  *rules.Game   // the latest snapshot; nil after a change

	takebacks int // how often moves have been taken back
	fallbacks int // how many of our moves were fallback moves; see [event.Fallback]
}

func newBoard(start rules.Position) *board {
	return &board{start: start, game: rules.NewGame(start), changed: time.Now()}
}

// startOf returns the position a game begins at.
func startOf(full *lichess.GameFull) (rules.Position, error) {
	if full.InitialFEN == "" || full.InitialFEN == "startpos" {
		return rules.StartPosition(), nil
	}
	p, err := rules.ParseFEN(full.InitialFEN)
	if err != nil {
		return p, fmt.Errorf("%w: start position: %w", errServerMove, err)
	}
	return p, nil
}

// update brings the game to the server's move list, which may be longer, the same,
// or after a takeback shorter. It reports whether anything changed.
func (b *board) update(moves []string) (changed bool, err error) {
	same := 0
	for same < min(len(moves), len(b.moves)) && moves[same] == b.moves[same] {
		same++
	}
	if same == len(b.moves) && same == len(moves) {
		return false, nil
	}
	b.changed, b.cached = time.Now(), nil
	if same < len(b.moves) {
		b.takebacks++
	}
	b.game.TakeBack(len(b.moves) - same)
	b.moves, b.notes = b.moves[:same], b.notes[:same]
	for _, m := range moves[same:] {
		if err := b.game.PlayUCI(m); err != nil {
			return true, err
		}
		b.moves, b.notes = append(b.moves, m), append(b.notes, record.Note{})
	}
	return true, nil
}

// snapshot returns a copy of the game that is safe to share.
func (b *board) snapshot() *rules.Game {
	if b.cached == nil {
		b.cached = b.game.Clone()
	}
	return b.cached
}

// noteClocks records the clocks after the last move of each side. In a finished
// game, the clock of the side to move has run on.
func (b *board) noteClocks(s *lichess.GameState) {
	known := 2
	if s.Status.Over() {
		known = 1
	}
	side := b.game.Position().Turn()
	for back := range min(known, len(b.notes)) {
		note := &b.notes[len(b.notes)-1-back]
		side = side.Other()
		left := [2]lichess.Millis{s.WhiteTime, s.BlackTime}[side]
		if left.IsClock() && !note.HasClock {
			note.Clock, note.HasClock = left.Duration(), true
		}
	}
}

// noteEval records the score of a move of ours. It is stored after the move, so a
// mate that we give is one move shorter.
func (b *board) noteEval(ply int, info engine.Info, us rules.Color) {
	note, s := &b.notes[ply], analysis.PGNScore(info.Score)
	if s.Mate == 1 {
		return // the move is the mate
	}
	if s.Mate > 1 {
		s.Mate--
	}
	note.Eval = pgn.Eval{Known: true, Score: s.For(us), Depth: info.Depth}
}
