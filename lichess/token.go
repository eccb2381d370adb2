package lichess

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNoToken is returned for an empty token.
var ErrNoToken = errors.New("no token: create one with the scopes bot:play and challenge:read at https://lichess.org/account/oauth/token")

// hidden is what every way of printing a token shows.
const hidden = "[token]"

// Token is a Lichess access token that cannot be printed by accident: every
// format verb, the error values of this package and every encoder of text or
// JSON show a placeholder. Lichess's tokens may be 512 characters and longer.
type Token struct {
	// A pointer, because fmt calls no method on the unexported field of a
	// struct that holds a Token, but prints a nested pointer as an address.
	secret *string
}

// NewToken returns the token that s holds, less the space around it that files
// and environments often leave.
func NewToken(s string) (Token, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return Token{}, ErrNoToken
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return Token{}, fmt.Errorf("token: its character %d of %d cannot be part of a token: copy it again, on one line and without quotes", i+1, len(s))
		}
	}
	return Token{secret: &s}, nil
}

// IsZero reports whether the token is missing.
func (t Token) IsZero() bool { return t.secret == nil }

// String returns a placeholder, never the token.
func (t Token) String() string { return hidden }

// Format writes the placeholder, whatever the verb.
func (t Token) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, hidden) }

// MarshalText returns the placeholder, also for encoders of JSON and YAML.
func (t Token) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// reveal returns the secret, for the Authorization header and the token test.
func (t Token) reveal() string {
	if t.secret == nil {
		return ""
	}
	return *t.secret
}

// scrub takes the token out of words that a server sent, which may echo it.
func (t Token) scrub(s string) string {
	if t.secret == nil {
		return s
	}
	return strings.ReplaceAll(s, *t.secret, hidden)
}
