package bot

import (
	"fmt"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
)

// Status is the state of a bot.
type Status struct {
	Version     string                      `json:"version"`
	Server      string                      `json:"server"`  // URL
	Account     string                      `json:"account"` // "" before the bot has logged in
	Started     time.Time                   `json:"started"`
	Connected   bool                        `json:"connected"` // the event stream is open
	Draining    bool                        `json:"draining"`
	Paused      *record.Pause               `json:"paused,omitempty"` // nil if it is not
	Slots       Slots                       `json:"slots"`
	Games       []GameStatus                `json:"games"`
	Challenges  []matchmaking.OpenChallenge `json:"challenges"` // ours that nobody has answered
	Matchmaking Matchmaking                 `json:"matchmaking"`
	Gauntlet    *Gauntlet                   `json:"gauntlet,omitempty"` // the current one, or the last; nil for none
	Arenas      []matchmaking.Arena         `json:"arenas"`
	SPRT        *stats.SPRTReport           `json:"sprt,omitempty"` // nil for no test of contenders
	Records     record.Backlog              `json:"records,omitzero"`
}

// Gauntlet is a gauntlet and how its matches stand.
type Gauntlet struct {
	record.Gauntlet
	Matches []matchmaking.GauntletMatch `json:"matches"`
}

// Summary describes a gauntlet that is in progress, in a line.
func (g *Gauntlet) Summary() string {
	parts := make([]string, len(g.Matches))
	for i, m := range g.Matches {
		parts[i] = fmt.Sprintf("%s %d of %d games, +%d =%d -%d", m.Opponent, m.Games(), 2*g.Pairs, m.Won, m.Drawn, m.Lost)
		if p := stats.PerformanceOf(m.Tally); p != nil {
			parts[i] += fmt.Sprintf(" (%s%+d ± %d)", p.Bound, p.Rating, p.Error)
		}
	}
	return strings.Join(parts, "; ")
}

// Slots is the number of games, including those about to start, and its limits.
type Slots struct {
	Max               int `json:"max"`
	Games             int `json:"games"`
	Bots              int `json:"bots"` // games against bots
	ReservedForHumans int `json:"reserved_for_humans"`
}

// GameStatus is a game in progress.
type GameStatus struct {
	ID       string   `json:"id"`
	URL      string   `json:"url"`
	Color    string   `json:"color"` // ours
	Opponent Opponent `json:"opponent"`
	Rated    bool     `json:"rated"`
	Clock    string   `json:"clock"` // such as 3+2, "" without one
	Plies    int      `json:"plies"`
	OurTurn  bool     `json:"our_turn"`
	Check    bool     `json:"check"`
	// Left and TheirLeft are the clocks after the last move, in seconds.
	Left      float64 `json:"left,omitempty"`
	TheirLeft float64 `json:"their_left,omitempty"`
}

// Opponent is the opponent in a game.
type Opponent struct {
	Name   string `json:"name"`
	Title  string `json:"title,omitempty"`
	Rating int    `json:"rating,omitempty"`
}

// Matchmaking is whether the bot challenges others when idle.
type Matchmaking struct {
	On       bool   `json:"on"`
	Operator bool   `json:"operator"`       // set by a command, whatever the settings say
	Note     string `json:"note,omitempty"` // what the age of the account changes; "" if nothing
}

// Summary describes the state in a line.
func (s *Status) Summary() string {
	text := "playing"
	switch {
	case s.Draining:
		text = "draining"
	case s.Paused != nil:
		text = "paused"
	case !s.Connected:
		text = "not connected to Lichess"
	}
	games := "games"
	if s.Slots.Games == 1 {
		games = "game"
	}
	text = fmt.Sprintf("%s: %d %s of %d", text, s.Slots.Games, games, s.Slots.Max)
	if s.Gauntlet != nil && !s.Gauntlet.Over {
		text += "; gauntlet: " + s.Gauntlet.Summary()
	}
	return text
}
