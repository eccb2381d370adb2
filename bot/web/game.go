package web

import (
	"time"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/rules"
)

// game is a game that is on, or was until another takes its place.
type game struct {
	view       bot.GameView
	over       bool
	ended      int // how many had ended with it
	ratingDiff int
	search     search
	moves      sanLine
}

// search is the newest search of a game.
type search struct {
	board *rules.Game
	info  bot.Info
	nodes uint64 // counted so far
	on    bool
}

// nodesBefore returns the nodes that a newer word on the search adds.
func (s *search) nodesBefore(newer search) uint64 {
	if newer.info.Nodes <= s.nodes {
		return 0
	}
	return newer.info.Nodes - s.nodes
}

// gamePart is what the page gets of a game.
type gamePart struct {
	ID         string      `json:"id"`
	Seat       int         `json:"seat"`
	Site       string      `json:"site"`
	Us         string      `json:"us"`
	White      playerPart  `json:"white"`
	Black      playerPart  `json:"black"`
	Rated      bool        `json:"rated"`
	Speed      string      `json:"speed"`
	Control    string      `json:"control"`
	FEN        string      `json:"fen"`
	Last       string      `json:"last"` // the last move in UCI
	Check      bool        `json:"check"`
	Moves      []string    `json:"moves"` // SAN
	FirstPly   int         `json:"firstPly"`
	Clock      *clockPart  `json:"clock,omitempty"`
	Over       bool        `json:"over"`
	Result     string      `json:"result,omitempty"`
	Score      string      `json:"score,omitempty"` // for us: win, draw, loss, none
	RatingDiff int         `json:"ratingDiff,omitempty"`
	Hidden     bool        `json:"hidden,omitempty"` // what we think is withheld
	Eval       *evalPart   `json:"eval,omitempty"`
	Curve      []curvePart `json:"curve,omitempty"`
}

type playerPart struct {
	Name   string `json:"name"`
	Title  string `json:"title,omitempty"`
	Rating int    `json:"rating,omitempty"`
}

func partOfPlayer(p record.Player) playerPart { return playerPart{p.Name, p.Title, p.Rating} }

// clockPart is the clocks in milliseconds, as they stood at a time of the
// server's since 1970.
type clockPart struct {
	White   int64 `json:"white"`
	Black   int64 `json:"black"`
	At      int64 `json:"at"`
	Running bool  `json:"running"`
}

// evalPart is our opinion, in White's view.
type evalPart struct {
	Centipawns int    `json:"cp"`
	Mate       int    `json:"mate,omitempty"`
	Depth      int    `json:"depth"`
	Nodes      uint64 `json:"nodes"`
	Searching  bool   `json:"searching"`
	Line       string `json:"line"`
}

// curvePart is what we thought after a ply, in White's view.
type curvePart struct {
	Ply        int `json:"ply"`
	Centipawns int `json:"cp"`
	Mate       int `json:"mate,omitempty"`
}

// part returns what a viewer gets of the game. What would help the opponent is
// withheld while the game is on, unless the viewer may see all.
func (g *game) part(id string, seat int, all bool) gamePart {
	v := &g.view
	p := gamePart{
		ID: id, Seat: seat, Site: v.Site, Us: v.Us.String(), White: partOfPlayer(v.White), Black: partOfPlayer(v.Black),
		Rated: v.Rated, Speed: v.Speed, Control: control(v.HasClock, v.Initial, v.Increment),
		Over: g.over, RatingDiff: g.ratingDiff,
	}
	if v.Board == nil { // its stream has not told anything yet
		return p
	}
	position := v.Board.Position()
	p.FEN, p.Check = position.FEN(), position.InCheck()
	p.Moves, p.FirstPly = g.moves.of(v.Board), firstPly(v.Board.Start())
	p.Last = g.moves.last
	if v.HasClock {
		p.Clock = &clockPart{
			White: v.Clocks[rules.White].Milliseconds(), Black: v.Clocks[rules.Black].Milliseconds(),
			At: v.At.UnixMilli(), Running: v.Running,
		}
	}
	if p.Over {
		p.Result, p.Score = ending(v.Status, v.Winner), score(v.Winner, v.Status, v.Us)
	}
	if p.Hidden = !all && !p.Over; !p.Hidden {
		p.Eval, p.Curve = g.search.part(), curve(v.Notes)
	}
	return p
}

// part returns the search's opinion, nil if it has none.
func (s *search) part() *evalPart {
	if s.board == nil || s.info.Depth == 0 {
		return nil
	}
	cp, mate := s.info.Score.Centipawns, s.info.Score.Mate
	if s.board.Position().Turn() == rules.Black {
		cp, mate = -cp, -mate
	}
	return &evalPart{
		Centipawns: cp, Mate: mate, Depth: s.info.Depth, Nodes: s.info.Nodes, Searching: s.on,
		Line: numberedLine(*s.board.Position(), s.info.PV),
	}
}

func curve(notes []record.Note) (points []curvePart) {
	for ply, n := range notes {
		if n.Evaluated {
			points = append(points, curvePart{ply + 1, n.Centipawns, n.Mate})
		}
	}
	return points
}

// firstPly numbers the first move of a game in plies from the start position.
func firstPly(start *rules.Position) int {
	ply := 2 * (max(start.Fullmove(), 1) - 1)
	if start.Turn() == rules.Black {
		ply++
	}
	return ply
}

// since1970 returns a time in milliseconds, 0 for no time.
func since1970(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
