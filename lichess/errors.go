package lichess

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Errors to branch on with [errors.Is]. The first four stand for answers of the
// server and are matched by [*APIError].
var (
	// ErrUnauthorized: the token is missing, wrong, revoked or expired (401).
	ErrUnauthorized = errors.New("the token is not accepted")
	// ErrNotFound: no such game, challenge or user, or not ours (404).
	ErrNotFound = errors.New("not found")
	// ErrUnavailable: the server is failing (5xx), or a proxy before it refuses
	// with a web page or nothing where Lichess would say why (4xx).
	ErrUnavailable = errors.New("server unavailable")
	// ErrRedirect: the server answered with a redirect, which is never followed.
	ErrRedirect = errors.New("redirect not followed")

	// ErrStalled: a stream was silent for too long, keep-alives included.
	ErrStalled = errors.New("stream stalled")
	// ErrLineTooLong: a line of a stream exceeded the bound and was skipped.
	ErrLineTooLong = errors.New("line too long")
	// ErrMoveUnconfirmed: a move was posted, its reply was lost, and the game
	// could not be read: the game's stream knows.
	ErrMoveUnconfirmed = errors.New("move unconfirmed")
	// ErrIllegalMove: the server's rules do not allow the move.
	ErrIllegalMove = errors.New("illegal move")
	// ErrMoveInFlight: the game has a move in flight already.
	ErrMoveInFlight = errors.New("another move of this game is in flight")
)

// Limit is Lichess's note on what ran out: the "ratelimit" of an answer.
type Limit struct {
	Key     string  `json:"key"`
	Seconds Seconds `json:"seconds"`
}

// BotGamesLimit is the key of the daily number of games between bots. With a
// 429 our own is used up, with a 400 the opponent's.
const BotGamesLimit = "bot.vsBot.day"

// APIError is an answer of the server that refuses a request.
type APIError struct {
	Endpoint   string // method and path template
	StatusCode int
	Message    string              // the server's words, one line, bounded
	Explained  bool                // Lichess gave the reason itself: JSON with an "error"
	Fields     map[string][]string // complaints by form field, nil if none
	Limit      *Limit              // what ran out, nil if nothing did
}

// Error names the endpoint, the status and the server's words.
func (e *APIError) Error() string {
	return fmt.Sprintf("%s: %d %s", e.Endpoint, e.StatusCode, e.Message)
}

// Is matches the sentinel that stands for the status.
func (e *APIError) Is(target error) bool {
	switch target {
	case ErrUnauthorized:
		return e.StatusCode == http.StatusUnauthorized && e.Explained
	case ErrNotFound:
		return e.StatusCode == http.StatusNotFound && e.Explained
	case ErrUnavailable:
		return e.StatusCode >= 500 || e.StatusCode >= 400 && !e.Explained
	case ErrRedirect:
		return e.StatusCode >= 300 && e.StatusCode < 400
	}
	return false
}

// ScopeError is a 403 for want of a scope. It wraps the [*APIError].
type ScopeError struct {
	Accepted []string // any one of these would do
	Has      []string // what the token has
	answer   *APIError
}

// Error names the scopes that would do.
func (e *ScopeError) Error() string {
	return fmt.Sprintf("%s: the token lacks the scope %s (it has: %s)",
		e.answer.Endpoint, orNone(strings.Join(e.Accepted, " or ")), orNone(strings.Join(e.Has, ", ")))
}

// Unwrap returns the server's answer.
func (e *ScopeError) Unwrap() error { return e.answer }

// RateLimitError says that an endpoint takes nothing until RetryAfter is over:
// the server answered 429, now or (Local) to an earlier request.
type RateLimitError struct {
	Endpoint   string        // method and path template
	RetryAfter time.Duration // counted from now
	Key        string        // what ran out, "" if the server did not say
	Local      bool          // nothing was sent
}

// Error names the endpoint and the wait.
func (e *RateLimitError) Error() string {
	why := "too many requests"
	if e.Local {
		why = "not sent, still too many requests"
	}
	if e.Key != "" {
		why += " (" + e.Key + ")"
	}
	return fmt.Sprintf("%s: %s, next in %s", e.Endpoint, why, e.RetryAfter.Round(time.Second))
}

// NetworkError is a request that got no whole answer: no connection, a timeout,
// a connection cut. It says nothing about the token.
type NetworkError struct {
	Endpoint string // method and path template
	Err      error
}

// Error names the endpoint and the cause.
func (e *NetworkError) Error() string { return e.Endpoint + ": no answer: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *NetworkError) Unwrap() error { return e.Err }

// untrusted reports whether the server's certificate was refused, which another
// try will not change.
func (e *NetworkError) untrusted() bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(e.Err, &certificate)
}

// neverSent reports whether the request surely did not reach the server.
func (e *NetworkError) neverSent() bool {
	var op *net.OpError
	return errors.As(e.Err, &op) && op.Op == "dial"
}

// LineError is a line of a stream that could not be read. It was skipped: the
// stream goes on, and the caller may ask for the next event.
type LineError struct {
	Line string // how the line begins
	Err  error
}

// Error names the defect and shows how the line begins.
func (e *LineError) Error() string { return fmt.Sprintf("skipped line %q: %v", e.Line, e.Err) }

// Unwrap returns the defect.
func (e *LineError) Unwrap() error { return e.Err }

// IsTemporary reports whether a later try may succeed without anybody changing
// anything: the network, a failing server, a stalled stream, a rate limit.
func IsTemporary(err error) bool {
	var network *NetworkError
	var limited *RateLimitError
	if errors.As(err, &network) {
		return !network.untrusted()
	}
	return errors.As(err, &limited) ||
		errors.Is(err, ErrUnavailable) || errors.Is(err, ErrStalled)
}

// IsRefusal reports whether Lichess itself refused a request and said why (4xx). A
// proxy's page is no refusal, and neither is a rate limit.
func IsRefusal(err error) bool {
	var api *APIError
	var scope *ScopeError
	return errors.As(err, &scope) || errors.As(err, &api) && api.Explained && api.StatusCode >= 400 && api.StatusCode < 500
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
