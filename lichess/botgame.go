package lichess

import (
	"context"
	"fmt"
	"net/url"
	"unicode/utf8"
)

// MaxChat is the longest chat line in characters.
const MaxChat = 140

// ChatMessage is a line of the player chat read back.
type ChatMessage struct {
	User string `json:"user"`
	Text string `json:"text"`
}

var (
	endpointChatPost     = endpoint{"POST", "/api/bot/game/{id}/chat"}
	endpointChatRead     = endpoint{"GET", "/api/bot/game/{id}/chat"}
	endpointAbort        = endpoint{"POST", "/api/bot/game/{id}/abort"}
	endpointResign       = endpoint{"POST", "/api/bot/game/{id}/resign"}
	endpointDraw         = endpoint{"POST", "/api/bot/game/{id}/draw/{answer}"}
	endpointTakeback     = endpoint{"POST", "/api/bot/game/{id}/takeback/{answer}"}
	endpointClaimVictory = endpoint{"POST", "/api/bot/game/{id}/claim-victory"}
	endpointClaimDraw    = endpoint{"POST", "/api/bot/game/{id}/claim-draw"}
)

// Chat writes a line in a room of a game. Lichess may swallow it without a word.
func (c *Client) Chat(ctx context.Context, gameID string, room Room, text string) error {
	if n := utf8.RuneCountInString(text); n > MaxChat {
		return fmt.Errorf("chat in game %s: %d characters, Lichess takes %d", excerpt(gameID), n, MaxChat)
	}
	form := url.Values{"room": {string(room)}, "text": {text}}
	r := request{endpoint: endpointChatPost, args: []string{gameID}, form: form}
	return wrap(c.call(ctx, r), "chat in game", gameID)
}

// ChatMessages returns what was said in the player chat of a game.
func (c *Client) ChatMessages(ctx context.Context, gameID string) ([]ChatMessage, error) {
	var messages []ChatMessage
	r := request{endpoint: endpointChatRead, args: []string{gameID}, into: &messages}
	if err := c.call(ctx, r); err != nil {
		return nil, wrap(err, "read the chat of game", gameID)
	}
	return messages, nil
}

// Abort aborts a game with fewer than two moves. The game's stream tells whether
// it ended, as with all commands here.
func (c *Client) Abort(ctx context.Context, gameID string) error {
	return wrap(c.command(ctx, endpointAbort, gameID), "abort game", gameID)
}

// Resign resigns a game; one with fewer than two moves it aborts.
func (c *Client) Resign(ctx context.Context, gameID string) error {
	return wrap(c.command(ctx, endpointResign, gameID), "resign game", gameID)
}

// Draw offers a draw or accepts one (yes), or declines an offer.
func (c *Client) Draw(ctx context.Context, gameID string, yes bool) error {
	return wrap(c.command(ctx, endpointDraw, gameID, answer(yes)), "draw in game", gameID)
}

// Takeback asks for a takeback or grants one (yes), or declines it.
func (c *Client) Takeback(ctx context.Context, gameID string, yes bool) error {
	return wrap(c.command(ctx, endpointTakeback, gameID, answer(yes)), "takeback in game", gameID)
}

// ClaimVictory claims the win over an opponent who left. Without error the claim
// was heard, not necessarily granted.
func (c *Client) ClaimVictory(ctx context.Context, gameID string) error {
	return wrap(c.command(ctx, endpointClaimVictory, gameID), "claim victory in game", gameID)
}

// ClaimDraw claims a draw against an opponent who left.
func (c *Client) ClaimDraw(ctx context.Context, gameID string) error {
	return wrap(c.command(ctx, endpointClaimDraw, gameID), "claim a draw in game", gameID)
}

// command posts without a body; only the status of the answer counts.
func (c *Client) command(ctx context.Context, e endpoint, args ...string) error {
	return c.call(ctx, request{endpoint: e, args: args})
}

// answer is Lichess's word for an answer in a path.
func answer(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
