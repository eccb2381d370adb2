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

// resolve finds out whether a move whose response was lost has arrived. It returns
// false without error if it certainly has not.
func (p *moveAttempt) resolve(ctx context.Context) (arrived bool, err error) {
	for p.pause(ctx) {
		games, err := p.client.playing(ctx, p.client.sendMove)
		if err != nil && isRetryableRead(err) {
			continue
		}
		status := p.statusIn(games)
		if status == moveUnknown {
			break
		}
		return status == moveArrived, nil
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("%w: %w", ErrMoveUnconfirmed, context.Cause(ctx))
	}
	return false, fmt.Errorf("%w: %w", ErrMoveUnconfirmed, p.ambiguousErr)
}

// isRetryableRead reports whether another attempt to list the games may succeed
// soon; after a 429 it would not.
func isRetryableRead(err error) bool {
	var limited *RateLimitError
	return IsTemporary(err) && !errors.As(err, &limited)
}

// handleRejection handles an error response. After a lost response it may mean that
// the move had arrived after all.
func (p *moveAttempt) handleRejection(ctx context.Context, rejection error) error {
	if p.ambiguousErr != nil {
		games, err := p.client.playing(ctx, p.client.sendMove)
		if err == nil && p.statusIn(games) == moveArrived {
			return nil
		}
	}
	if isAboutMove(rejection, p.move.UCI) {
		return fmt.Errorf("%w: %w", ErrIllegalMove, rejection)
	}
	return rejection
}

// isAboutMove reports whether a rejection is about the move itself: its message
// names a square of the move, as in "Piece on e2 cannot move to e5", or its
// notation. "Not your turn, or game already over" and the like do not.
func isAboutMove(rejection error, uci string) bool {
	var api *APIError
	if !errors.As(rejection, &api) || api.StatusCode != http.StatusBadRequest || !api.Explained {
		return false
	}
	words := strings.FieldsFunc(api.Message, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return word == "UCI" || len(word) == 2 && strings.Contains(uci, word)
	})
}

// sendMove sends a request on the transport of moves.
func (c *Client) sendMove(ctx context.Context, r request) error {
	return c.send(ctx, c.moves, r)
}

// moveStatus is whether a move arrived, according to the list of games.
type moveStatus int

const (
	moveUnknown moveStatus = iota
	moveArrived
	moveLost
)

// statusIn looks the move up in the list of games. A game that is no longer listed
// has ended, with this move or without.
func (p *moveAttempt) statusIn(games []Game) moveStatus {
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

// maxMoveNumber bounds the move number of a FEN.
const maxMoveNumber = 1 << 16

// plies returns the number of plies since the start position, from a FEN.
func plies(fen string) (n int, ok bool) {
	fields := strings.Fields(fen)
	if len(fields) != 6 {
		return 0, false
	}
	number, err := strconv.Atoi(fields[5])
	if err != nil || number < 1 || number > maxMoveNumber {
		return 0, false
	}
	n = 2 * (number - 1)
	if fields[1] == "b" {
		n++
	}
	return n, true
}
