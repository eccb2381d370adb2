package engine

import "github.com/zhbot/zhbot/rules"

// prover decides by exhaustive search whether a side can force mate, independently of the
// engine's search: it tries every move that the attacker may choose against every defence.
type prover struct {
	attacker attacker
	proved   map[proof]bool
}

// attacker restricts the attacker's moves.
type attacker int

const (
	anyMove attacker = iota
	checksOnly
	noDrops
)

// proof is a question: can the side to move mate within the given number of moves?
type proof struct {
	key   uint64
	moves int
}

func newProver(a attacker) *prover { return &prover{attacker: a, proved: map[proof]bool{}} }

// mates reports whether the side to move can mate within n moves.
func (pr *prover) mates(p *rules.Position, n int) bool {
	if n == 0 {
		return false
	}
	q := proof{p.Key(), n}
	if known, ok := pr.proved[q]; ok {
		return known
	}
	quiet := n > 1 && pr.attacker != checksOnly // a quiet move does not mate
	result := pr.tryMoves(p, n, true) || quiet && pr.tryMoves(p, n, false)
	pr.proved[q] = result
	return result
}

// tryMoves tries the moves that give check, or those that do not.
func (pr *prover) tryMoves(p *rules.Position, n int, checks bool) bool {
	kind := rules.All
	if pr.attacker == noDrops {
		kind = rules.Captures | rules.QuietBoardMoves
	}
	list := new(rules.MoveList)
	p.Generate(list, kind)
	var next rules.Position
	for _, m := range list.Moves() {
		if p.GivesCheck(m) != checks {
			continue
		}
		p.PlayInto(m, &next)
		if pr.mated(&next, n-1) {
			return true
		}
	}
	return false
}

// mated reports whether the side to move is mated, now or within n more moves of the
// attacker.
func (pr *prover) mated(p *rules.Position, n int) bool {
	if n == 0 {
		return p.IsCheckmate()
	}
	list := new(rules.MoveList)
	p.Generate(list, rules.All)
	var next rules.Position
	for _, m := range list.Moves() {
		p.PlayInto(m, &next)
		if !pr.mates(&next, n) {
			return false
		}
	}
	return list.Len() > 0 || p.InCheck()
}
