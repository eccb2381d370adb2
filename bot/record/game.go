package record

import (
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Summary is what is known about a finished game without its moves. Its JSON has what is known
// before the first move.
type Summary struct {
	ID          string        `json:"-"`
	Site        string        `json:"site"`    // URL of the game
	Created     time.Time     `json:"created"` // zero if unknown
	Rated       bool          `json:"rated"`
	White       Player        `json:"white"`
	Black       Player        `json:"black"`
	RatingKnown bool          `json:"-"` // the players' RatingDiff is known
	Uncounted   Uncounted     `json:"-"` // the reason why they have none
	Speed       lichess.Speed `json:"-"` // "" if unknown
	Clock       lichess.Clock `json:"-"`
	// Status is how the game ended. A PGN distinguishes mate, resign, outoftime, timeout, draw,
	// aborted, cheat and unknownFinish; a game that is read has one of these.
	Status  lichess.Status `json:"-"`
	Ending  string         `json:"-"` // the words of the PGN for an unknown one
	Result  rules.Result   `json:"-"`
	Version string         `json:"version"`           // of the engine that played; "" if unknown
	Network string         `json:"network"`           // name of its evaluation network; "" if unknown
	Program string         `json:"program,omitempty"` // that searched instead of it; "" for none
	// Contender is the bot's contender that played; "" for none.
	Contender string `json:"contender,omitempty"`
	// ContenderFor are the games that the contender was for, as in the settings; "" for all.
	ContenderFor string `json:"contender_for,omitempty"`
	// Level is the level of play at which our own search played the game; "" for full
	// strength, and in games of early versions; [LevelVaried] if it changed.
	Level string `json:"level,omitempty"`
	// Fallbacks is how many of the bot's moves its own search chose because Program did not.
	Fallbacks int `json:"fallbacks,omitempty"`
}

// LevelVaried is the [Summary.Level] of a game in which it was not the same for all moves.
const LevelVaried = "varied"

// PlayedLevel returns the level of play of the whole game, if it is known and not full
// strength.
func (s *Summary) PlayedLevel() (at float64, ok bool) {
	at, err := strconv.ParseFloat(s.Level, 64)
	return at, err == nil && at >= 0 && at < human.MaxLevel
}

// Game is a finished game with everything that its record contains.
type Game struct {
	Summary
	Board *rules.Game
	Notes []Note // by ply; may be shorter than the game
}

// ResultOf returns the result of a game with a status and a winner, "" for none.
func ResultOf(status lichess.Status, winner lichess.Color) rules.Result {
	switch {
	case winner == lichess.White:
		return rules.WhiteWins
	case winner == lichess.Black:
		return rules.BlackWins
	case !status.Over() || status == lichess.StatusAborted || status == lichess.StatusNoStart ||
		status == lichess.StatusUnknownFinish:
		return rules.NoResult
	}
	return rules.Draw
}

// PlayerView is a game from the point of view of one player.
type PlayerView struct {
	*Summary
	Color        rules.Color // the player's
	Us, Opponent Player
}

// View returns the game from a player's point of view; ok is false if they did not
// play in it.
func (s *Summary) View(name string) (view PlayerView, ok bool) {
	view = PlayerView{Summary: s, Color: rules.White, Us: s.White, Opponent: s.Black}
	if !strings.EqualFold(s.White.Name, name) {
		view = PlayerView{Summary: s, Color: rules.Black, Us: s.Black, Opponent: s.White}
	}
	return view, strings.EqualFold(view.Us.Name, name)
}

// Opponent returns the opponent of the player with a colour.
func (s *Summary) Opponent(us rules.Color) Player {
	if us == rules.White {
		return s.Black
	}
	return s.White
}

// Player is one side of a game.
type Player struct {
	Name       string `json:"name"`
	Title      string `json:"title,omitempty"`
	Rating     int    `json:"rating"` // 0 if unknown
	RatingDiff int    `json:"-"`
	// Provisional tells that the rating was uncertain. Records of early versions do not say.
	Provisional bool `json:"provisional,omitempty"`
}

// Tally counts a player's results.
type Tally struct {
	Won   int `json:"won"`
	Drawn int `json:"drawn"`
	Lost  int `json:"lost"`
}

// Add counts the result of a game in which the player was us, if it has one.
func (t *Tally) Add(r rules.Result, us rules.Color) {
	switch r {
	case rules.WinOf(us):
		t.Won++
	case rules.WinOf(us.Other()):
		t.Lost++
	case rules.Draw:
		t.Drawn++
	}
}

// Games returns the number of games.
func (t Tally) Games() int { return t.Won + t.Drawn + t.Lost }

// Points returns the score: 1 for a win, 1/2 for a draw.
func (t Tally) Points() float64 { return float64(t.Won) + float64(t.Drawn)/2 }

// IsBot reports whether the player has a BOT account.
func (p Player) IsBot() bool { return p.Title == "BOT" }

// Note annotates a move.
type Note struct {
	Clock    time.Duration `json:"clock,omitempty"` // the mover's remaining time after the move
	HasClock bool          `json:"has_clock,omitempty"`
	Eval     pgn.Eval      `json:"eval,omitzero"` // known if we searched for this move
	Lag      time.Duration `json:"lag,omitempty"` // round trip of our move to the server; 0 if not measured
}

// MateScore is the [Note.Score] of a mate.
const MateScore = 30000

// Score returns the note's evaluation in centipawns from our point of view, a mate as
// [MateScore]; 0 if the evaluation is unknown.
func (n Note) Score(us rules.Color) int {
	switch s := n.Eval.For(us); {
	case s.Mate > 0:
		return MateScore
	case s.Mate < 0:
		return -MateScore
	default:
		return s.Centipawns
	}
}
