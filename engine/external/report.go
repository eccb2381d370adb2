package external

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// SearchAndReport is [UCI.Search] with progress reports. It calls report with each line
// of play that the engine gives with an exact score, on the calling goroutine, and
// returns the expected reply and a PV that begins with the move, all of them legal. A
// move that Limits.SearchMoves does not allow is an [*IllegalMoveError], too.
func (u *UCI) SearchAndReport(ctx context.Context, g *rules.Game, l engine.Limits, report func(engine.Info)) (engine.Result, error) {
	if err := u.sendPosition(ctx, g); err != nil {
		return engine.Result{}, err
	}
	s := watchedSearch{root: g.Position(), allowed: l.SearchMoves, report: report, start: time.Now()}
	err := u.conn.search(ctx, goLine(s.root, l), "stop", &s.latest, s.handle)
	if err != nil {
		return engine.Result{}, err
	}
	return s.result(), nil
}

// watchedSearch is a search in progress.
type watchedSearch struct {
	root    *rules.Position
	allowed []rules.Move      // nil for all
	report  func(engine.Info) // nil for nobody
	start   time.Time

	latest engine.Info // of all lines, without a PV
	exact  engine.Info // the last one that was reported
	move   rules.Move
	reply  rules.Move
}

// handle handles a line of the engine and reports the last, bestmove.
func (s *watchedSearch) handle(line string) (done bool, err error) {
	command, rest, _ := strings.Cut(line, " ")
	switch command {
	case "info":
		s.handleInfo(rest)
	case "bestmove":
		return true, s.handleMove(rest)
	}
	return false, nil
}

// handleInfo reports a line with an exact score and a legal PV.
func (s *watchedSearch) handleInfo(text string) {
	parseInfo(&s.latest, text)
	if s.report == nil {
		return
	}
	words := strings.Fields(text)
	at := slices.Index(words, "pv")
	if at < 0 || !isExact(words[:at]) {
		return
	}
	pv := parseLine(s.root, words[at+1:])
	if len(pv) == 0 || !s.mayPlay(pv[0]) {
		return
	}
	s.exact = s.latest
	s.exact.PV, s.exact.Time = pv, time.Since(s.start)
	s.exact.NPS = uint64(float64(s.exact.Nodes) / max(s.exact.Time.Seconds(), 1e-6))
	s.report(s.exact)
}

// isExact reports whether the words before a PV are of the best line and have a depth and
// a score that is not a bound.
func isExact(words []string) bool {
	if at := slices.Index(words, "multipv"); at >= 0 && (at+1 == len(words) || words[at+1] != "1") {
		return false
	}
	return slices.Contains(words, "depth") && slices.Contains(words, "score") &&
		!slices.Contains(words, "lowerbound") && !slices.Contains(words, "upperbound") && !slices.Contains(words, "string")
}

// handleMove reads the move and the expected reply.
func (s *watchedSearch) handleMove(text string) error {
	m, err := parseMove(s.root, text)
	if err != nil {
		return err
	}
	if !s.mayPlay(m) {
		return &IllegalMoveError{Move: s.root.UCI(m), Err: errors.New("it is not among the moves to search")}
	}
	s.move = m
	if words := strings.Fields(text); len(words) > 2 && words[1] == "ponder" {
		next := s.root.After(m)
		if reply, err := next.ParseUCI(words[2]); err == nil {
			s.reply = reply
		}
	}
	return nil
}

func (s *watchedSearch) mayPlay(m rules.Move) bool {
	return len(s.allowed) == 0 || slices.Contains(s.allowed, m)
}

// result returns the move, with the last line that was reported if it begins with it.
func (s *watchedSearch) result() engine.Result {
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
func parseLine(root *rules.Position, words []string) (moves []rules.Move) {
	p := *root
	for _, word := range words[:min(len(words), maxPV)] {
		m, err := p.ParseUCI(word)
		if err != nil {
			break
		}
		moves = append(moves, m)
		p = p.After(m)
	}
	return moves
}
