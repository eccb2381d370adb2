// Package setup takes an account from nothing to a running bot: its token, the upgrade
// to a BOT account, the settings, and the way it is started. On a terminal it asks;
// elsewhere flags give the answers. Each step saves its result at once, so that an
// interrupted setup resumes where it ended, and a second one asks only for what is missing.
//
// [Check] checks whether a bot can run with its settings, and explains what to do if not;
// [CheckChallenge] shows what the bot would answer to a challenge.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/lichess"
)

// Options of a setup.
type Options struct {
	// Source is where the settings are, or will be. Its flags are written too.
	Source  config.Source
	Answers Answers
	In      io.Reader // answers questions if In and Out are terminals; else provides a token only
	Out     io.Writer
	Host    Host
}

// Answers are the answers given by flags; the zero value answers nothing.
type Answers struct {
	TokenStdin bool                // the token is the input
	TokenFile  string              // where the token is, or will be
	Upgrade    string              // the name of the account to turn into a BOT account
	Settings   map[string][]string // chosen answers to Questions, by name
	Defaults   bool                // all other questions get their default answers
	Again      bool                // known answers are asked for again
	Replace    bool                // a different token or unit that exists may be replaced
	Start      string              // one of Starts, "" for no answer
}

// MissingError lists the missing answers when nobody can be asked.
type MissingError struct{ Answers []string }

// Error lists them, one on each line.
func (e *MissingError) Error() string {
	return "there is no terminal to ask questions on, and these answers are missing:\n  " + strings.Join(e.Answers, "\n  ")
}

// setup is the state of a setup.
type setup struct {
	Options
	prompt *term.Prompt // nil if nobody can be asked

	data    []byte         // the content of the file; nil if there is none
	created bool           // the file is ours
	config  *config.Config // in force: file, environment, flags

	token   config.Secret
	client  *lichess.Client // with the token, nil before
	account *lichess.Account
}

// Run sets up a bot, and reports whether it is to be run now.
func Run(ctx context.Context, o Options) (start bool, err error) {
	s := &setup{Options: o}
	if o.Answers.TokenFile != "" {
		path, err := filepath.Abs(o.Answers.TokenFile)
		if err != nil {
			return false, fmt.Errorf("--token-file: %w", err)
		}
		s.Source.Flags = map[string]string{}
		maps.Copy(s.Source.Flags, o.Source.Flags)
		s.Source.Flags["lichess.token_file"] = path
	}
	if term.IsInteractive(o.In, o.Out) {
		s.prompt = term.NewPrompt(o.In, o.Out)
	}
	defer s.closeClient()
	for _, step := range []func(context.Context) error{s.place, s.load, s.requireAnswers, s.findToken, s.upgrade, s.adjust, s.verify} {
		if err := step(ctx); err != nil {
			return false, err
		}
	}
	if !s.account.IsBot() {
		s.say("next", "run \"zhbot setup\" again to turn %s into a BOT account", s.name())
		return false, nil
	}
	return s.start(ctx)
}

func (s *setup) closeClient() {
	if s.client != nil {
		s.client.Close()
	}
}

// say prints a line about a thing.
func (s *setup) say(what, format string, args ...any) {
	printLine(s.Out, what, fmt.Sprintf(format, args...))
}

// printLine prints a word and a text, which may contain names from the network.
func printLine(out io.Writer, word, text string) {
	fmt.Fprintf(out, "%-7s %s\n", word, term.Printable(strings.ReplaceAll(text, "\n", " ")))
}

// load reads the settings. A file that does not exist will be written.
func (s *setup) load(context.Context) (err error) {
	if s.data, err = s.Source.Read(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the settings: %w", err)
	}
	if s.config, err = config.Parse(s.Source, s.data); err != nil {
		return fmt.Errorf("correct this first: %w", err)
	}
	return nil
}

// requireAnswers returns a *MissingError for the questions that nobody can be asked. The
// token and the upgrade are looked at later.
func (s *setup) requireAnswers(context.Context) error {
	if s.prompt != nil || s.Answers.Defaults {
		return nil
	}
	var missing []string
	for _, q := range Questions {
		if s.Answers.Settings[q.Name] == nil && !s.isGiven(q.keys) {
			missing = append(missing, fmt.Sprintf("--%s: %s", q.Name, q.Usage))
		}
	}
	if s.tokenIsMissing() {
		missing = append([]string{missingToken}, missing...)
	}
	if len(missing) == 0 {
		return nil
	}
	return &MissingError{append(missing, "(--defaults answers all but the token and the upgrade)")}
}

// verify checks what the bot needs, as "zhbot check" does.
func (s *setup) verify(ctx context.Context) error {
	if !s.account.IsBot() {
		return nil
	}
	written := s.written()
	c, err := config.Load(written)
	if err != nil {
		return err
	}
	if token, err := c.Token(); err != nil || token != s.token {
		return errors.New("the bot would not use this token: check ZHBOT_LICHESS_TOKEN, ZHBOT_LICHESS_TOKEN_FILE and lichess.token_file")
	}
	if s.isSystemService() {
		written.Flags = map[string]string{"records.dir": ""} // those of the service are elsewhere
	}
	fmt.Fprintln(s.Out)
	if !Check(ctx, written, false, s.Out) {
		return errors.New("not ready, see above; what was set up is kept")
	}
	return nil
}

// written is where the settings of the bot will come from: not from this setup's flags.
func (s *setup) written() config.Source {
	source := s.Source
	source.Flags, source.Optional = nil, true
	return source
}

// name is the account's name, fit for a terminal.
func (s *setup) name() string { return term.Printable(s.account.Username) }

// confirm asks a yes-or-no question.
func (s *setup) confirm(ctx context.Context, question string, otherwise bool) (bool, error) {
	choices := " [y/N] "
	if otherwise {
		choices = " [Y/n] "
	}
	for {
		answer, err := s.prompt.Line(ctx, question+choices)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "":
			return otherwise, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
	}
}
