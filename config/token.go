package config

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/lichess"
)

// TokenPath is the path on a server for creating tokens with the scopes that the bot uses.
const TokenPath = "/account/oauth/token/create?scopes[]=bot:play&scopes[]=challenge:read"

// ErrNoToken means that no token is configured.
var ErrNoToken = errors.New("no token")

// Token returns the first token found in the environment, lichess.token_file and
// lichess.token.
func (c *Config) Token() (Secret, error) {
	variable := envVar("lichess.token")
	if token, err := ParseToken(variable, os.Getenv(variable)); token != "" || err != nil {
		return token, err
	}
	return c.StoredToken()
}

// StoredToken is [Config.Token] without the environment.
func (c *Config) StoredToken() (token Secret, err error) {
	if path := c.Lichess.TokenFile; path != "" {
		return readToken(path)
	}
	token, err = ParseToken("lichess.token", c.Lichess.Token.Reveal())
	if token == "" && err == nil {
		err = fmt.Errorf("%w: set ZHBOT_LICHESS_TOKEN, or lichess.token_file, or lichess.token; create one at %s%s",
			ErrNoToken, c.Lichess.URL, TokenPath)
	}
	return token, err
}

// readToken returns the token in lichess.token_file.
func readToken(path string) (Secret, error) {
	text, err := file.ReadRegular(path, maxFile)
	if err != nil {
		return "", fmt.Errorf("lichess.token_file: %w", err)
	}
	token, err := ParseToken("lichess.token_file: "+path, string(text))
	if token == "" && err == nil {
		err = fmt.Errorf("lichess.token_file: %s is empty", path)
	}
	return token, err
}

// ParseToken returns the token in a text, "" if that is blank; the error names where the text is.
func ParseToken(place, text string) (Secret, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if text == "" {
		return "", nil
	}
	if _, err := lichess.NewToken(text); err != nil {
		return "", fmt.Errorf("%s: %w", place, err)
	}
	return Secret(text), nil
}
