package web

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// finishedPart is a finished game in the list.
type finishedPart struct {
	ID         string     `json:"id"`
	Site       string     `json:"site"`
	At         int64      `json:"at"`
	Us         string     `json:"us"`
	White      playerPart `json:"white"`
	Black      playerPart `json:"black"`
	Rated      bool       `json:"rated"`
	Control    string     `json:"control"`
	Score      string     `json:"score"`
	RatingDiff int        `json:"ratingDiff,omitempty"`
	Plies      int        `json:"plies"`
}

// reviewPart is a finished game to step through.
type reviewPart struct {
	finishedPart
	Result   string      `json:"result"`
	Start    string      `json:"start"` // FEN
	FirstPly int         `json:"firstPly"`
	Steps    []stepPart  `json:"steps"`
	Curve    []curvePart `json:"curve,omitempty"`
}

// stepPart is a move and the position after it.
type stepPart struct {
	SAN   string    `json:"san"`
	UCI   string    `json:"uci"`
	FEN   string    `json:"fen"`
	Check bool      `json:"check,omitempty"`
	Clock *int64    `json:"clock,omitempty"` // milliseconds
	Eval  *evalPart `json:"eval,omitempty"`
}

// id returns the game's id: its GameId tag, or the end of its URL.
func (g *finished) id() string {
	if id := g.Tags["GameId"]; id != "" {
		return id
	}
	return path.Base(g.Tags["Site"])
}

// part returns the game as an entry of the list.
func (g *finished) part() (finishedPart, error) {
	game, err := g.Game()
	if err != nil {
		return finishedPart{}, err
	}
	us := "White"
	if g.us == rules.Black {
		us = "Black"
	}
	return finishedPart{
		ID: g.id(), Site: g.Tags["Site"], At: unixMilli(g.startTime), Us: g.us.String(),
		White: g.player("White"), Black: g.player("Black"),
		Rated: strings.HasPrefix(strings.ToLower(g.Tags["Event"]), "rated"), Control: timeControlOf(g.Tags["TimeControl"]),
		Score: g.score, RatingDiff: parseInt(g.Tags[us+"RatingDiff"]), Plies: len(game.Moves),
	}, nil
}

func (g *finished) player(side string) playerPart {
	return playerPart{g.Tags[side], g.Tags[side+"Title"], parseInt(g.Tags[side+"Elo"])}
}

// review returns the game move by move.
func (g *finished) review() (reviewPart, error) {
	part, err := g.part()
	if err != nil {
		return reviewPart{}, err
	}
	game, err := g.Game()
	if err != nil {
		return reviewPart{}, err
	}
	r := reviewPart{
		finishedPart: part, Start: game.Start.FEN(), FirstPly: firstPly(&game.Start),
		Result: describeResult(statusOf(g.Tags), game.Result), Steps: []stepPart{},
	}
	at := game.Start
	for i, m := range game.Moves {
		step := stepPart{SAN: at.SAN(m.Move), UCI: at.UCI(m.Move)}
		at = at.After(m.Move)
		step.FEN, step.Check = at.FEN(), at.InCheck()
		if m.HasClock {
			left := m.Clock.Milliseconds()
			step.Clock = &left
		}
		if e := m.Eval; e.Known {
			step.Eval = &evalPart{Centipawns: e.Centipawns, Mate: e.Mate, Depth: e.Depth}
			r.Curve = append(r.Curve, curvePart{i + 1, e.Centipawns, e.Mate})
		}
		r.Steps = append(r.Steps, step)
	}
	if at.IsCheckmate() {
		r.Result = describeResult(lichess.StatusMate, game.Result)
	}
	return r, nil
}

// startTimeOf returns when a game began, from its tags.
func startTimeOf(tags map[string]string) time.Time {
	at, err := time.Parse("2006.01.02 15:04:05", tags["UTCDate"]+" "+tags["UTCTime"])
	if err != nil {
		return time.Time{}
	}
	return at
}

// statusOf derives the Lichess game status from the tags of a game, as far as they
// determine it.
func statusOf(tags map[string]string) lichess.Status {
	switch {
	case tags["Termination"] == "Time forfeit":
		return lichess.StatusOutOfTime
	case tags["Termination"] == "Abandoned":
		return lichess.StatusAborted
	case tags["Termination"] == "Rules infraction":
		return lichess.StatusCheat
	case tags["Result"] == "*":
		return lichess.StatusUnknownFinish
	case tags["Result"] == "1/2-1/2":
		return lichess.StatusDraw
	}
	return lichess.StatusResign
}

// timeControlOf formats a TimeControl tag for the page.
func timeControlOf(tag string) string {
	initial, increment, clock := strings.Cut(tag, "+")
	return formatTimeControl(clock, parseSeconds(initial), parseSeconds(increment))
}

func parseSeconds(text string) time.Duration {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// parseInt parses a number with an optional sign; 0 if it is invalid.
func parseInt(text string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(text, "+"))
	if err != nil {
		return 0
	}
	return n
}
