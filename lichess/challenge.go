package lichess

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// Challenge is an offer to play. Color is the challenger's.
type Challenge struct {
	ID               string      `json:"id"` // also the id of the game it becomes
	URL              string      `json:"url"`
	Status           string      `json:"status"`     // created offline canceled declined accepted
	Challenger       *Player     `json:"challenger"` // nil if anonymous
	DestUser         *Player     `json:"destUser"`   // nil if open to anybody
	Variant          Variant     `json:"variant"`
	Rated            bool        `json:"rated"`
	Speed            Speed       `json:"speed"`
	TimeControl      TimeControl `json:"timeControl"`
	Color            Color       `json:"color"`
	InitialFEN       string      `json:"initialFen"`
	RematchOf        string      `json:"rematchOf"`        // id of the game before
	Rules            []string    `json:"rules"`            // noAbort and others
	DeclineReason    string      `json:"declineReason"`    // a sentence
	DeclineReasonKey string      `json:"declineReasonKey"` // a [DeclineReason] in lower case
	Unclear          bool        `json:"-"`                // it is unknown if it is rated, or if a BOT sent it
}

// TimeControl is the time control of a challenge.
type TimeControl struct {
	Type        string // clock, correspondence or unlimited; "" if the control is unknown
	Clock       Clock
	DaysPerTurn int
}

// UnmarshalJSON decodes a time control. One that is not complete is zero.
func (t *TimeControl) UnmarshalJSON(b []byte) error {
	var control struct {
		Type        string  `json:"type"`
		Limit       Seconds `json:"limit"`
		Increment   Seconds `json:"increment"`
		DaysPerTurn int     `json:"daysPerTurn"`
	}
	control.Limit, control.Increment = -1, -1
	complete := json.Unmarshal(b, &control) == nil &&
		(control.Type != ClockControl || min(control.Limit, control.Increment) >= 0) &&
		(control.Type != CorrespondenceControl || control.DaysPerTurn >= 1)
	if complete {
		clock := Clock{max(control.Limit, 0).Duration(), max(control.Increment, 0).Duration()}
		*t = TimeControl{control.Type, clock, control.DaysPerTurn}
	}
	return nil
}

// String returns the time control for people, such as "3+2", "3 days a move" or "no clock".
func (t TimeControl) String() string {
	if t.Type == CorrespondenceControl {
		return fmt.Sprintf("%d days a move", t.DaysPerTurn)
	}
	return t.Clock.String()
}

// The types of a [TimeControl].
const (
	ClockControl          = "clock"
	CorrespondenceControl = "correspondence"
	UnlimitedControl      = "unlimited"
)

// DeclineReason is the reason given to a challenger.
type DeclineReason string

// The decline reasons of Lichess. DeclineCasual asks for a casual game instead of a
// rated one; DeclineRated the other way round.
const (
	DeclineGeneric     DeclineReason = "generic"
	DeclineLater       DeclineReason = "later"
	DeclineTooFast     DeclineReason = "tooFast"
	DeclineTooSlow     DeclineReason = "tooSlow"
	DeclineTimeControl DeclineReason = "timeControl"
	DeclineRated       DeclineReason = "rated"
	DeclineCasual      DeclineReason = "casual"
	DeclineStandard    DeclineReason = "standard"
	DeclineVariant     DeclineReason = "variant"
	DeclineNoBot       DeclineReason = "noBot"
	DeclineOnlyBot     DeclineReason = "onlyBot"
)

// OpponentKind is whether the opponent is a bot, so that the game counts against
// the daily limit of games between bots.
type OpponentKind bool

// The kinds of opponent.
const (
	Human OpponentKind = false
	Bot   OpponentKind = true
)

// ChallengeRequest is a challenge to send. If Clock and Days are zero, the game has no
// clock.
type ChallengeRequest struct {
	Variant  string // default crazyhouse
	Rated    bool
	Clock    Clock // in whole seconds
	Days     int   // per move, instead of a clock
	Color    Color // ours; default random
	Opponent OpponentKind
}

// ChallengeList holds the pending challenges, incoming and outgoing.
type ChallengeList struct {
	In  []Challenge `json:"in"`
	Out []Challenge `json:"out"`
}

// Challenges returns the pending challenges. It needs the scope challenge:read.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeList
func (c *Client) Challenges(ctx context.Context) (*ChallengeList, error) {
	return fetch[ChallengeList](ctx, c, request{endpoint: get("/api/challenge"), action: "list challenges"})
}

// ShowChallenge returns one challenge.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeShow
func (c *Client) ShowChallenge(ctx context.Context, id string) (*Challenge, error) {
	return fetch[Challenge](ctx, c, request{
		endpoint: get("/api/challenge/{id}/show"), action: "show challenge", args: []string{id},
	})
}

// CreateChallenge challenges a user. An unanswered challenge can still be accepted
// later: cancel it.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeCreate
func (c *Client) CreateChallenge(ctx context.Context, user string, cr ChallengeRequest) (*Challenge, error) {
	r := request{
		endpoint: post("/api/challenge/{user}"),
		action:   "challenge",
		args:     []string{user},
		form:     cr.form(),
		opponent: cr.Opponent,
	}
	challenge, err := fetch[Challenge](ctx, c, r)
	if err != nil {
		return nil, err
	}
	if challenge.ID == "" {
		return nil, r.wrap(errNoID)
	}
	return challenge, nil
}

// form encodes the request.
func (cr *ChallengeRequest) form() url.Values {
	form := url.Values{
		"variant": {cmp.Or(cr.Variant, Crazyhouse)},
		"rated":   {strconv.FormatBool(cr.Rated)},
		"color":   {string(cmp.Or(cr.Color, RandomColor))},
	}
	if cr.Clock != (Clock{}) {
		form.Set("clock.limit", seconds(cr.Clock.Initial))
		form.Set("clock.increment", seconds(cr.Clock.Increment))
	}
	if cr.Days > 0 {
		form.Set("days", strconv.Itoa(cr.Days))
	}
	return form
}

func seconds(d time.Duration) string {
	return strconv.FormatInt(int64(d/time.Second), 10)
}

// AcceptChallenge accepts a challenge from an opponent of the given kind. The
// [GameStart] event may arrive before this returns, or never.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeAccept
func (c *Client) AcceptChallenge(ctx context.Context, id string, vs OpponentKind) error {
	return c.call(ctx, request{
		endpoint: post("/api/challenge/{id}/accept"), action: "accept challenge", args: []string{id},
		opponent: vs, concurrent: true,
	})
}

// DeclineChallenge declines a challenge, with a reason.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeDecline
func (c *Client) DeclineChallenge(ctx context.Context, id string, reason DeclineReason) error {
	form := singleParam("reason", string(reason))
	return c.command(ctx, "decline challenge", "/api/challenge/{id}/decline", form, id)
}

// CancelChallenge cancels an outgoing challenge, declines an incoming one, and
// aborts the game of a challenge that was just accepted.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeCancel
func (c *Client) CancelChallenge(ctx context.Context, id string) error {
	return c.command(ctx, "cancel challenge", "/api/challenge/{id}/cancel", nil, id)
}
