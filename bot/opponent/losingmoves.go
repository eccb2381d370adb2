package opponent

import (
	"iter"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

const (
	// lossThreshold is the score, in centipawns, from which a game is not lost yet.
	lossThreshold = -60
	// maxLosingMoves is the number of losing moves in one position after which the
	// mistake lies before it.
	maxLosingMoves = 2
	// minAlternatives to the moves that lost are enough to avoid these: among fewer, the
	// move that lost may be the best.
	minAlternatives = 4
)

// losingMoves are the moves that lost games, by position key. They are avoided, so that
// nobody can win the same game twice. They are not safe for concurrent use.
type losingMoves map[uint64][]losingMove

// losingMove is a move that lost a game.
type losingMove struct {
	Move rules.Move
	At   time.Time // when the latest such game began
}

// add records a game that was lost over the board. The move blamed is our last one that
// did not look bad yet; if all did, the one before the first search, which is the book's;
// without evaluations, the second to last. If that leaves too few alternatives, an
// earlier move is blamed.
func (l losingMoves) add(g *record.Game, us rules.Color) {
	if g.Result != rules.WinOf(us.Other()) || !lostOverBoard(g, us) {
		return
	}
	first := firstPly(g, us)
	if g.Board.Ply() <= first {
		return
	}
	for ply := blamedPly(g, us, first); ply >= first; ply -= 2 {
		p, move := g.Board.PositionAt(ply), g.Board.Moves()[ply]
		key := p.Key()
		if i := slices.IndexFunc(l[key], func(m losingMove) bool { return m.Move == move }); i >= 0 {
			if m := &l[key][i]; g.Created.After(m.At) {
				m.At = g.Created
			}
			return
		}
		if len(l[key]) < maxLosingMoves {
			l[key] = append(l[key], losingMove{move, g.Created})
			return
		}
	}
}

// prune drops the moves that have lost no game since a time.
func (l losingMoves) prune(before time.Time) {
	for key, moves := range l {
		l[key] = slices.DeleteFunc(moves, func(m losingMove) bool { return m.At.Before(before) })
		if len(l[key]) == 0 {
			delete(l, key)
		}
	}
}

// lostOverBoard reports whether a game was lost by our moves rather than by the clock,
// the connection or a moderator.
func lostOverBoard(g *record.Game, us rules.Color) bool {
	switch g.Status {
	case lichess.StatusOutOfTime, lichess.StatusTimeout:
		lost := false
		for _, score := range scores(g, us) {
			lost = score < lossThreshold
		}
		return lost
	case lichess.StatusCheat, lichess.StatusAborted, lichess.StatusNoStart:
		return false
	}
	return true
}

// blamedPly returns the ply of the move to blame, given that of our first move.
func blamedPly(g *record.Game, us rules.Color, first int) int {
	blamed, searched := -1, -1
	for ply, score := range scores(g, us) {
		if searched < 0 {
			searched = ply
		}
		if score >= lossThreshold {
			blamed = ply
		}
	}
	switch ours := (g.Board.Ply() - first + 1) / 2; {
	case blamed >= 0:
		return blamed
	case searched >= 0: // the book is to blame, if it had a move
		return max(first, searched-2)
	default:
		return first + 2*max(0, ours-2)
	}
}

// scores yields the plies of our moves that we searched for, and their scores.
func scores(g *record.Game, us rules.Color) iter.Seq2[int, int] {
	return func(yield func(ply, score int) bool) {
		for ply := firstPly(g, us); ply < min(g.Board.Ply(), len(g.Notes)); ply += 2 {
			if n := g.Notes[ply]; n.Eval.Known && !yield(ply, n.Score(us)) {
				return
			}
		}
	}
}

// firstPly returns the ply of our first move.
func firstPly(g *record.Game, us rules.Color) int {
	if g.Board.Start().Turn() == us {
		return 0
	}
	return 1
}

// avoid returns the legal moves without those that lost in the position and those in more. It
// returns nil, for no restriction, if there are none of these, in check, and if fewer than
// minAlternatives moves would be left.
func (l losingMoves) avoid(p *rules.Position, more ...rules.Move) []rules.Move {
	lost := l[p.Key()]
	if len(lost)+len(more) == 0 || p.InCheck() {
		return nil
	}
	others := slices.DeleteFunc(p.LegalMoves(), func(m rules.Move) bool {
		return slices.Contains(more, m) || slices.ContainsFunc(lost,
			func(other losingMove) bool { return other.Move == m })
	})
	if len(others) < minAlternatives {
		return nil
	}
	return others
}
