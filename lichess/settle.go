package lichess

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// settle finds out whether the move of a lost reply arrived. It returns false
// without error if it surely did not.
func (p *posting) settle(ctx context.Context) (arrived bool, err error) {
	for p.pause(ctx) {
		games, err := p.client.playing(ctx, p.client.sendMove)
		if err != nil && worthAnotherRead(err) {
			continue
		}
		fate := p.find(games)
		if fate == moveUnknown {
			break
		}
		return fate == moveArrived, nil
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("%w: %w", ErrMoveUnconfirmed, context.Cause(ctx))
	}
	return false, fmt.Errorf("%w: %w", ErrMoveUnconfirmed, p.doubt)
}

// worthAnotherRead reports whether the next try to read the games may succeed
// soon. After a 429 it would not.
func worthAnotherRead(err error) bool {
	var limited *RateLimitError
	return IsTemporary(err) && !errors.As(err, &limited)
}

// refused handles the server's no: after a lost reply it may only mean that the
// move arrived after all.
func (p *posting) refused(ctx context.Context, refusal error) error {
	if p.doubt != nil {
		games, err := p.client.playing(ctx, p.client.sendMove)
		if err == nil && p.find(games) == moveArrived {
			return nil
		}
	}
	if condemns(refusal, p.move.UCI) {
		return fmt.Errorf("%w: %w", ErrIllegalMove, refusal)
	}
	return refusal
}

// condemns reports whether a refusal is about the move itself: its words name a
// square of the move, as in "Piece on e2 cannot move to e5", or its notation.
// "Not your turn, or game already over" and the like say nothing about the move.
func condemns(refusal error, uci string) bool {
	var api *APIError
	if !errors.As(refusal, &api) || api.StatusCode != http.StatusBadRequest || !api.Explained {
		return false
	}
	words := strings.FieldsFunc(api.Message, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return word == "UCI" || len(word) == 2 && strings.Contains(uci, word)
	})
}

// sendMove sends a request on the lane of moves.
func (c *Client) sendMove(ctx context.Context, r request) error {
	return c.send(ctx, c.moves, r)
}

// moveFate is what the list of games says about a move.
type moveFate int

const (
	moveUnknown moveFate = iota
	moveArrived
	moveLost
)

// find looks the move up. A game that is no longer listed has ended, with this
// move or without.
func (p *posting) find(games []Game) moveFate {
	for _, game := range games {
		if game.ID != p.move.GameID {
			continue
		}
		played, ok := plies(game.FEN)
		switch {
		case !game.IsMyTurn, ok && played > p.move.Ply:
			return moveArrived
		case ok && played == p.move.Ply:
			return moveLost
		}
	}
	return moveUnknown
}

// mostMoves is more than the number of any game's last move.
const mostMoves = 1 << 16

// plies reads from a FEN how many moves were played since the start position.
func plies(fen string) (n int, ok bool) {
	fields := strings.Fields(fen)
	if len(fields) != 6 {
		return 0, false
	}
	number, err := strconv.Atoi(fields[5])
	if err != nil || number < 1 || number > mostMoves {
		return 0, false
	}
	n = 2 * (number - 1)
	if fields[1] == "b" {
		n++
	}
	return n, true
}
