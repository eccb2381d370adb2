// Package setup takes an account from a token to a running bot: [Run] tests the token, turns
// the account into a BOT account, and writes the token and a short file of settings. It asks
// on a terminal; elsewhere flags answer. It changes no file that exists.
//
// [Check] checks whether a bot can run with its settings, and explains what to do if not;
// [CheckChallenge] shows what the bot would answer to a challenge.
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
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/lichess"
)

// Options of a setup.
type Options struct {
	Source     config.Source // its file is written if there is none; it has no flags
	TokenStdin bool          // the token is the input
	TokenFile  string        // where the token is, or will be; "" for the file in the settings, or token beside them
	Upgrade    string        // the name of the account to turn into a BOT account
	In         io.Reader     // answers questions if In and Out are terminals; else provides a token only
	Out        io.Writer
}

// ErrNoTerminal means that a flag is missing, and that there is no terminal to ask on.
var ErrNoTerminal = errors.New("there is no terminal to ask on")

const (
	tokenVariable = "ZHBOT_LICHESS_TOKEN"
	maxToken      = 4 << 10 // bytes of input that may be a token
)

// SystemFile has the settings of a system service.
const SystemFile = "/etc/zhbot/config.yaml"

// newSettings is a new file of settings, which has no secret: a system service reads it as
// a user of its own. Its paths are absolute, as any command may be run in another folder.
const newSettings = `# zhbot's settings, written by "zhbot setup". All others have their defaults, which
# "zhbot config example" lists. "zhbot check" validates this file.
lichess:
  token_file: %q
games:
  max: 4 # at once
challenges:
  humans: {enabled: true, modes: [rated, casual]}
  bots: {enabled: true, modes: [rated, casual]}
matchmaking:
  enabled: false # true challenges other bots while idle
records:
  dir: %q
`

// setup is the state of a setup.
type setup struct {
	Options
	prompt  *term.Prompt    // nil if nobody can be asked
	config  *config.Config  // in force
	client  *lichess.Client // with the token; nil before
	account *lichess.Account
}

