package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/config"
)

// A flag or a setting that has a fixed set of values, as its refusal of others shows, is
// completed by values that it accepts.
func TestCompletion_FixedSets(t *testing.T) {
	complete := func(command []string, flag, typed string) []string {
		out, _, err := execute(t.Context(),
			slices.Concat([]string{"__complete"}, command, []string{"--" + flag, typed})...)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		return lines[:len(lines)-1] // without the directive
	}
	check := func(what string, completed []string, set func(value string) error) {
		text := fmt.Sprint(set("none-of-them"))
		if !strings.Contains(text, "is not one of") && !strings.Contains(text, "true or false") {
			return
		}
		if len(completed) < 2 {
			t.Errorf("%s is completed by %q", what, completed)
		}
		for _, value := range completed {
			if err := set(value); err != nil {
				t.Errorf("%s is completed by %s: %v", what, value, err)
			}
		}
	}
	visitCommands(newRoot(), func(cmd *cobra.Command) {
		command := strings.Fields(cmd.CommandPath())[1:]
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" || f.Name == "help" { // a switch is given without a value
				return
			}
			completed := complete(command, f.Name, "")
			check(cmd.CommandPath()+" --"+f.Name, completed, f.Value.Set)
			extensions := f.Annotations[cobra.BashCompFilenameExt]
			if len(extensions) > 0 && !slices.Equal(completed, extensions) {
				t.Errorf("%s --%s is completed by %q", cmd.CommandPath(), f.Name, completed)
			}
		})
	})
	for _, key := range config.Keys() {
		var values []string
		for _, completed := range complete([]string{"run"}, "set", key+"=") {
			values = append(values, strings.TrimPrefix(completed, key+"="))
		}
		check(key, values, func(value string) error {
			_, err := config.Parse(config.Source{Flags: map[string]string{key: value}}, nil)
			return err
		})
	}
	got := complete([]string{"run"}, "set", "challenges.bots.modes=rated,")
	if !slices.Equal(got, []string{"challenges.bots.modes=rated,casual"}) {
		t.Errorf("the second item of a list is completed by %q", got)
	}
}
