package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Arena is a tournament in which players are paired repeatedly until it ends.
type Arena struct {
	ID          string    `json:"id"`
	Name        string    `json:"fullName"`
	Variant     string    `json:"-"` // its key
	BotsAllowed bool      `json:"botsAllowed"`
	Starts      time.Time `json:"-"` // by this machine's clock, as Finishes
	Finishes    time.Time `json:"-"`
	Finished    bool      `json:"isFinished"`
}

// maxArenas bounds a team's list of arenas.
const maxArenas = 50

// Arena returns a tournament.
//
// API reference: https://lichess.org/api#tag/Arena-tournaments/operation/tournament
func (c *Client) Arena(ctx context.Context, id string) (*Arena, error) {
	a, err := fetch[Arena](ctx, c, request{
		endpoint: get("/api/tournament/{id}"), action: "read arena", args: []string{id}, emptyNotFound: true,
	})
	if err != nil {
		return nil, err
	}
	a.convertTimes(&c.clock)
	return a, nil
}

// convertTimes converts the times from the server's clock to this machine's.
func (a *Arena) convertTimes(c *serverClock) {
	a.Starts, a.Finishes = c.convert(a.Starts), c.convert(a.Finishes)
}

// TeamArenas returns a team's arenas, the latest start first. Invalid lines are
// skipped, and the error joins a [*LineError] for each: it may be non-nil together
// with a result.
//
// API reference: https://lichess.org/api#tag/Teams/operation/apiTeamArena
func (c *Client) TeamArenas(ctx context.Context, team string) ([]Arena, error) {
	list, err := fetchLines[Arena](ctx, c, request{
		endpoint: get("/api/team/{id}/arena"), action: "list the arenas of team", args: []string{team},
		query: singleParam("max", strconv.Itoa(maxArenas)),
	})
	for i := range list {
		list[i].convertTimes(&c.clock)
	}
	return list, err
}

// ArenaEntry holds the parameters to join an arena.
type ArenaEntry struct {
	Password string
	Team     string // to play for in a team battle
	// PairNow requests pairing without having the arena's page open. It expires
	// after a minute; join again to extend it.
	PairNow bool
}

// JoinArena joins an arena, or resumes after a pause. It needs one of the scopes
// tournament:write and bot:play.
//
// API reference: https://lichess.org/api#tag/Arena-tournaments/operation/apiTournamentJoin
func (c *Client) JoinArena(ctx context.Context, id string, e ArenaEntry) error {
	form := url.Values{"pairMeAsap": {strconv.FormatBool(e.PairNow)}}
	for field, value := range map[string]string{"password": e.Password, "team": e.Team} {
		if value != "" {
			form.Set(field, value)
		}
	}
	return c.command(ctx, "join arena", "/api/tournament/{id}/join", form, id)
}

// IsArenaPause reports whether an arena has refused a join only for now: after one has left
// an arena, none can be joined for up to two minutes, and all have a limit in common.
func IsArenaPause(err error) bool {
	known, _ := regexp.MatchString("(?i)pause is not over|joining too many tournaments", err.Error())
	return known && IsRefusal(err)
}

// WithdrawArena leaves an arena that has not started, or pauses in one that has.
//
// API reference: https://lichess.org/api#tag/Arena-tournaments/operation/apiTournamentWithdraw
func (c *Client) WithdrawArena(ctx context.Context, id string) error {
	return c.command(ctx, "withdraw from arena", "/api/tournament/{id}/withdraw", nil, id)
}

var errIncompleteArena = errors.New("an arena without an id or a time")

// statusFinished is the status of a finished arena.
const statusFinished = "30"

// UnmarshalJSON decodes either form of an arena, alone or in a list.
func (a *Arena) UnmarshalJSON(b []byte) error {
	type plain Arena
	*a = Arena{}
	o := struct {
		*plain
		Variant    Variant         `json:"variant"`
		StartsAt   json.RawMessage `json:"startsAt"`   // RFC 3339, or Unix milliseconds
		FinishesAt json.RawMessage `json:"finishesAt"` // only in lists
		Minutes    int64           `json:"minutes"`
		Status     json.RawMessage `json:"status"` // a number; 30 is finished
	}{plain: (*plain)(a)}
	if err := unmarshal(b, &o); err != nil {
		return err
	}
	a.Variant, a.Starts, a.Finishes = o.Variant.Key, parseTime(o.StartsAt), parseTime(o.FinishesAt)
	a.Finished = a.Finished || string(o.Status) == statusFinished
	if a.ID == "" || a.Starts.IsZero() || a.Finishes.IsZero() && o.Minutes <= 0 {
		return errIncompleteArena
	}
	if a.Finishes.IsZero() {
		a.Finishes = a.Starts.Add(scale(o.Minutes, time.Minute))
	}
	return nil
}

// parseTime parses RFC 3339 or Unix milliseconds, zero if it is neither.
func parseTime(raw json.RawMessage) time.Time {
	raw = bytes.TrimSpace(raw)
	if ms, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return time.UnixMilli(ms).UTC()
	}
	at, _ := time.Parse(time.RFC3339, strings.Trim(string(raw), `"`)) // zero after an error
	return at.UTC()
}

// String names the arena.
func (a *Arena) String() string { return fmt.Sprintf("%s (%s)", excerpt(a.Name), excerpt(a.ID)) }
