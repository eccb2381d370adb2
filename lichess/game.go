package lichess

import "encoding/json"

// Game is a game as listed in events and by [Client.Playing], from the account's
// point of view.
type Game struct {
	ID           string   `json:"gameId"`
	FullID       string   `json:"fullId"` // the id and four private characters
	FEN          string   `json:"fen"`
	Color        Color    `json:"color"`    // the account's
	LastMove     string   `json:"lastMove"` // a drop is doubled: f7f7
	Source       string   `json:"source"`   // "friend" for a challenge
	Status       Status   `json:"status"`
	Variant      Variant  `json:"variant"`
	Speed        Speed    `json:"speed"`
	Perf         string   `json:"perf"`
	Rated        bool     `json:"rated"`
	HasMoved     bool     `json:"hasMoved"`
	Opponent     Opponent `json:"opponent"`
	IsMyTurn     bool     `json:"isMyTurn"`
	SecondsLeft  *Seconds `json:"secondsLeft"` // nil without a clock
	Winner       Color    `json:"winner"`
	Rating       int      `json:"rating"`
	RatingDiff   int      `json:"ratingDiff"`
	TournamentID string   `json:"tournamentId"`
	Compat       *Compat  `json:"compat"` // nil if absent
}

// UnmarshalJSON decodes the game; its id may be in gameId or in id.
func (g *Game) UnmarshalJSON(b []byte) error {
	type plain Game
	alias := struct {
		*plain
		ID string `json:"id"`
	}{plain: (*plain)(g)}
	if err := json.Unmarshal(b, &alias); err != nil {
		return err
	}
	if g.ID == "" {
		g.ID = alias.ID
	}
	return nil
}

// Opponent is the other player of a [Game]. Username may be prefixed by a title, so
// identify players by ID, which is empty for Lichess's own computer and for
// anonymous players.
type Opponent struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	Rating     int    `json:"rating"`
	RatingDiff int    `json:"ratingDiff"`
	AI         int    `json:"ai"` // level of Lichess's own computer
}
