package lichess

import (
	"context"
	"fmt"
	"net/url"
	"unicode/utf16"
)

// Game is a game as listed in events and by [Client.Playing], from the account's
// point of view.
type Game struct {
	ID           string   `json:"gameId"`
	FEN          string   `json:"fen"`    // of the current position
	Color        Color    `json:"color"`  // the account's
	Source       string   `json:"source"` // "friend" for a challenge
	Status       Status   `json:"status"`
	Variant      Variant  `json:"variant"`
	Speed        Speed    `json:"speed"`
	Rated        bool     `json:"rated"`
	Opponent     Opponent `json:"opponent"`
	IsMyTurn     bool     `json:"isMyTurn"`
	SecondsLeft  *Seconds `json:"secondsLeft"` // on the account's clock; nil without one
	Winner       Color    `json:"winner"`      // "" for none
	Rating       int      `json:"rating"`      // the account's
	RatingDiff   *int     `json:"ratingDiff"`  // won or lost by the game; nil if it changed nothing, or is not over
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
	_ = unmarshal(b, &alias) // without an id
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
	RatingDiff *int   `json:"ratingDiff"`
}

// MaxChatLength is the maximum length of a chat line, as [CheckChat] counts.
const MaxChatLength = 140

// CheckChat returns an error for a text that is too long for a chat line. Lichess counts
// UTF-16 code units.
func CheckChat(text string) error {
	if n := len(utf16.Encode([]rune(text))); n > MaxChatLength {
		return fmt.Errorf("the text has %d characters, counting most emoji as two or more; Lichess accepts at most %d",
			n, MaxChatLength)
	}
	return nil
}

// ChatMessage is a line of the player chat read back.
type ChatMessage struct {
	User string `json:"user"`
	Text string `json:"text"`
}

// Chat posts a line to a chat room of a game. Lichess may drop it silently. A text longer than
// [MaxChatLength] is an error, and is not sent.
//
// API reference: https://lichess.org/api#tag/Bot/operation/botGameChat
func (c *Client) Chat(ctx context.Context, gameID string, room Room, text string) error {
	if err := CheckChat(text); err != nil {
		return fmt.Errorf("chat in game %s: %w", excerpt(gameID), err)
	}
	form := url.Values{"room": {string(room)}, "text": {text}}
	return c.command(ctx, "chat in game", "/api/bot/game/{id}/chat", form, gameID)
}

// ChatMessages returns the messages of a game's player chat.
//
// API reference: https://lichess.org/api#tag/Bot/operation/botGameChatGet
func (c *Client) ChatMessages(ctx context.Context, gameID string) ([]ChatMessage, error) {
	var messages []ChatMessage
	err := c.call(ctx, request{
		endpoint: get("/api/bot/game/{id}/chat"), action: "read the chat of game", args: []string{gameID},
		into: &messages,
	})
	return messages, err
}

// Abort aborts a game with fewer than two moves. As with all commands here, only
// the game's stream confirms that the game has ended.
//
// API reference: https://lichess.org/api#tag/Bot/operation/botGameAbort
func (c *Client) Abort(ctx context.Context, gameID string) error {
	return c.command(ctx, "abort game", "/api/bot/game/{id}/abort", nil, gameID)
}

// Resign resigns a game, or aborts one with fewer than two moves.
//
// API reference: https://lichess.org/api#tag/Bot/operation/botGameResign
func (c *Client) Resign(ctx context.Context, gameID string) error {
	return c.command(ctx, "resign game", "/api/bot/game/{id}/resign", nil, gameID)
}

// Draw offers a draw or accepts one (yes), or declines an offer.
//
// API reference: https://lichess.org/api#tag/Bot/operation/botGameDraw
func (c *Client) Draw(ctx context.Context, gameID string, yes bool) error {
	return c.command(ctx, "draw in game", "/api/bot/game/{id}/draw/{answer}", nil, gameID, answer(yes))
}

// Takeback proposes a takeback or accepts one (yes), or declines it.
//
// API reference: https://lichess.org/api#tag/Bot/operation/botGameTakeback
func (c *Client) Takeback(ctx context.Context, gameID string, yes bool) error {
	return c.command(ctx, "takeback in game", "/api/bot/game/{id}/takeback/{answer}", nil, gameID, answer(yes))
}

// ClaimVictory claims the win against an opponent who left. A nil error means that
// the claim was received, not necessarily granted.
//
// API reference: https://lichess.org/api#tag/Bot/operation/botGameClaimVictory
func (c *Client) ClaimVictory(ctx context.Context, gameID string) error {
	return c.command(ctx, "claim victory in game", "/api/bot/game/{id}/claim-victory", nil, gameID)
}

// command posts a request, with a form if there is one, and ignores the body of the response.
func (c *Client) command(ctx context.Context, action, path string, form url.Values, args ...string) error {
	return c.call(ctx, request{endpoint: post(path), action: action, args: args, form: form})
}

// answer is the path segment for yes or no.
func answer(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
