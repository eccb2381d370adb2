package engine

import (
	"github.com/zhbot/zhbot/engine/simd"
	"github.com/zhbot/zhbot/rules"
)

// movePicker returns the legal moves of a position, the most promising first. It generates
// them in stages, as late as possible: most nodes are cut off before the hundreds of drops
// are generated. Evasions come at once, since a single one is extended.
type movePicker struct {
	stage          stage
	pending        rules.Move // the hash move until it is returned
	hash           rules.Move
	refutations    [3]rules.Move // killers and counter move, returned before the other quiets
	nextRefutation int           // index of the next refutation to try

	list           rules.MoveList
	scores         [rules.MaxMoves]int32
	score          int32 // of the last move returned; unknownScore for a hash move or refutation
	next           int   // index in list of the next move
	badCaptures    int   // number of losing captures, kept at the front of list
	nextBadCapture int   // index of the next of them

	// skipQuiets omits the remaining quiet moves.
	skipQuiets bool
}

// stage is a stage of a picker. Stages follow each other in this order, from a hash stage
// to the next last stage.
type stage uint8

const (
	stageHash stage = iota
	stageCaptures
	stageRefutations
	stageQuiets
	stageBadCaptures

	stageEvasionHash
	stageEvasions

	stageQuiescenceHash
	stageQuiescenceCaptures
	stageChecks
)

// last reports whether this is the last stage.
func (s stage) last() bool {
	return s == stageBadCaptures || s == stageEvasions || s == stageChecks
}

// start prepares the picker for a node, from a first stage on; in check, all evasions follow.
// The hash move must be legal or NoMove. Quiet moves are scored by the checks and attacked
// squares of the node's frame.
func (mp *movePicker) start(p *rules.Position, first stage, hash rules.Move) {
	mp.stage, mp.hash, mp.pending = first, hash, hash
	mp.list.Clear()
	if p.InCheck() {
		mp.stage = stageEvasionHash
		p.Generate(&mp.list, rules.All)
	}
	mp.next, mp.badCaptures, mp.nextBadCapture, mp.nextRefutation = 0, 0, 0, 0
	mp.skipQuiets, mp.score = false, unknownScore
}

// nextMove returns the next move of the node at ply, NoMove after the last.
func (w *worker) nextMove(ply int) rules.Move {
	f := &w.stack[ply]
	for {
		m := f.picker.nextOfStage(f)
		if m != rules.NoMove || f.picker.stage.last() {
			return m
		}
		f.picker.stage++
		w.enterStage(ply)
	}
}

// nextOfStage returns the next move of the current stage, NoMove at its end.
func (mp *movePicker) nextOfStage(f *frame) (m rules.Move) {
	switch mp.stage {
	case stageHash, stageEvasionHash, stageQuiescenceHash:
		m, mp.pending = mp.pending, rules.NoMove
		return m
	case stageCaptures:
		for m = mp.best(); m != rules.NoMove && !f.seeAtLeast(m, 0); m = mp.best() {
			mp.list.Moves()[mp.badCaptures] = m // kept for the end, at the front of the list
			mp.badCaptures++
		}
		return m
	case stageRefutations:
		return mp.refutation(&f.pos)
	case stageQuiets:
		return mp.bestQuiet()
	case stageBadCaptures:
		if mp.nextBadCapture < mp.badCaptures {
			m = mp.list.At(mp.nextBadCapture)
			mp.nextBadCapture++
		}
		return m
	}
	return mp.best()
}

// isOnlyEvasion reports whether the last move returned is the only legal one, in check.
func (mp *movePicker) isOnlyEvasion() bool {
	return mp.list.Len() == 1 && (mp.stage == stageEvasionHash || mp.stage == stageEvasions)
}

// isGoodCapture reports whether the last move returned is known to lose no material by
// static exchange evaluation.
func (mp *movePicker) isGoodCapture() bool { return mp.stage == stageCaptures }

// enterStage generates and scores the moves of the current stage.
func (w *worker) enterStage(ply int) {
	f := &w.stack[ply]
	mp, p := &f.picker, &f.pos
	switch mp.stage {
	case stageCaptures, stageQuiescenceCaptures:
		p.Generate(&mp.list, rules.Captures)
		w.scoreCaptures(f)
	case stageQuiets:
		if !mp.skipQuiets {
			mp.next = mp.list.Len()
			p.Generate(&mp.list, rules.Quiets)
			w.scoreQuiets(ply, mp.next)
		}
	case stageEvasions:
		w.scoreEvasions(ply)
	case stageChecks:
		if !mp.skipQuiets {
			mp.next = mp.list.Len()
			f.addCheckingDrops()
			w.scoreQuiets(ply, mp.next)
		}
	}
}

// best returns the highest-scored remaining move, except the hash move, which came first.
// Selecting moves one by one is faster than sorting, since few are needed.
func (mp *movePicker) best() rules.Move {
	moves := mp.list.Moves()
	for mp.next < len(moves) {
		first, scores := mp.next, mp.scores[:len(moves)]
		top := first + simd.MaxIndex(scores[first:])
		m := moves[top]
		mp.score = scores[top]
		moves[top], scores[top] = moves[first], scores[first]
		moves[first] = m
		mp.next++
		if m != mp.hash {
			return m
		}
	}
	return rules.NoMove
}

// bestQuiet is best without the moves returned as refutations.
func (mp *movePicker) bestQuiet() rules.Move {
	for !mp.skipQuiets {
		m := mp.best()
		if m == rules.NoMove || m != mp.refutations[0] && m != mp.refutations[1] && m != mp.refutations[2] {
			return m
		}
	}
	return rules.NoMove
}

// refutation returns the next killer or counter move that is a legal quiet move here, and
// removes the others.
func (mp *movePicker) refutation(p *rules.Position) rules.Move {
	for mp.nextRefutation < len(mp.refutations) {
		i := mp.nextRefutation
		m := mp.refutations[i]
		mp.nextRefutation++
		repeated := i > 0 && m == mp.refutations[0] || i > 1 && m == mp.refutations[1]
		if m != rules.NoMove && m != mp.hash && !repeated &&
			p.IsLegal(m) && !p.IsCapture(m) && !m.IsPromotion() {
			mp.score = unknownScore
			return m
		}
		mp.refutations[i] = rules.NoMove
	}
	return rules.NoMove
}

// addCheckingDrops adds the drops that give check. The side to move must not be in check:
// then every drop is legal.
func (f *frame) addCheckingDrops() {
	p, list := &f.pos, &f.picker.list
	pocket, empty := p.Pocket(p.Turn()), ^p.Occupied()
	for t := rules.Pawn; t <= rules.Queen; t++ {
		if !pocket.Has(t) {
			continue
		}
		targets := f.checks.Squares(t) & empty
		if t == rules.Pawn {
			targets &^= rules.Rank1 | rules.Rank8
		}
		for targets != 0 {
			list.Add(rules.NewDrop(t, targets.Pop()))
		}
	}
}
