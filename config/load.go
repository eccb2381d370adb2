package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
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
	merged, p := s.merge(data)
	c := new(Config)
	for _, setting := range c.settings() {
		if setting.initial != "" {
			merged.SetDefault(setting.key, setting.initial)
		}
	}
	p.addDecoding(merged.Unmarshal(c, decoding))
	if !p.malformed {
		c.Lichess.URL = strings.TrimRight(c.Lichess.URL, "/") // the addresses of games begin with it
		c.validate(p, s.Memory, s.Cores)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return c, nil
}

// merge returns what file, environment and flags give, the last taking precedence. What
// none of them gives has no value.
func (s *Source) merge(data []byte) (*viper.Viper, *problems) {
	p := &problems{locations: map[string]location{}}
	merged := viper.New()
	_ = merged.MergeConfigMap((&reader{p, s.File}).read(data)) // never fails
	merged.AllowEmptyEnv(true)
	for _, setting := range new(Config).settings() {
		key := setting.key
		if s.inEnv(key, setting.Type()) {
			_ = merged.BindEnv(key, envVar(key)) // fails only without a key
			p.relocate(key, envVar(key))
		}
		if text, ok := s.Flags[key]; ok {
			merged.Set(key, text)
			p.relocate(key, "--set")
		}
	}
	for key, advice := range removedKeys {
		if s.inEnv(key, reflect.TypeFor[string]()) {
			p.relocate(key, envVar(key))
			p.add(key, "%s", advice)
		}
	}
	if text, ok := merged.Get("contenders").(string); ok { // written as in a file
		other := &reader{p, p.locations["contenders"].source}
		delete(p.locations, "contenders")
		merged.Set("contenders", other.read([]byte("contenders: " + text))["contenders"])
	}
	return merged, p
}

// inEnv reports whether the environment has a value for a setting. A blank token or
// password counts as none, since Docker Compose passes unset variables on as empty.
func (s *Source) inEnv(key string, t reflect.Type) bool {
	text, ok := os.LookupEnv(envVar(key))
	return s.Env && ok && (!isSecret(t) || strings.TrimSpace(text) != "")
}
