package engine

import "github.com/zhbot/zhbot/rules"

// movePicker hands out the legal moves of a position, the most promising
// first, and generates them in stages, as late as it can: most nodes are cut
// off before the hundreds of drops are even listed.
type movePicker struct {
	stage   stage
	pending rules.Move // the hash move until it is handed out
	hash    rules.Move
	refuted [3]rules.Move // killers and counter move, handed out before quiets
	tried   int           // how many of refuted were looked at

	list    rules.MoveList
	scores  [rules.MaxMoves]int32
	next    int // the next move of the list to hand out
	bad     int // losing captures put off, at the front of the list
	badNext int // the next of them to hand out

	// skipQuiets leaves the quiet moves out from now on.
	skipQuiets bool
}

// stage is what a picker hands out. Stages follow each other in this order
// from one of the hash stages to the next last stage.
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

// last reports whether no stage follows.
func (s stage) last() bool {
	return s == stageBadCaptures || s == stageEvasions || s == stageChecks
}

// reset prepares the picker for a node of the main search. The hash move must
// be legal or NoMove.
func (mp *movePicker) reset(p *rules.Position, hash rules.Move, refuted [3]rules.Move) {
	mp.start(p, stageHash, hash)
	mp.refuted = refuted
}

// resetQuiescence prepares the picker for a quiescence node: all evasions when
// in check, else captures and promotions, and with checks also drops that give
// check.
func (mp *movePicker) resetQuiescence(p *rules.Position, hash rules.Move, checks bool) {
	mp.start(p, stageQuiescenceHash, hash)
	mp.skipQuiets = !checks
}

func (mp *movePicker) start(p *rules.Position, first stage, hash rules.Move) {
	mp.stage, mp.hash, mp.pending = first, hash, hash
	if p.InCheck() {
		mp.stage = stageEvasionHash
	}
	mp.list.Clear()
	mp.next, mp.bad, mp.badNext, mp.tried = 0, 0, 0, 0
	mp.skipQuiets = false
}

// pick returns the next move of the worker's node at ply, NoMove after the
// last.
func (w *worker) pick(ply int) rules.Move {
	f := &w.stack[ply]
	for {
		m := f.picker.draw(&f.pos)
		if m != rules.NoMove || f.picker.stage.last() {
			return m
		}
		f.picker.stage++
		w.openStage(ply)
	}
}

// draw returns the next move of the stage, NoMove if it is exhausted.
func (mp *movePicker) draw(p *rules.Position) (m rules.Move) {
	switch mp.stage {
	case stageHash, stageEvasionHash, stageQuiescenceHash:
		m, mp.pending = mp.pending, rules.NoMove
		return m
	case stageCaptures:
		for m = mp.best(); m != rules.NoMove && !seeAtLeast(p, m, 0); m = mp.best() {
			mp.putOff(m)
		}
		return m
	case stageRefutations:
		return mp.refutation(p)
	case stageQuiets:
		return mp.bestQuiet()
	case stageBadCaptures:
		return mp.badCapture()
	}
	return mp.best()
}

// sound reports whether the move handed out last is known to lose nothing in
// exchanges.
func (mp *movePicker) sound() bool { return mp.stage == stageCaptures }

// openStage lists and scores the moves of the stage that begins.
func (w *worker) openStage(ply int) {
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
		p.Generate(&mp.list, rules.All)
		w.scoreEvasions(ply)
	case stageChecks:
		if !mp.skipQuiets {
			mp.next = mp.list.Len()
			f.checks.Find(p)
			f.listCheckingDrops()
			w.scoreQuiets(ply, mp.next)
		}
	}
}

// best takes the highest-scored move of those that remain, the hash move
// excepted: it was handed out first. Selecting one by one beats sorting,
// since few of the moves are ever asked for.
func (mp *movePicker) best() rules.Move {
	moves := mp.list.Moves()
	for mp.next < len(moves) {
		first, scores := mp.next, mp.scores[:len(moves)]
		top := first + maxIndex(scores[first:])
		m := moves[top]
		moves[top], scores[top] = moves[first], scores[first]
		moves[first] = m
		mp.next++
		if m != mp.hash {
			return m
		}
	}
	return rules.NoMove
}

// bestQuiet is best without the moves handed out as refutations.
func (mp *movePicker) bestQuiet() rules.Move {
	for !mp.skipQuiets {
		m := mp.best()
		if m == rules.NoMove || m != mp.refuted[0] && m != mp.refuted[1] && m != mp.refuted[2] {
			return m
		}
	}
	return rules.NoMove
}

// putOff keeps a losing capture for the end, at the front of the list.
func (mp *movePicker) putOff(m rules.Move) {
	mp.list.Moves()[mp.bad] = m
	mp.bad++
}

// badCapture returns the next capture that was put off.
func (mp *movePicker) badCapture() rules.Move {
	if mp.badNext == mp.bad {
		return rules.NoMove
	}
	mp.badNext++
	return mp.list.At(mp.badNext - 1)
}

// refutation returns the next killer or counter move that is a quiet move
// here, and strikes out those that are not.
func (mp *movePicker) refutation(p *rules.Position) rules.Move {
	for mp.tried < len(mp.refuted) {
		i := mp.tried
		m := mp.refuted[i]
		mp.tried++
		repeated := i > 0 && m == mp.refuted[0] || i > 1 && m == mp.refuted[1]
		if m != rules.NoMove && m != mp.hash && !repeated &&
			p.IsLegal(m) && !p.IsCapture(m) && !m.IsPromotion() {
			return m
		}
		mp.refuted[i] = rules.NoMove
	}
	return rules.NoMove
}

// listCheckingDrops lists the drops that give check. The side to move must not
// be in check: then any drop is legal.
func (f *frame) listCheckingDrops() {
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
