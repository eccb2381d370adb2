package live

import (
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules"
)

// shownGame is a game in progress, or a finished one until another takes its board slot.
type shownGame struct {
	view       event.GameView
	over       bool
	endOrder   int // its place in the order in which games ended, from 1
	ratingDiff int
	search     latestSearch
	san        []string // moves; nil until they are sent
}

// latestSearch is the latest search of a game.
type latestSearch struct {
	board   *rules.Game
	info    engine.Info
	nodes   uint64 // already counted
	running bool
}

// newNodes returns the nodes that a newer report adds.
func (s *latestSearch) newNodes(newer latestSearch) uint64 {
	if newer.info.Nodes <= s.nodes {
		return 0
	}
	return newer.info.Nodes - s.nodes
}

// gamePart is a game as sent to the page.
type gamePart struct {
	termsPart

	Slot     int             `json:"slot"`
	Speed    string          `json:"speed"`
	FEN      string          `json:"fen"`
	Last     string          `json:"last"` // last move in UCI notation
	Check    bool            `json:"check"`
	Moves    []string        `json:"moves"` // SAN
	FirstPly int             `json:"firstPly"`
	Clock    *web.Clock      `json:"clock,omitempty"`
	Over     bool            `json:"over"`
	Result   string          `json:"result,omitempty"`
	Score    string          `json:"score,omitempty"`  // for us: win, draw, loss, none
	Hidden   bool            `json:"hidden,omitempty"` // the analysis is withheld
	Eval     *web.Evaluation `json:"eval,omitempty"`
	Curve    []curvePart     `json:"curve,omitempty"`
}

// sanOf returns the moves of a game in SAN; never nil.
func sanOf(g *rules.Game) []string {
	list, at := []string{}, *g.Start()
	for _, m := range g.Moves() {
		list, at = append(list, at.SAN(m)), at.After(m)
	}
	return list
}

// termsPart is who plays a game, and on what terms.
type termsPart struct {
	ID         string        `json:"id"`
	Site       string        `json:"site"`
	Us         string        `json:"us"`
	White      record.Player `json:"white"`
	Black      record.Player `json:"black"`
	Rated      bool          `json:"rated"`
	Control    string        `json:"control"`
	RatingDiff int           `json:"ratingDiff,omitempty"` // ours
}

func termsPartOf(s *record.Summary, us rules.Color, ratingDiff int) termsPart {
	return termsPart{s.ID, s.Site, us.String(), s.White, s.Black, s.Rated, s.Clock.String(), ratingDiff}
}

// curvePart is our evaluation after a ply, from White's point of view.
type curvePart struct {
	Ply        int `json:"ply"`
	Centipawns int `json:"cp"`
	Mate       int `json:"mate,omitempty"`
}

// part returns the game as sent to a viewer. Its analysis is withheld while the game
// is in progress, unless the viewer may see it.
func (g *shownGame) part(slot int, all bool) gamePart {
	v := &g.view
	p := gamePart{termsPart: termsPartOf(&v.Summary, v.Us, g.ratingDiff), Slot: slot, Speed: string(v.Speed), Over: g.over}
	if v.Board == nil { // its stream has sent nothing yet
		return p
	}
	position := v.Board.Position()
	p.FEN, p.Check = position.FEN(), position.InCheck()
	if g.san == nil {
		g.san = sanOf(v.Board)
	}
	p.Moves, p.FirstPly = g.san, web.FirstPly(v.Board.Start())
	if moves := v.Board.Moves(); len(moves) > 0 {
		before := v.Board.PositionAt(len(moves) - 1)
		p.Last = before.UCI(moves[len(moves)-1])
	}
	if !v.Clock.IsZero() {
		p.Clock = &web.Clock{
			White: v.Clocks[rules.White].Milliseconds(), Black: v.Clocks[rules.Black].Milliseconds(),
			At: v.At.UnixMilli(), Running: v.Running,
		}
	}
	if p.Over {
		p.Result, p.Score = describeResult(v.Status, v.Result), v.Result.For(v.Us)
	}
	if p.Hidden = !all && !p.Over; !p.Hidden {
		p.Eval, p.Curve = g.search.part(), curveOf(v.Notes)
	}
	return p
}

// part returns the evaluation of the search, nil if there is none yet.
func (s *latestSearch) part() *web.Evaluation {
	if s.board == nil || s.info.Depth == 0 {
		return nil
	}
	score := analysis.PGNScore(s.info.Score).For(s.board.Position().Turn())
	return &web.Evaluation{
		Centipawns: score.Centipawns, Mate: score.Mate, Depth: s.info.Depth, Nodes: s.info.Nodes, Searching: s.running,
		Line: web.FormatLine(*s.board.Position(), s.info.PV),
	}
}

func curveOf(notes []record.Note) (points []curvePart) {
	for ply, n := range notes {
		if n.Eval.Known {
			points = append(points, curvePart{ply + 1, n.Eval.Centipawns, n.Eval.Mate})
		}
	}
	return points
}

// unixMilli returns a time in Unix milliseconds, 0 for the zero time.
func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
