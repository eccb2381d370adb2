package lichess

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Account is a user's account, as its owner or the public sees it.
type Account struct {
	ID           string                `json:"id"`
	Username     string                `json:"username"`
	Title        string                `json:"title"` // such as BOT; "" without one
	Perfs        map[string]PerfRating `json:"perfs"` // by variant or speed; an unplayed one may be absent
	URL          string                `json:"url"`   // of its page
	Profile      Profile               `json:"profile"`
	Disabled     bool                  `json:"disabled"`
	TOSViolation bool                  `json:"tosViolation"` // marked for breaking the terms of service
	Count        GameCount             `json:"count"`
	CreatedAt    Millis                `json:"createdAt"` // Unix time; 0 if unknown
}

// IsBot reports whether it is a BOT account.
func (a *Account) IsBot() bool { return a.Title == titleBot }

// newAccount is the age below which an account's quick wins do not count for its rating.
const newAccount = 7 * 24 * time.Hour

// IsNew reports whether the account is so young at a time that its quick wins do not count
// for its rating. It is new as well if a wrong clock dates that time before its creation.
func (a *Account) IsNew(at time.Time) bool {
	return a.CreatedAt > 0 && at.Before(time.UnixMilli(int64(a.CreatedAt)).Add(newAccount))
}

// Profile is what an account's owner has written about it.
type Profile struct {
	Bio string `json:"bio"` // Lichess lists only bots that have one as online
}

// GameCount counts a user's games.
type GameCount struct {
	All int `json:"all"` // of every variant, in progress too
}

// PerfRating is a rating in one category.
type PerfRating struct {
	Games       int  `json:"games"`
	Rating      int  `json:"rating"`
	Provisional bool `json:"prov"` // too few games, or too long ago
}

// TokenInfo is the server's record of a token.
type TokenInfo struct {
	UserID  string    // of the account that it belongs to
	Scopes  []string  // what it allows, such as bot:play
	Expires time.Time // zero if never
}

// Account returns the account that the token belongs to, and from then on names
// it in the User-Agent, as Lichess asks of bots.
//
// API reference: https://lichess.org/api#tag/Account/operation/accountMe
func (c *Client) Account(ctx context.Context) (*Account, error) {
	account, err := fetch[Account](ctx, c, request{endpoint: get("/api/account"), action: "read the account"})
	if err != nil {
		return nil, err
	}
	account.ID = cmp.Or(account.ID, strings.ToLower(account.Username))
	account.Username = cmp.Or(account.Username, account.ID)
	c.setUserAgent(account.Username)
	return account, nil
}

var endpointUser = get("/api/user/{name}")

// User returns a user's account, as the public sees it.
//
// API reference: https://lichess.org/api#tag/Users/operation/apiUser
func (c *Client) User(ctx context.Context, name string) (*Account, error) {
	return fetch[Account](ctx, c, request{endpoint: endpointUser, action: "read the account of", args: []string{name}})
}

// MaxPlaying is the largest number of games that [Client.Playing] can return.
const MaxPlaying = 50

// Playing returns up to [MaxPlaying] of the account's games in progress, as of a request sent
// after the call.
//
// API reference: https://lichess.org/api#tag/Games/operation/apiAccountPlaying
func (c *Client) Playing(ctx context.Context) (*GameList, error) {
	list := new(GameList)
	err := c.call(ctx, list.request())
	if err == nil && list.Games == nil {
		err = errors.New("list the games in progress: no list")
	}
	return list, err
}

// Ping requests the games in progress once and returns nil if the server responds,
// even with a 429. While an earlier 429 blocks the request, it returns a
// [*RateLimitError].
//
// API reference: https://lichess.org/api#tag/Games/operation/apiAccountPlaying
func (c *Client) Ping(ctx context.Context) error {
	err := c.send(ctx, c.calls, new(GameList).request())
	var limited *RateLimitError
	if err == nil || errors.As(err, &limited) && !limited.Local {
		return nil
	}
	return fmt.Errorf("ping: %w", err)
}

