package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/config"
)

// Question is a question about what the bot does. A flag with its name, or the person at
// the terminal, answers it with one or more of its choices, separated by commas.
type Question struct {
	Name    string
	Usage   string // of the flag
	Choices []string

	text   string   // of the prompt
	single bool     // only one of them
	keys   []string // of the settings that the answer determines
	// changes sets them; current is the answer that corresponds to their values.
	changes func(chosen []string) []config.Change
	current func(*config.Config) []string
}

// none is the choice that excludes all others.
const none = "none"

// Questions are the questions about what the bot does.
var Questions = []Question{
	{
		Name: "accept", Usage: "whose challenges to accept, separated by commas: humans, bots; or none", text: "Accept challenges from",
		Choices: []string{"humans", "bots", none}, keys: []string{"challenges.humans.enabled", "challenges.bots.enabled"},
		changes: func(chosen []string) []config.Change {
			return []config.Change{
				{Key: "challenges.humans.enabled", Value: fmt.Sprint(slices.Contains(chosen, "humans"))},
				{Key: "challenges.bots.enabled", Value: fmt.Sprint(slices.Contains(chosen, "bots"))},
			}
		},
		current: func(c *config.Config) (list []string) {
			if c.Challenges.Humans.Enabled {
				list = append(list, "humans")
			}
			if c.Challenges.Bots.Enabled {
				list = append(list, "bots")
			}
			if len(list) == 0 {
				list = []string{none}
			}
			return list
		},
	},
	termsQuestion("speeds", "at which speeds to play, separated by commas", "Speeds", []string{"bullet", "blitz", "rapid", "classical", "correspondence"},
		func(c *config.Config) (names []string) {
			for _, speed := range c.Challenges.Humans.Speeds {
				names = append(names, string(speed))
			}
			return names
		}),
	termsQuestion("modes", "which games to play, separated by commas", "Modes", []string{"rated", "casual"},
		func(c *config.Config) []string { return c.Challenges.Humans.Modes }),
	{
		Name: "matchmaking", Usage: "challenge other bots while idle: yes or no", text: "Challenge other bots while idle",
		Choices: []string{"yes", "no"}, single: true, keys: []string{"matchmaking.enabled"},
		changes: func(chosen []string) []config.Change {
			return []config.Change{{Key: "matchmaking.enabled", Value: fmt.Sprint(chosen[0] == "yes")}}
		},
		current: func(c *config.Config) []string {
			if c.Matchmaking.Enabled {
				return []string{"yes"}
			}
			return []string{"no"}
		},
	},
}

// termsQuestion is about a list in the terms of both kinds of challengers.
func termsQuestion(name, usage, text string, choices []string, current func(*config.Config) []string) Question {
	keys := []string{"challenges.humans." + name, "challenges.bots." + name}
	return Question{
		Name: name, Usage: usage + ": " + strings.Join(choices, ", "), text: text, Choices: choices, keys: keys, current: current,
		changes: func(chosen []string) []config.Change {
			value := strings.Join(chosen, ",")
			return []config.Change{{Key: keys[0], Value: value}, {Key: keys[1], Value: value}}
		},
	}
}

// parse reads an answer.
func (q *Question) parse(answer string) (chosen []string, err error) {
	for _, word := range strings.FieldsFunc(strings.ToLower(answer), func(r rune) bool { return r == ',' || r == ' ' }) {
		switch {
		case !slices.Contains(q.Choices, word):
			return nil, config.NotOneOf(word, q.Choices)
		case !slices.Contains(chosen, word):
			chosen = append(chosen, word)
		}
	}
	if len(chosen) == 0 || len(chosen) > 1 && (q.single || slices.Contains(chosen, none)) {
		return nil, fmt.Errorf("%q: want %s", answer, strings.Join(q.Choices, " or "))
	}
	return chosen, nil
}

// validate returns an error for an answer that is not one of the choices.
func (a *Answers) validate() error {
	for _, q := range Questions {
		if answer, given := a.Settings[q.Name]; given {
			if _, err := q.parse(answer); err != nil {
				return &InvalidError{q.Name, err}
			}
		}
	}
	if a.Start != "" && !slices.Contains(Starts, a.Start) {
		return &InvalidError{"start", config.NotOneOf(a.Start, Starts)}
	}
	return nil
}

// InvalidError is an answer that is not one of the choices.
type InvalidError struct {
	Flag string
	Err  error
}

// Error names the flag.
func (e *InvalidError) Error() string { return fmt.Sprintf("--%s: %v", e.Flag, e.Err) }

// Unwrap returns the cause.
func (e *InvalidError) Unwrap() error { return e.Err }

// ask asks a question until the answer is one of its choices, or empty.
func (s *setup) ask(ctx context.Context, q *Question, current string) (string, error) {
	for {
		answer, err := s.prompt.Line(ctx, fmt.Sprintf("%s (%s) [%s]: ", q.text, strings.Join(q.Choices, ", "), current))
		if err != nil || answer == "" {
			return "", err
		}
		if _, err = q.parse(answer); err == nil {
			return answer, nil
		}
		s.say("WRONG", "%v", err)
	}
}
