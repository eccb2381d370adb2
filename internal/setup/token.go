package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/lichess"
)

// origin is where a token comes from.
type origin int

const (
	nowhere   origin = iota
	answered         // typed, or standard input
	inEnv            // ZHBOT_LICHESS_TOKEN
	inSetting        // a file, or the settings
)

const (
	tokenVariable = "ZHBOT_LICHESS_TOKEN"
	missingToken  = "--token-stdin, --token-file FILE or " + tokenVariable + ": the token of the bot's account"
	maxToken      = 4 << 10 // bytes of input that may be a token
)

// findToken finds a token that Lichess accepts and inspects its account. It asks for one
// until there is such a token, which it saves.
func (s *setup) findToken(ctx context.Context) error {
	token, from, err := s.presentToken()
	for {
		if err == nil && from == nowhere {
			token, from, err = s.askToken(ctx)
		}
		if err != nil {
			return err
		}
		err = s.inspect(ctx, token)
		switch {
		case err == nil:
			return s.keepToken(ctx, token, from)
		case ctx.Err() != nil, s.prompt == nil:
			return err
		case from == inEnv:
			return fmt.Errorf("%s: %w; change it or unset it", tokenVariable, err)
		}
		s.say("WRONG", "%v", err)
		if !lichess.IsTemporary(err) {
			from = nowhere
		} else if again, asked := s.confirm(ctx, "Try again?", true); asked != nil || !again {
			return cmp.Or(asked, err)
		}
		err = nil
	}
}

// tokenIsMissing reports whether a token must be asked for.
func (s *setup) tokenIsMissing() bool {
	if s.Answers.TokenStdin {
		return false
	}
	_, err := s.config.Token()
	return errors.Is(err, config.ErrNoToken) || errors.Is(err, fs.ErrNotExist)
}

// presentToken returns the existing token, if any.
func (s *setup) presentToken() (config.Secret, origin, error) {
	switch {
	case s.prompt == nil && s.Answers.TokenStdin:
		text, err := io.ReadAll(io.LimitReader(s.In, maxToken))
		return config.Secret(strings.TrimSpace(string(text))), answered, err
	case s.prompt != nil && (s.Answers.Again || s.Answers.TokenStdin || s.tokenIsMissing()):
		return "", nowhere, nil
	case s.tokenIsMissing():
		return "", nowhere, &MissingError{[]string{missingToken}}
	}
	token, err := s.config.Token()
	if err != nil && s.prompt != nil {
		s.say("WRONG", "%v", err)
		return "", nowhere, nil
	}
	if strings.TrimSpace(os.Getenv(tokenVariable)) != "" {
		return token, inEnv, err
	}
	return token, inSetting, err
}

// askToken asks for a token, and prints where to get one.
func (s *setup) askToken(ctx context.Context) (config.Secret, origin, error) {
	fmt.Fprintf(s.Out, `
zhbot needs its own account: a new one, which has never played a game. Signed in to
Lichess as this account, create a token here:

  %s%s&description=zhbot

The right scopes are already selected.

`, s.config.Lichess.URL, config.TokenPath)
	question := "Token (it is not shown): "
	if path := s.tokenPath(); file.Exists(path) {
		question = fmt.Sprintf("Token (it is not shown, and replaces the one in %s): ", path)
	}
	for {
		text, err := s.prompt.Secret(ctx, question)
		if err != nil || text != "" {
			return config.Secret(text), answered, err
		}
	}
}

// inspect asks Lichess about a token and its account. The error is the reason why this
// account cannot be a bot, or what failed.
func (s *setup) inspect(ctx context.Context, token config.Secret) error {
	s.closeClient()
	var err error
	if s.client, err = app.NewClient(s.config, token); err != nil {
		return err
	}
	found, err := bot.Inspect(ctx, s.client, s.config.Lichess.URL)
	switch {
	case bot.IsRefused(err):
		return err
	case err != nil:
		return fmt.Errorf("could not ask %s about the token: %w", s.config.Lichess.URL, err)
	}
	s.say("token", "%s", &found)
	for _, note := range found.Notes() {
		s.say("note", "%s", note)
	}
	s.token, s.account = token, found.Account
	return nil
}

// tokenPath returns the file for the token.
func (s *setup) tokenPath() string {
	path := cmp.Or(s.config.Lichess.TokenFile, filepath.Join(filepath.Dir(s.Source.File), "token"))
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute // wherever the bot is started
	}
	return path
}

// keepToken writes a token that is not in a file yet to one that only its owner can read,
// and the file's name to the settings.
func (s *setup) keepToken(ctx context.Context, token config.Secret, from origin) error {
	if from == inSetting {
		return nil
	}
	path := s.tokenPath()
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the existing token: %w", err)
	}
	present := strings.TrimSpace(string(old))
	switch {
	case present == token.Reveal():
	case present != "" && from == inEnv:
		s.say("note", "%s differs from the token in %s, and takes precedence", tokenVariable, path)
		return nil
	case present != "" && s.prompt == nil && !s.Answers.Replace:
		return fmt.Errorf("%s has a different token; --replace replaces it", path)
	default:
		if err := writeFile(path, []byte(token.Reveal()+"\n"), 0o600); err != nil {
			return fmt.Errorf("keep the token: %w", err)
		}
		s.say("wrote", "%s, which only you can read", path)
	}
	return s.write(ctx, []config.Change{{Key: "lichess.token_file", Value: path}})
}

// writeFile writes a file, or replaces it atomically, and creates its folder.
func writeFile(path string, content []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return file.Replace(path, content, mode)
}
