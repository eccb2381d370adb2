package lichess

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Challenge is an offer to play. Color and FinalColor are the challenger's.
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
	FinalColor       Color       `json:"finalColor"` // random resolved to white or black
	Perf             Perf        `json:"perf"`
	Direction        string      `json:"direction"` // "in" or "out"; streams leave it out
	InitialFEN       string      `json:"initialFen"`
	RematchOf        string      `json:"rematchOf"`        // id of the game before
	Rules            []string    `json:"rules"`            // noAbort and others
	DeclineReason    string      `json:"declineReason"`    // a sentence
	DeclineReasonKey string      `json:"declineReasonKey"` // a [DeclineReason] in lower case
}

// TimeControl is the clock of a challenge.
type TimeControl struct {
	Type        string  `json:"type"` // clock, correspondence or unlimited
	Limit       Seconds `json:"limit"`
	Increment   Seconds `json:"increment"`
	DaysPerTurn int     `json:"daysPerTurn"`
	Show        string  `json:"show"` // "3+2"
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

// ChallengeRequest is a challenge to send. If Limit, Increment and Days are zero,
// the game has no clock.
type ChallengeRequest struct {
	Variant   string // default crazyhouse
	Rated     bool
	Limit     time.Duration // whole seconds
	Increment time.Duration // whole seconds
	Days      int           // per move, instead of a clock
	Color     Color         // ours; default random
	Rules     []string      // noAbort, noRematch, noGiveTime, noClaimWin, noEarlyDraw
	Opponent  OpponentKind
}

// ChallengeList holds the pending challenges, incoming and outgoing.
type ChallengeList struct {
	In  []Challenge `json:"in"`
	Out []Challenge `json:"out"`
}

var (
	endpointChallenges       = endpoint{"GET", "/api/challenge"}
	endpointChallengeShow    = endpoint{"GET", "/api/challenge/{id}/show"}
	endpointChallengeCreate  = endpoint{"POST", "/api/challenge/{user}"}
	endpointChallengeAccept  = endpoint{"POST", "/api/challenge/{id}/accept"}
	endpointChallengeDecline = endpoint{"POST", "/api/challenge/{id}/decline"}
	endpointChallengeCancel  = endpoint{"POST", "/api/challenge/{id}/cancel"}
)

// Challenges returns the pending challenges. It needs the scope challenge:read.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeList
func (c *Client) Challenges(ctx context.Context) (*ChallengeList, error) {
	list := new(ChallengeList)
	if err := c.call(ctx, request{endpoint: endpointChallenges, into: list}); err != nil {
		return nil, fmt.Errorf("list challenges: %w", err)
	}
	return list, nil
}

// ShowChallenge returns one challenge.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeShow
func (c *Client) ShowChallenge(ctx context.Context, id string) (*Challenge, error) {
	challenge := new(Challenge)
	r := request{endpoint: endpointChallengeShow, args: []string{id}, into: challenge}
	if err := c.call(ctx, r); err != nil {
		return nil, fmt.Errorf("show challenge %s: %w", excerpt(id), err)
	}
	return challenge, nil
}

// CreateChallenge challenges a user. An unanswered challenge can still be accepted
// later: cancel it.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeCreate
func (c *Client) CreateChallenge(ctx context.Context, user string, cr ChallengeRequest) (*Challenge, error) {
	challenge := new(Challenge)
	r := request{
		endpoint: endpointChallengeCreate,
		args:     []string{user},
		form:     cr.form(),
		opponent: cr.Opponent,
		into:     challenge,
	}
	err := c.call(ctx, r)
	if err == nil && challenge.ID == "" {
		err = errNoChallengeID
	}
	if err != nil {
		return nil, fmt.Errorf("challenge %s: %w", excerpt(user), err)
	}
	return challenge, nil
}

// form encodes the request.
func (cr *ChallengeRequest) form() url.Values {
	variant, color := cr.Variant, cr.Color
	if variant == "" {
		variant = Crazyhouse
	}
	if color == "" {
		color = RandomColor
	}
	form := url.Values{
		"variant": {variant},
		"rated":   {strconv.FormatBool(cr.Rated)},
		"color":   {string(color)},
	}
	if cr.Limit > 0 || cr.Increment > 0 {
		form.Set("clock.limit", seconds(cr.Limit))
		form.Set("clock.increment", seconds(cr.Increment))
	}
	if cr.Days > 0 {
		form.Set("days", strconv.Itoa(cr.Days))
	}
	if len(cr.Rules) > 0 {
		form.Set("rules", strings.Join(cr.Rules, ","))
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
	r := request{endpoint: endpointChallengeAccept, args: []string{id}, opponent: vs}
	return wrap(c.call(ctx, r), "accept challenge", id)
}

// DeclineChallenge declines a challenge, with a reason.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeDecline
func (c *Client) DeclineChallenge(ctx context.Context, id string, reason DeclineReason) error {
	form := url.Values{"reason": {string(reason)}}
	r := request{endpoint: endpointChallengeDecline, args: []string{id}, form: form}
	return wrap(c.call(ctx, r), "decline challenge", id)
}

// CancelChallenge cancels an outgoing challenge, declines an incoming one, and
// aborts the game of a challenge that was just accepted.
//
// API reference: https://lichess.org/api#tag/Challenges/operation/challengeCancel
func (c *Client) CancelChallenge(ctx context.Context, id string) error {
	r := request{endpoint: endpointChallengeCancel, args: []string{id}}
	return wrap(c.call(ctx, r), "cancel challenge", id)
}
