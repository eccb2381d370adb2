package external

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// search is a search in progress.
type search struct {
	root    *rules.Position
	allowed []rules.Move      // nil for all
	report  func(engine.Info) // nil for nobody
	start   time.Time

	latest engine.Info // of all lines, without a PV
	exact  engine.Info // the last one that was reported
	move   rules.Move
	reply  rules.Move
}

// moveParser parses a legal move, like uci.ParseMove.
type moveParser func(p *rules.Position, text string) (rules.Move, error)

// reportLine reports what the latest line says, given the words of its PV and how to parse
// them, if there are legal moves.
func (s *search) reportLine(words []string, parse moveParser) {
	if s.report == nil {
		return
	}
	pv := parseLine(s.root, words, parse)
	if len(pv) == 0 || !s.mayPlay(pv[0]) {
		return
	}
	s.exact = s.latest
	s.exact.PV, s.exact.Time = pv, time.Since(s.start)
	s.exact.NPS = uint64(float64(s.exact.Nodes) / max(s.exact.Time.Seconds(), 1e-6))
	s.report(s.exact)
}

// handleMove reads the move and the expected reply. Its errors are [*IllegalMoveError].
func (s *search) handleMove(text string, parse moveParser) error {
	words := strings.Fields(text)
	if len(words) == 0 {
		return &IllegalMoveError{Move: "(none)", Err: errors.New("a move is missing")}
	}
	m, err := parse(s.root, words[0])
	if err != nil {
		return &IllegalMoveError{Move: words[0], Err: err}
	}
	if !s.mayPlay(m) {
		return &IllegalMoveError{Move: s.root.UCI(m), Err: errors.New("it is not among the moves to search")}
	}
	s.move = m
	if len(words) > 2 && words[1] == "ponder" {
		next := s.root.After(m)
		if reply, err := parse(&next, words[2]); err == nil {
			s.reply = reply
		}
	}
	return nil
}

func (s *search) mayPlay(m rules.Move) bool {
	return len(s.allowed) == 0 || slices.Contains(s.allowed, m)
}

// result returns the move, with the last line that was reported if it begins with it.
func (s *search) result() engine.Result {
	if s.report == nil {
		return engine.Result{Move: s.move, Info: s.latest}
	}
	r := engine.Result{Move: s.move, Ponder: s.reply, Info: s.exact}
	if len(r.Info.PV) == 0 || r.Info.PV[0] != s.move {
		r.Info.PV = []rules.Move{s.move}
		if s.reply != rules.NoMove {
			r.Info.PV = append(r.Info.PV, s.reply)
		}
	}
	if r.Ponder == rules.NoMove && len(r.Info.PV) > 1 {
		r.Ponder = r.Info.PV[1]
	}
	r.Info.Nodes, r.Info.NPS, r.Info.Time = s.latest.Nodes, s.latest.NPS, s.latest.Time
	return r
}

// maxPV bounds the moves of a line that are read.
const maxPV = 64

// parseLine returns the moves up to the first illegal one.
func parseLine(root *rules.Position, words []string, parse moveParser) (moves []rules.Move) {
	p := *root
	for _, word := range words[:min(len(words), maxPV)] {
		m, err := parse(&p, word)
		if err != nil {
			break
		}
		moves = append(moves, m)
		p = p.After(m)
	}
	return moves
}
