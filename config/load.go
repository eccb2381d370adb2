package config

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/go-viper/mapstructure/v2"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/lichess"
)

// Source is where settings come from, and the resources that they must fit. Zero fields
// are ignored.
type Source struct {
	File     string // path of a YAML file
	Optional bool   // a File that does not exist is an empty one
	Env      func(string) (string, bool)
	Flags    map[string]string // by key

	Memory uint64 // available to the program, in bytes
	Cores  int    // available to the program
}

// Error lists everything that is wrong with the settings.
type Error struct {
	Problems []error
}

// Error puts each problem on its own line.
func (e *Error) Error() string {
	return "configuration:\n  " + strings.ReplaceAll(errors.Join(e.Problems...).Error(), "\n", "\n  ")
}

// Unwrap returns the problems.
func (e *Error) Unwrap() []error { return e.Problems }

// Load returns the settings, or an *[Error].
func Load(s Source) (*Config, error) {
	data, err := s.Read()
	if err != nil {
		return nil, &Error{[]error{fmt.Errorf("read the file: %w", err)}}
	}
	return Parse(s, data)
}

// maxFile is the maximum size of a file, in bytes.
const maxFile = 1 << 20

// Read returns the content of the file, nil if there need be none.
func (s Source) Read() ([]byte, error) {
	if s.File == "" {
		return nil, nil
	}
	data, err := file.ReadRegular(s.File, maxFile)
	if s.Optional && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Parse is [Load] with the given content of the file.
func Parse(s Source, data []byte) (*Config, error) {
	r := readFile(s.File, data)
	s.override(r)
	if len(r.problems) > 0 {
		return nil, &Error{r.problems}
	}
	c := Default()
	if err := r.settings.Unmarshal(&c, byKey); err != nil {
		return nil, &Error{[]error{fmt.Errorf("merge the settings: %w", err)}}
	}
	c.Lichess.URL = strings.TrimRight(c.Lichess.URL, "/") // the addresses of games begin with it
	for _, p := range c.validate(s.Memory, s.Cores) {
		r.problems = append(r.problems, locate(p, r.locations))
	}
	if len(r.problems) > 0 {
		return nil, &Error{r.problems}
	}
	return &c, nil
}

// byKey finds each setting by its key. The settings of a section may be in several
// structs, and a list replaces the default one.
func byKey(d *mapstructure.DecoderConfig) { d.TagName, d.Squash, d.ZeroFields = "key", true, true }

// override replaces the file's values by those of environment and flags.
func (s *Source) override(r *fileReader) {
	set := func(key, location, text string, t reflect.Type) {
		if t == contendersType {
			r.overrideContenders(key, location, text)
			return
		}
		value, err := parse(t, text)
		if err != nil {
			r.fail(location, "%s: %w", key, err)
		}
		r.settings.Set(key, value)
		r.locations[key] = location
	}
	for key, v := range new(Config).settings() {
		if text, ok := s.variable(key); ok {
			set(key, envVar(key), text, v.Type())
		}
		if text, ok := s.Flags[key]; ok {
			set(key, "--set", text, v.Type())
		}
	}
}

// variable returns the value that the environment has for a setting, if any. A blank
// token or password counts as none, since Docker Compose passes unset variables on as
// empty.
func (s *Source) variable(key string) (text string, ok bool) {
	if s.Env == nil {
		return "", false
	}
	text, ok = s.Env(envVar(key))
	isSecret := new(Config).setting(key).Type() == secretType
	return text, ok && (!isSecret || strings.TrimSpace(text) != "")
}

// locate prefixes a problem with the location of its setting.
func locate(p problem, locations map[string]string) error {
	if location := locations[p.key]; location != "" {
		return fmt.Errorf("%s: %w", location, p)
	}
	return p
}

// TokenPath is the path on a server for creating tokens with the scopes that the bot uses,
// and preference:read for "zhbot check".
const TokenPath = "/account/oauth/token/create?scopes[]=bot:play&scopes[]=challenge:read&scopes[]=preference:read"

// ErrNoToken means that no token is configured.
var ErrNoToken = errors.New("no token: set ZHBOT_LICHESS_TOKEN, or lichess.token_file, or lichess.token; " +
	"create one at https://lichess.org" + TokenPath)

// Token returns the first token found in the environment, lichess.token_file and
// lichess.token.
func (s *Startup) Token(env func(string) (string, bool)) (Secret, error) {
	return findToken(env, "lichess", s.Lichess.TokenFile, s.Lichess.Token, ErrNoToken)
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

// ExplorerToken returns the explorer's token, as [Startup.Token] does the bot's. It
// is an error if both are the same.
func (s *Startup) ExplorerToken(env func(string) (string, bool)) (Secret, error) {
	token, err := findToken(env, "explorer", s.Explorer.TokenFile, s.Explorer.Token, errNoExplorerToken)
	if err != nil {
		return "", err
	}
	if own, err := s.Token(env); err == nil && strings.TrimSpace(own.Reveal()) == strings.TrimSpace(token.Reveal()) {
		return "", errSameToken
	}
	return token, nil
}

// findToken returns the token of a section, or the error for none.
func findToken(env func(string) (string, bool), section, path string, token Secret, none error) (Secret, error) {
	variable := envVar(section + ".token")
	if text, ok := env(variable); ok && strings.TrimSpace(text) != "" {
		return checkToken(variable, text)
	}
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
