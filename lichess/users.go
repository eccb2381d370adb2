package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// UserStatus tells whether a user is online and playing.
type UserStatus struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Title   string `json:"title"`
	Online  bool   `json:"online"`
	Playing bool   `json:"playing"`
}

// Limits of Lichess per request.
const (
	maxUserStatuses = 100
	maxOnlineBots   = 512
)

var (
	endpointUserStatus = endpoint{"GET", "/api/users/status"}
	endpointOnlineBots = endpoint{"GET", "/api/bot/online"}
)

// UserStatuses returns the status of up to 100 users.
//
// API reference: https://lichess.org/api#tag/Users/operation/apiUsersStatus
func (c *Client) UserStatuses(ctx context.Context, ids ...string) ([]UserStatus, error) {
	if len(ids) > maxUserStatuses {
		return nil, fmt.Errorf("read the status of %d users: the limit is %d", len(ids), maxUserStatuses)
	}
	var statuses []UserStatus
	r := request{endpoint: endpointUserStatus, query: singleParam("ids", strings.Join(ids, ",")), into: &statuses}
	if err := c.call(ctx, r); err != nil {
		return nil, fmt.Errorf("read the status of users: %w", err)
	}
	return statuses, nil
}

// OnlineBots returns up to n bots that are online. Invalid lines are skipped, and the
// error joins a [*LineError] for each: it may be non-nil together with a result.
//
// API reference: https://lichess.org/api#tag/Bot/operation/apiBotOnline
func (c *Client) OnlineBots(ctx context.Context, n int) ([]Account, error) {
	var body []byte
	n = min(max(n, 1), maxOnlineBots)
	r := request{endpoint: endpointOnlineBots, query: singleParam("nb", strconv.Itoa(n)), raw: &body}
	err := c.call(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("list the online bots: %w", err)
	}
	bots, err := decodeLines[Account](body, c.token)
	if err != nil {
		err = fmt.Errorf("list the online bots: %w", err)
	}
	return bots, err
}

// decodeLines decodes a finite NDJSON body, skipping invalid lines.
func decodeLines[T any](body []byte, token Token) (values []T, bad error) {
	lines := newLineReader(bytes.NewReader(body), maxLine)
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return values, bad
		}
		var value T
		if err == nil {
			err = json.Unmarshal(line, &value)
		}
		if err != nil {
			bad = errors.Join(bad, lineError(line, err, token))
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return values, bad
			}
			continue
		}
		values = append(values, value)
	}
}
