package bot

import (
	"fmt"
	"time"

	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/record"
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
	Arenas      []matchmaking.Arena         `json:"arenas"`
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
	return fmt.Sprintf("%s: %d %s of %d", text, s.Slots.Games, games, s.Slots.Max)
}
