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

// Token returns the first token found in the environment, lichess.token_file and
// lichess.token.
func (c *Config) Token() (Secret, error) {
	if token, err := envToken("lichess"); token != "" || err != nil {
		return token, err
	}
	return c.StoredToken()
}

// StoredToken is [Config.Token] without the environment.
func (c *Config) StoredToken() (Secret, error) {
	token, err := storedToken("lichess", c.Lichess.TokenFile, c.Lichess.Token)
	if token == "" && err == nil {
		err = fmt.Errorf("%w: set ZHBOT_LICHESS_TOKEN, or lichess.token_file, or lichess.token; create one at %s%s",
			ErrNoToken, c.Lichess.URL, TokenPath)
	}
	return token, err
}

// Errors about the explorer's token.
var (
	// errNoExplorerToken means that the explorer is enabled without a token.
	errNoExplorerToken = errors.New("explorer.enabled: no token: set ZHBOT_EXPLORER_TOKEN, or explorer.token_file, " +
		"or explorer.token; create one without any scope at https://lichess.org/account/oauth/token/create")
	// errSameToken means that the explorer is configured with the bot's token.
	errSameToken = errors.New("explorer.token: this is the bot's token, which is never sent to another host: " +
		"create one without any scope at https://lichess.org/account/oauth/token/create")
)

// ExplorerToken returns the explorer's token, as [Config.Token] does the bot's. It
// is an error if both are the same.
func (c *Config) ExplorerToken() (Secret, error) {
	token, err := envToken("explorer")
	if token == "" && err == nil {
		token, err = storedToken("explorer", c.Explorer.TokenFile, c.Explorer.Token)
	}
	own, _ := c.Token()
	switch {
	case err != nil:
		return "", err
	case token == "":
		return "", errNoExplorerToken
	case token == own:
		return "", errSameToken
	}
	return token, nil
}

// envToken returns the token of a section in the environment, "" for none.
func envToken(section string) (Secret, error) {
	variable := envVar(section + ".token")
	return parseToken(variable, os.Getenv(variable))
}

// storedToken returns the token of a section in a file or, without one, in the settings; ""
// for none.
func storedToken(section, path string, token Secret) (Secret, error) {
	if path == "" {
		return parseToken(section+".token", token.Reveal())
	}
	text, err := file.ReadRegular(path, maxFile)
	if err != nil {
		return "", fmt.Errorf("%s.token_file: %w", section, err)
	}
	stored, err := parseToken(section+".token_file: "+path, string(text))
	if stored == "" && err == nil {
		err = fmt.Errorf("%s.token_file: %s is empty", section, path)
	}
	return stored, err
}

// parseToken returns the token in a text, "" if that is blank; the error names where the text is.
func parseToken(place, text string) (Secret, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	if _, err := lichess.NewToken(text); err != nil {
		return "", fmt.Errorf("%s: %w", place, err)
	}
	return Secret(text), nil
}
