package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/config"
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
func (s *settings) load(cmd *cobra.Command) (*config.Config, error) {
	source := config.Source{File: s.file, Env: os.LookupEnv, Flags: map[string]string{}}
	if source.File == "" {
		if _, err := os.Stat(defaultFile); err == nil {
			source.File = defaultFile
		}
	}
	for _, text := range s.set {
		key, value, ok := strings.Cut(text, "=")
		if !ok || !config.Known(key) {
			return nil, &usageError{config.UnknownKey(key)}
		}
		if config.IsSecret(key) {
			return nil, &usageError{config.SecretOnCommandLine(key)}
		}
		source.Flags[key] = value
	}
	return config.Load(source)
}