// request returns the request that the list is the response to.
func (l *GameList) request() request {
	return request{
		endpoint: get("/api/account/playing"), action: "list the games in progress",
		query: singleParam("nb", strconv.Itoa(MaxPlaying)), list: l,
	}
}

// UpgradeToBot turns the account into a BOT account. This is irreversible, and the
// account must not have played any game.
//
// API reference: https://lichess.org/api#tag/Bot/operation/botAccountUpgrade
func (c *Client) UpgradeToBot(ctx context.Context) error {
	return c.command(ctx, "upgrade the account", "/api/bot/account/upgrade", nil)
}

// TestToken returns the server's record of the client's own token, nil if the
// token is unknown.
//
// API reference: https://lichess.org/api#tag/OAuth/operation/tokenTest
func (c *Client) TestToken(ctx context.Context) (*TokenInfo, error) {
	return c.testToken(func(r request) error { return c.call(ctx, r) })
}

// testToken is TestToken with a function that sends the request.
func (c *Client) testToken(send func(request) error) (*TokenInfo, error) {
	var records map[string]*struct {
		UserID  string          `json:"userId"`
		Scopes  json.RawMessage `json:"scopes"`
		Expires json.RawMessage `json:"expires"`
	}
	r := request{endpoint: post("/api/token/test"), action: "test the token", text: c.token.reveal(), into: &records}
	if err := send(r); err != nil {
		return nil, err
	}
	known := records[c.token.reveal()]
	if known == nil {
		return nil, nil
	}
	var scopes string
	if json.Unmarshal(known.Scopes, &scopes) != nil {
		return nil, errors.New("test the token: unknown scopes")
	}
	info := &TokenInfo{UserID: known.UserID, Scopes: splitList(scopes)}
	if ms := int64(0); json.Unmarshal(known.Expires, &ms) == nil && ms > 0 && ms < maxMillis {
		info.Expires = time.UnixMilli(ms)
	}
	return info, nil
}

// maxMillis is the end of the year 9999 in Unix milliseconds; no token ends later.
const maxMillis = 253402300799999

// splitList splits a list of scopes: with commas in headers, and bars in errors.
func splitList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(", |", r) })
}

// UserStatus tells whether a user is online and playing.
type UserStatus struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Title   string `json:"title"`
	Online  bool   `json:"online"`
	Playing bool   `json:"playing"`
}

// IsBot reports whether it is a BOT account.
func (u *UserStatus) IsBot() bool { return u.Title == titleBot }

// Limits of Lichess per request.
const (
	maxUserStatuses = 100
	maxOnlineBots   = 512
)

// UserStatuses returns the status of up to 100 users.
//
// API reference: https://lichess.org/api#tag/Users/operation/apiUsersStatus
func (c *Client) UserStatuses(ctx context.Context, ids ...string) ([]UserStatus, error) {
	if len(ids) > maxUserStatuses {
		return nil, fmt.Errorf("read the status of %d users: the limit is %d", len(ids), maxUserStatuses)
	}
	var statuses []UserStatus
	err := c.call(ctx, request{
		endpoint: get("/api/users/status"), action: "read the status of users",
		query: singleParam("ids", strings.Join(ids, ",")), into: &statuses,
	})
	return statuses, err
}

// OnlineBots returns up to n bots that are online. Invalid lines are skipped, and the
// error joins a [*LineError] for each: it may be non-nil together with a result.
//
// API reference: https://lichess.org/api#tag/Bot/operation/apiBotOnline
func (c *Client) OnlineBots(ctx context.Context, n int) ([]Account, error) {
	query := singleParam("nb", strconv.Itoa(min(max(n, 1), maxOnlineBots)))
	return fetchLines[Account](ctx, c, request{
		endpoint: get("/api/bot/online"), action: "list the online bots", query: query,
	})
}
