package config

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/lichess"
)

// TokenPath is the path on a server for creating tokens with the scopes that the bot uses,
// and preference:read for "zhbot check".
const TokenPath = "/account/oauth/token/create?scopes[]=bot:play&scopes[]=challenge:read&scopes[]=preference:read"

// ErrNoToken means that no token is configured.
var ErrNoToken = errors.New("no token")

func (c *Config) errNoToken() error {
	return fmt.Errorf("%w: set ZHBOT_LICHESS_TOKEN, or lichess.token_file, or lichess.token; create one at %s%s", ErrNoToken, c.Lichess.URL, TokenPath)
}

// Token returns the first token found in the environment, lichess.token_file and
// lichess.token.
func (c *Config) Token() (Secret, error) {
	return findToken("lichess", c.Lichess.TokenFile, c.Lichess.Token, c.errNoToken())
}

// StoredToken is [Config.Token] without the environment.
func (c *Config) StoredToken() (Secret, error) {
	return storedToken("lichess", c.Lichess.TokenFile, c.Lichess.Token, c.errNoToken())
}

// Errors about the explorer's token.
var (
	// errNoExplorerToken means that the explorer is enabled without a token.
	errNoExplorerToken = errors.New("explorer.enabled: no token: set ZHBOT_EXPLORER_TOKEN, or explorer.token_file, or explorer.token; " +
		"create one without any scope at https://lichess.org/account/oauth/token/create")
	// errSameToken means that the explorer is configured with the bot's token.
	errSameToken = errors.New("explorer.token: this is the bot's token, which is never sent to another host: " +
		"create one without any scope at https://lichess.org/account/oauth/token/create")
)

// ExplorerToken returns the explorer's token, as [Config.Token] does the bot's. It
// is an error if both are the same.
func (c *Config) ExplorerToken() (Secret, error) {
	token, err := findToken("explorer", c.Explorer.TokenFile, c.Explorer.Token, errNoExplorerToken)
	if err != nil {
		return "", err
	}
	if own, err := c.Token(); err == nil && strings.TrimSpace(own.Reveal()) == strings.TrimSpace(token.Reveal()) {
		return "", errSameToken
	}
	return token, nil
}

// findToken returns the token of a section, or the error for none.
func findToken(section, path string, token Secret, none error) (Secret, error) {
	variable := envVar(section + ".token")
	if text := os.Getenv(variable); strings.TrimSpace(text) != "" {
		return checkToken(variable, text)
	}
	return storedToken(section, path, token, none)
}

func storedToken(section, path string, token Secret, none error) (Secret, error) {
	if path != "" {
		text, err := file.ReadRegular(path, maxFile)
		if err != nil {
			return "", fmt.Errorf("%s.token_file: %w", section, err)
		}
		if strings.TrimSpace(string(text)) == "" {
			return "", fmt.Errorf("%s.token_file: %s is empty", section, path)
		}
		return checkToken(section+".token_file: "+path, string(text))
	}
	if token == "" {
		return "", none
	}
	return checkToken(section+".token", token.Reveal())
}

// checkToken returns the token in a text; the error names where the text is.
func checkToken(place, text string) (Secret, error) {
	if _, err := lichess.NewToken(text); err != nil {
		return "", fmt.Errorf("%s: %w", place, err)
	}
	return Secret(strings.TrimSpace(text)), nil
}
