package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/resources"
)

// settings are the flags from which commands that talk to Lichess load the
// configuration.
type settings struct {
	file string
	set  []string
}

func (s *settings) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.file, "config", "", "YAML file with settings (default config.yaml if it is there)")
	f.StringArrayVar(&s.set, "set", nil, "a setting, such as games.max=2; may be repeated")
}

// defaultFile is read when no file is named, if it exists.
const defaultFile = "config.yaml"

// load returns the settings of file, environment and flags.
func (s *settings) load() (*config.Config, error) {
	source, err := s.source()
	if err != nil {
		return nil, err
	}
	return config.Load(source)
}

// warnings returns likely mistakes in the loaded settings.
func (s *settings) warnings(c *config.Config) []string {
	source, err := s.source()
	if err != nil {
		return nil // load has said so
	}
	return source.Warnings(c, os.Environ())
}

// source returns where the settings are, or a usage error.
func (s *settings) source() (config.Source, error) {
	source := config.Source{File: s.file, Env: os.LookupEnv, Flags: map[string]string{}, Memory: resources.Memory(), Cores: resources.Cores()}
	if source.File == "" {
		source.File, source.Optional = defaultFile, true
	}
	for _, text := range s.set {
		key, value, err := setting(text)
		if err != nil {
			return source, &usageError{fmt.Errorf("--set %w", err)}
		}
		source.Flags[key] = value
	}
	return source, nil
}

// setting splits a text such as games.max=2.
func setting(text string) (key, value string, err error) {
	key, value, ok := strings.Cut(text, "=")
	switch {
	case !ok:
		return "", "", fmt.Errorf("%q: want the form games.max=2", text)
	case !config.Known(key):
		return "", "", config.UnknownKey(key)
	case config.IsSecret(key):
		return "", "", config.SecretOnCommandLine(key)
	}
	return key, value, nil
}
