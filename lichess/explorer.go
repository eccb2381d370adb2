package lichess

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// DefaultExplorerURL is Lichess's opening explorer.
const DefaultExplorerURL = "https://explorer.lichess.org"

// explorerTimeout bounds a query whose context has a later deadline or none.
const explorerTimeout = 2 * time.Second

// Explorer is a client of the opening explorer: the moves played in a position in games
// on Lichess. The explorer is not on the host of the game server, so it has its own
// token, which needs no scope: never pass the bot's. It is safe for concurrent use and
// sends one query at a time.
type Explorer struct{ client *Client }

// NewExplorer returns an explorer without sending any request. Of the options,
// Token is required. Failed queries are not retried.
func NewExplorer(o Options) (*Explorer, error) {
	o.URL, o.RetryFor = cmp.Or(o.URL, DefaultExplorerURL), -1
	o.CallTimeout = cmp.Or(o.CallTimeout, explorerTimeout)
	c, err := New(o)
	if err != nil {
		return nil, fmt.Errorf("opening explorer: %w", err)
	}
	return &Explorer{c}, nil
}

// Close closes idle connections.
func (e *Explorer) Close() { e.client.Close() }

// Opening holds the explorer's statistics of a position.
type Opening struct {
	Moves []OpeningMove // the most played first
}

// OpeningMove is a move with the results of the games in which it was played.
type OpeningMove struct {
	UCI   string // as received: not checked to be a legal move
	White int    // games won by White
	Draws int
	Black int
}

// Games returns the number of games in which the move was played.
func (m OpeningMove) Games() int { return m.White + m.Draws + m.Black }

// Bounds on a query and its response.
const (
	explorerMoves   = 12      // requested
	maxOpeningMoves = 64      // read from a response
	maxOpeningGames = 1 << 30 // games
)

// Opening returns the moves played in a position of a variant, such as [Crazyhouse]. After
// a 429 it returns a [*RateLimitError] and sends nothing until the wait is over.
//
// API reference: https://lichess.org/api#tag/Opening-Explorer/operation/openingExplorerLichess
func (e *Explorer) Opening(ctx context.Context, variant, fen string) (*Opening, error) {
	return fetch[Opening](ctx, e.client,
		request{endpoint: get("/lichess"), action: "query the opening explorer", query: url.Values{
			"variant": {variant}, "fen": {fen}, "moves": {fmt.Sprint(explorerMoves)}, "topGames": {"0"},
			"recentGames": {"0"},
		}})
}

var errInvalidOpening = errors.New("a move with an invalid number of games, or no moves")

// UnmarshalJSON decodes a response. If there are very many moves, it keeps only the first
// ones.
func (o *Opening) UnmarshalJSON(b []byte) error {
	type plain Opening
	if json.Unmarshal(b, (*plain)(o)) != nil {
		return errInvalidOpening
	}
	o.Moves = o.Moves[:min(len(o.Moves), maxOpeningMoves)]
	for _, m := range o.Moves {
		if min(m.White, m.Draws, m.Black) < 0 || max(m.White, m.Draws, m.Black) > maxOpeningGames {
			return errInvalidOpening
		}
	}
	return nil
}
