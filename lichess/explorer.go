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

// explorerTimeout bounds a question whose context has more patience.
const explorerTimeout = 2 * time.Second

var endpointExplorer = endpoint{"GET", "/lichess"}

// Explorer asks which moves were played in a position in games on Lichess. It is
// another host than the one that games are played on, so it has a token of its
// own, which needs no scope: never give it the bot's. It is safe for concurrent
// use and asks one question at a time.
type Explorer struct{ client *Client }

// NewExplorer returns an explorer. Of the options, Token is needed; a
// question is never asked twice. It sends nothing.
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

// Opening is what the explorer knows about a position.
type Opening struct {
	Moves []OpeningMove // the most played first
}

// OpeningMove is a move with the results of the games it was played in.
type OpeningMove struct {
	UCI   string // as the server writes it: not known to be legal, nor a move
	White int    // games that White won
	Draws int
	Black int
}

// Games returns in how many games the move was played.
func (m OpeningMove) Games() int { return m.White + m.Draws + m.Black }

// Bounds of what is believed about a position.
const (
	explorerMoves   = 12      // asked for
	mostOpenings    = 64      // moves taken from an answer
	mostOpeningWins = 1 << 30 // games
)

// Crazyhouse returns what was played in a position. After an answer 429 it
// returns a [*RateLimitError] and asks nothing until its wait is over.
func (e *Explorer) Crazyhouse(ctx context.Context, fen string) (*Opening, error) {
	var body []byte
	err := e.client.call(ctx, request{endpoint: endpointExplorer, raw: &body, query: url.Values{
		"variant": {"crazyhouse"}, "fen": {fen}, "moves": {fmt.Sprint(explorerMoves)}, "topGames": {"0"}, "recentGames": {"0"},
	}})
	if err != nil {
		return nil, err
	}
	o, err := parseOpening(body)
	if err != nil {
		return nil, fmt.Errorf("%s: answer is not what it should be: %w", endpointExplorer, err)
	}
	return o, nil
}

var errOpening = errors.New("a move with impossible numbers of games")

// parseOpening reads an answer.
func parseOpening(body []byte) (*Opening, error) {
	var answer struct {
		Moves []struct {
			UCI                 string
			White, Draws, Black int
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	o := &Opening{}
	for _, m := range answer.Moves[:min(len(answer.Moves), mostOpenings)] {
		for _, n := range []int{m.White, m.Draws, m.Black} {
			if n < 0 || n > mostOpeningWins {
				return nil, errOpening
			}
		}
		o.Moves = append(o.Moves, OpeningMove(m))
	}
	return o, nil
}
