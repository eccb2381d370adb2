package lichess

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Errors to test for with [errors.Is]. The first four are matched by [*APIError].
var (
	// ErrUnauthorized: the token is missing, wrong, revoked or expired, or its account is
	// closed (401). A client that retries has had this confirmed by the server.
	ErrUnauthorized = errors.New("the token is not accepted")
	// ErrNotFound: no such game, challenge or user, or no access to it (404).
	ErrNotFound = errors.New("not found")
	// ErrUnavailable: the server is failing (5xx), or a proxy in front of it answers
	// without the JSON that Lichess would send: its error (4xx), or its result (2xx),
	// which is not an [*APIError].
	ErrUnavailable = errors.New("server unavailable")
	// ErrRedirect: the response is a redirect, which is never followed.
	ErrRedirect = errors.New("redirect not followed")

	// ErrNotSent: the request certainly did not reach the server.
	ErrNotSent = errors.New("not sent")
	// ErrStalled: a stream brought no line for too long, not even a keep-alive.
	ErrStalled = errors.New("stream stalled")
	// ErrLineTooLong: a line of a stream exceeded the maximum length and was skipped.
	ErrLineTooLong = errors.New("line too long")
	// ErrMoveUnconfirmed: a move was posted, its response was lost, and the game's
	// state could not be read. Only the game's stream can tell.
	ErrMoveUnconfirmed = errors.New("move unconfirmed")
	// ErrIllegalMove: the server's rules do not allow the move.
	ErrIllegalMove = errors.New("illegal move")
	// ErrMoveInFlight: the game has a move in flight already.
	ErrMoveInFlight = errors.New("another move of this game is in flight")
)

// Limit is the rate limit that was exceeded: the "ratelimit" of an error response.
type Limit struct {
	Key     string  `json:"key"`     // such as [BotGamesLimit]
	Seconds Seconds `json:"seconds"` // until it is lifted
}

// BotGamesLimit is the key of the daily limit of games between bots. With a 429 the
// account's own limit is exhausted, with a 400 the opponent's.
const BotGamesLimit = "bot.vsBot.day"

// APIError is an error response of the server.
type APIError struct {
	Endpoint   string // method and path template
	StatusCode int
	Message    string // the server's message, one line, bounded
	Explained  bool   // Lichess itself gave the reason: JSON with an "error"; false for an unconfirmed 401
	Limit      *Limit // the exceeded rate limit, nil if none
}

// Error returns the endpoint, the status and the server's message.
func (e *APIError) Error() string {
	return fmt.Sprintf("%s: %d %s", e.Endpoint, e.StatusCode, e.Message)
}

// Is reports whether target is the sentinel error of the status.
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

// ScopeError is a 403 for a missing scope. It wraps the [*APIError].
type ScopeError struct {
	Accepted []string // any one of these suffices
	Has      []string // the token's scopes
	apiErr   *APIError
}

// Error returns the accepted scopes and the token's.
func (e *ScopeError) Error() string {
	return fmt.Sprintf("%s: the token lacks the scope %s (it has: %s)",
		e.apiErr.Endpoint, cmp.Or(strings.Join(e.Accepted, " or "), "none"), cmp.Or(strings.Join(e.Has, ", "), "none"))
}

// Unwrap returns the [*APIError].
func (e *ScopeError) Unwrap() error { return e.apiErr }

// RateLimitError means that an endpoint is blocked until RetryAfter is over: the
// server responded with 429 to this request or (Local) to an earlier one.
type RateLimitError struct {
	Endpoint   string        // method and path template
	RetryAfter time.Duration // from now
	Key        string        // of the exceeded limit, "" if the server named none
	Local      bool          // nothing was sent
}

// Error returns the endpoint and the wait.
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

// NetworkError is a request without a complete response: connection failed, closed
// early or timed out.
type NetworkError struct {
	Endpoint string // method and path template
	Err      error
	notSent  bool // there was no connection to send it on
}