// Run sets up a bot. If it is to be run now, Run returns where its settings are, else nil.
func Run(ctx context.Context, o Options) (*config.Source, error) {
	s := &setup{Options: o, prompt: term.NewPrompt(o.In, o.Out)}
	defer s.closeClient()
	if err := s.load(); err != nil {
		return nil, err
	}
	token, err := s.findToken(ctx)
	if err != nil {
		return nil, err
	}
	upgrade, err := s.wantsUpgrade(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.write(token); err != nil {
		return nil, err
	}
	if upgrade { // last, since it cannot be undone
		if err := s.client.UpgradeToBot(ctx); err != nil {
			return nil, fmt.Errorf("upgrade %s: %w", s.name(), err)
		}
		s.say("account", "%s is a BOT account now", s.name())
	} else if !s.account.IsBot() {
		s.say("next", "run \"zhbot setup\" again to turn %s into a BOT account", s.name())
		return nil, nil
	}
	fmt.Fprintln(s.Out)
	if !Check(ctx, s.Source, false, s.Out) {
		return nil, errors.New("not ready, see above; what was set up is kept")
	}
	fmt.Fprintln(s.Out)
	return s.start(ctx)
}

func (s *setup) closeClient() {
	if s.client != nil {
		s.client.Close()
	}
}

// load reads the settings, and decides where the token belongs.
func (s *setup) load() (err error) {
	if s.Source.File, err = filepath.Abs(s.Source.File); err != nil {
		return fmt.Errorf("find the settings: %w", err)
	}
	s.Source.Optional = true
	if s.config, err = config.Load(s.Source); err != nil {
		return fmt.Errorf("correct this first: %w", err)
	}
	l := &s.config.Lichess
	path := s.TokenFile
	switch {
	case path != "":
	case l.TokenFile != "", l.Token != "" && !tokenInEnv():
		return nil
	default:
		path = filepath.Join(filepath.Dir(s.Source.File), "token")
	}
	if l.TokenFile, err = filepath.Abs(path); err != nil { // wherever the bot is started
		return fmt.Errorf("find the token: %w", err)
	}
	s.Source.Flags = map[string]string{"lichess.token_file": l.TokenFile}
	return nil
}

func tokenInEnv() bool { return strings.TrimSpace(os.Getenv(tokenVariable)) != "" }

// findToken returns a token whose account can be a bot's. It asks for one if there is none.
func (s *setup) findToken(ctx context.Context) (config.Secret, error) {
	if s.TokenStdin && tokenInEnv() {
		return "", fmt.Errorf("--token-stdin: %s takes precedence: unset it", tokenVariable)
	}
	token, err := s.config.Token()
	missing := errors.Is(err, config.ErrNoToken) || errors.Is(err, fs.ErrNotExist)
	if s.TokenStdin && s.prompt == nil {
		var text []byte
		text, err = io.ReadAll(io.LimitReader(s.In, maxToken))
		if err == nil {
			token, err = config.ParseToken("--token-stdin", string(text))
		}
		missing = token == "" && err == nil
	}
	switch {
	case s.prompt != nil && (s.TokenStdin || missing):
		return s.askToken(ctx)
	case err == nil && !missing:
		return token, s.inspect(ctx, token)
	case missing:
		return "", fmt.Errorf("%w for the token: use --token-stdin, --token-file FILE or %s",
			ErrNoTerminal, tokenVariable)
	}
	return "", err
}

// askToken asks for a token until there is one whose account can be a bot's.
func (s *setup) askToken(ctx context.Context) (config.Secret, error) {
	fmt.Fprintf(s.Out, `
zhbot needs its own account: a new one, which has never played a game. Signed in to
Lichess as this account, create a token here:

  %s%s&description=zhbot

The right scopes are already selected.

`, s.config.Lichess.URL, config.TokenPath)
	for {
		text, err := s.prompt.Secret(ctx, "Token (it is not shown): ")
		if err != nil {
			return "", err
		}
		if text == "" {
			continue
		}
		err = s.inspect(ctx, config.Secret(text))
		if err == nil || lichess.IsTemporary(err) || ctx.Err() != nil {
			return config.Secret(text), err
		}
		s.say("WRONG", "%v", err)
	}
}

// inspect asks Lichess about a token and its account. The error is the reason why this
// account cannot be a bot, or what failed.
func (s *setup) inspect(ctx context.Context, token config.Secret) error {
	s.closeClient()
	var err error
	if s.client, err = app.Connect(s.config, token); err != nil {
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
	s.account = found.Account
	return nil
}

// wantsUpgrade reports whether the account is to be turned into a BOT account: its name was
// given, or is typed.
func (s *setup) wantsUpgrade(ctx context.Context) (bool, error) {
	if s.account.IsBot() {
		s.say("account", "%s is already a BOT account", s.name())
		return false, nil
	}
	switch name := s.Upgrade; {
	case strings.EqualFold(name, s.account.Username):
		return true, nil
	case name != "":
		return false, fmt.Errorf("--upgrade %s: the token belongs to %s; nothing was changed", name, s.name())
	case s.prompt == nil:
		return false, fmt.Errorf("%w: --upgrade %s turns the account into a BOT account, which CANNOT be undone",
			ErrNoTerminal, s.name())
	}
	fmt.Fprintf(s.Out, "\nThe bot needs a BOT account. Turning %s into one CANNOT be undone: "+
		"no person will be able\nto play with it again.\n\n", s.name())
	for {
		answer, err := s.prompt.Line(ctx, "Type the account's name to upgrade it, or press Enter to do so later: ")
		if err != nil || answer == "" {
			return false, err
		}
		if strings.EqualFold(answer, s.account.Username) {
			return true, nil
		}
	}
}

// write writes the token and the settings where there are none yet.
func (s *setup) write(token config.Secret) error {
	path := s.config.Lichess.TokenFile
	switch stored, err := s.config.StoredToken(); {
	case errors.Is(err, fs.ErrNotExist):
		if err := writeFile(path, token.Reveal()+"\n", 0o600); err != nil {
			return fmt.Errorf("write the token: %w", err)
		}
		s.say("wrote", "%s, which only you can read", path)
	case err != nil:
		return err
	case stored != token:
		return fmt.Errorf("%s has another token: remove it, or name another file with --token-file",
			cmp.Or(path, s.Source.File))
	}
	switch {
	case len(s.Source.Flags) == 0: // the settings name the place of the token
	case file.Exists(s.Source.File):
		s.say("add", "token_file: %q to the section lichess of %s", path, s.Source.File)
	default:
		if err := writeFile(s.Source.File, fmt.Sprintf(newSettings, path, RecordsDir(s.Source.File)), 0o644); err != nil {
			return fmt.Errorf("write the settings: %w", err)
		}
		s.say("wrote", "%s", s.Source.File)
	}
	return nil
}

// RecordsDir returns where new settings in a file keep the records: beside them, but for a
// system service where its unit has them.
func RecordsDir(file string) string {
	if file == SystemFile {
		return "/var/lib/zhbot/records"
	}
	return filepath.Join(filepath.Dir(file), "records")
}

// writeFile writes a new file, and creates its folder.
func writeFile(path, content string, mode fs.FileMode) error {
	if _, err := file.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	return file.Replace(path, []byte(content), mode)
}

// start asks whether to run the bot, unless it is running, and returns where its settings
// are, nil for later.
func (s *setup) start(ctx context.Context) (*config.Source, error) {
	if _, running := isRunning(ctx, s.config); running {
		s.say("running", "the bot is already running%s", pageNote(s.config))
		return nil, nil
	}
	if s.prompt != nil {
		answer, err := s.prompt.Line(ctx, "Run the bot now? [Y/n] ")
		if err != nil {
			return nil, err
		}
		if answer == "" || strings.EqualFold(answer[:1], "y") {
			return &s.Source, nil
		}
	}
	command := "zhbot run"
	if here, err := filepath.Abs("config.yaml"); err != nil || here != s.Source.File {
		command += " " + ConfigFlag(s.Source.File)
	}
	s.say("ready", "start it with \"%s\"", command)
	return nil, nil
}

// name is the account's name, fit for a terminal.
func (s *setup) name() string { return term.Printable(s.account.Username) }

// say prints a line about a thing.
func (s *setup) say(what, format string, args ...any) {
	printLine(s.Out, what, fmt.Sprintf(format, args...))
}

// printLine prints a word and a text, which may contain names from the network.
func printLine(out io.Writer, word, text string) {
	fmt.Fprintf(out, "%-7s %s\n", word, term.Printable(strings.ReplaceAll(text, "\n", " ")))
}
