package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/zhbot/zhbot/internal/file"
)

// Source is where settings come from, and the resources that they must fit. Zero fields
// are ignored.
type Source struct {
	File     string            // path of a YAML file
	Optional bool              // a File that does not exist is an empty one
	Env      bool              // the environment, too
	Flags    map[string]string // by key
	Sections []string          // those that are needed: mistakes in others do no harm; none for all

	Memory uint64 // available to the program, in bytes
	Cores  int    // available to the program
}

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
	c, p := s.parse(data)
	if err := p.err(); err != nil {
		return nil, err
	}
	return c, nil
}

// parse decodes the defaults, the file, and what replaces it, each over what comes before: a
// mistake in the file is found even if a flag hides it.
func (s *Source) parse(data []byte) (*Config, *problems) {
	c, defaults, file, other := new(Config), viper.New(), viper.New(), viper.New()
	p := &problems{config: c, locations: map[string]location{}}
	settings := c.settings()
	for _, setting := range settings {
		if setting.initial != "" {
			defaults.Set(setting.key, p.value(setting, "", setting.initial))
		}
	}
	p.addDecoding(defaults.UnmarshalExact(c, strictly))
	const all = "all" // UnmarshalExact leaves out unknown keys that have no value
	_ = file.MergeConfigMap(map[string]any{all: p.read(s.File, "", data)})
	p.addDecoding(file.UnmarshalKey(all, c, strictly))
	for _, setting := range settings {
		if s.inEnv(setting) {
			variable := envVar(setting.key)
			other.Set(setting.key, p.value(setting, variable, os.Getenv(variable)))
		}
		if text, ok := s.Flags[setting.key]; ok {
			other.Set(setting.key, p.value(setting, "--set", text))
		}
	}
	for key := range removedKeys { // so that they are refused
		if text, ok := os.LookupEnv(envVar(key)); ok && s.Env {
			p.locations[key] = location{source: envVar(key)}
			other.Set(key, text)
		}
	}
	p.addDecoding(other.UnmarshalExact(c, strictly))
	c.Lichess.URL = strings.TrimRight(c.Lichess.URL, "/") // the addresses of games begin with it
	c.section().visit(p.check)
	c.checkMemory(p, s.Memory, s.Cores)
	p.list = slices.DeleteFunc(p.list, func(one problem) bool {
		return s.Sections != nil && one.key != "" && !slices.Contains(s.Sections, strings.Split(one.key, ".")[0])
	})
	return c, p
}

// value converts text from the environment or a flag for a setting. Lists may have brackets, as in a
// file, or not; contenders are always read as in a file.
func (p *problems) value(s setting, source, text string) any {
	maps.DeleteFunc(p.locations, func(key string, _ location) bool { return strings.HasPrefix(key, s.key+"[") })
	p.locations[s.key] = location{source: source}
	switch trimmed := strings.TrimSpace(text); {
	case s.Kind() != reflect.Slice:
		return text
	case trimmed != "" && (trimmed[0] == '[' || s.Type() == contendersType):
		return p.read(source, s.key, []byte(text))
	}
	return splitList(text)
}

// inEnv reports whether the environment has a value for a setting. A blank token or
// password counts as none, since Docker Compose passes unset variables on as empty.
func (s *Source) inEnv(of setting) bool {
	text, ok := os.LookupEnv(envVar(of.key))
	return s.Env && ok && (!isSecret(of.Type()) || strings.TrimSpace(text) != "")
}