// Error returns the endpoint and the cause.
func (e *NetworkError) Error() string { return e.Endpoint + ": no response: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *NetworkError) Unwrap() error { return e.Err }

// Is reports whether target is [ErrNotSent] and the request was not sent.
func (e *NetworkError) Is(target error) bool { return target == ErrNotSent && e.notSent }

// LineError is an invalid line of a stream. It was skipped: the stream is still
// open, and the caller may call Next again.
type LineError struct {
	Line string // the beginning of the line
	JSON bool   // the line is JSON, but not what a line of the stream should be
	Err  error
}

// Error returns the cause and the beginning of the line.
func (e *LineError) Error() string { return fmt.Sprintf("skipped line %q: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// IsTemporary reports whether a later attempt may succeed unchanged: the network
// or the server failed, a stream stalled, or a rate limit was exceeded.
func IsTemporary(err error) bool {
	return errors.As(err, new(*NetworkError)) || errors.As(err, new(*RateLimitError)) ||
		errors.Is(err, ErrUnavailable) || errors.Is(err, ErrStalled)
}

// IsRefusal reports whether Lichess itself rejected a request with a reason (4xx), not a
// proxy with its own page. A rate limit is not a refusal.
func IsRefusal(err error) bool {
	var api *APIError
	return errors.As(err, new(*ScopeError)) ||
		errors.As(err, &api) && api.Explained && api.StatusCode >= 400 && api.StatusCode < 500
}

// apiError returns the error of an unsuccessful response, and blocks the class after
// a 429.
func (c *Client) apiError(e endpoint, status int, h http.Header, body []byte) error {
	apiErr := parseAPIError([]byte(c.token.redact(string(body))))
	apiErr.Endpoint, apiErr.StatusCode = e.String(), status
	if apiErr.Is(ErrRedirect) {
		apiErr.Message = fmt.Sprintf("redirect to %q, which is never followed: set the server's URL to where it "+
			"really is", excerpt(c.token.redact(h.Get("Location"))))
	}
	apiErr.Message = excerpt(cmp.Or(apiErr.Message, http.StatusText(status)))
	switch {
	case status == http.StatusTooManyRequests:
		return c.rateLimitError(e, h, apiErr)
	case status == http.StatusForbidden:
		return c.forbiddenError(h, apiErr)
	}
	return apiErr
}

// forbiddenError returns a [*ScopeError] if a scope is missing. The headers alone do
// not tell: they come with every response to a token.
func (c *Client) forbiddenError(h http.Header, apiErr *APIError) error {
	accepted := splitList(excerpt(c.token.redact(h.Get("X-Accepted-OAuth-Scopes"))))
	has := splitList(excerpt(c.token.redact(h.Get("X-OAuth-Scopes"))))
	if _, required, found := strings.Cut(apiErr.Message, "Missing scope: "); found {
		accepted = splitList(required)
	}
	enough := func(scope string) bool { return slices.Contains(has, scope) }
	if len(accepted) == 0 || slices.ContainsFunc(accepted, enough) {
		return apiErr
	}
	return &ScopeError{Accepted: accepted, Has: has, apiErr: apiErr}
}

// rateLimitError blocks the class that a 429 applies to.
func (c *Client) rateLimitError(e endpoint, h http.Header, apiErr *APIError) error {
	class, key := e, ""
	if apiErr.Limit != nil {
		key = excerpt(apiErr.Limit.Key)
	}
	if key == BotGamesLimit {
		class = botGames
	}
	wait := c.limiter.block(class, requestedWait(h, apiErr.Limit, c.clock.now()), key)
	return &RateLimitError{Endpoint: e.String(), RetryAfter: wait, Key: key}
}

// parseAPIError parses an error body. Lichess sends {"error": text} or
// {"error": {field: [text]}}; a proxy in front of it may send HTML.
func parseAPIError(body []byte) *APIError {
	var parts struct {
		Error json.RawMessage `json:"error"`
		Limit *Limit          `json:"ratelimit"`
	}
	if unmarshal(body, &parts) != nil {
		return &APIError{Message: plainMessage(string(body))}
	}
	apiErr := &APIError{Explained: parts.Error != nil, Limit: parts.Limit}
	if json.Unmarshal(parts.Error, &apiErr.Message) != nil {
		apiErr.Message = fieldErrors.Replace(string(parts.Error))
	}
	return apiErr
}

// plainMessage returns the message of a body that is not JSON.
func plainMessage(body string) string {
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "<") {
		return "a web page instead of JSON"
	}
	return body
}

// fieldErrors makes errors by form field, each a string or a list, readable.
var fieldErrors = strings.NewReplacer(`"`, "", "{", "", "}", "", "[", "", "]", "", ":", ": ", ",", ", ")

// excerpt makes untrusted text safe for a message: one line, printable, bounded.
func excerpt(s string) string {
	const maxLen = 160
	cut := len(s) > maxLen
	if cut {
		s = s[:maxLen]
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), isControlOrSpace), " ")
	if cut {
		s += "…"
	}
	return s
}

func isControlOrSpace(r rune) bool { return r <= ' ' || r >= 0x7f && r <= 0xa0 }
