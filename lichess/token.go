package lichess

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNoToken is returned for an empty token.
var ErrNoToken = errors.New("no token: create one with the scopes bot:play and challenge:read at https://lichess.org/account/oauth/token")

// tokenPlaceholder is printed instead of a token.
const tokenPlaceholder = "[token]"

// Token is a Lichess access token that cannot be printed by accident: format verbs,
// errors of this package and encoders of text or JSON show a placeholder. Tokens may
// be 512 characters or longer.
type Token struct {
	// A pointer, because fmt calls no method on the unexported field of a
	// struct that holds a Token, but prints a nested pointer as an address.
	secret *string
}

// NewToken returns the token in s, without surrounding space, which files and
// environment variables often have.
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

// IsZero reports whether the token is unset.
func (t Token) IsZero() bool { return t.secret == nil }

// String returns a placeholder, never the token.
func (t Token) String() string { return tokenPlaceholder }

// Format writes the placeholder for every verb.
func (t Token) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, tokenPlaceholder) }

// MarshalText returns the placeholder; encoders of JSON and YAML use it too.
func (t Token) MarshalText() ([]byte, error) { return []byte(tokenPlaceholder), nil }

// reveal returns the token itself, for the Authorization header and TestToken.
func (t Token) reveal() string {
	if t.secret == nil {
		return ""
	}
	return *t.secret
}

// redact replaces the token in text from the server, which may echo it.
func (t Token) redact(s string) string {
	if t.secret == nil {
		return s
	}
	return strings.ReplaceAll(s, *t.secret, tokenPlaceholder)
}
