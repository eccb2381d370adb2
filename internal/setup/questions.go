package setup

import (
	"cmp"
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
	// switches means that each choice turns its key on, but the last, which stands for none.
	// Without it, each key is a list with the same choices.
	switches bool
}

// Questions are the questions about what the bot does.
var Questions = []Question{
	{
		Name: "accept", Usage: "whose challenges to accept, separated by commas: humans, bots; or none", text: "Accept challenges from",
		Choices: []string{"humans", "bots", "none"}, keys: []string{"challenges.humans.enabled", "challenges.bots.enabled"}, switches: true,
	},
	{
		Name: "speeds", Usage: "at which speeds to play, separated by commas: bullet, blitz, rapid, classical, correspondence", text: "Speeds",
		Choices: []string{"bullet", "blitz", "rapid", "classical", "correspondence"}, keys: []string{"challenges.humans.speeds", "challenges.bots.speeds"},
	},
	{
		Name: "modes", Usage: "which games to play, separated by commas: rated, casual", text: "Modes",
		Choices: []string{"rated", "casual"}, keys: []string{"challenges.humans.modes", "challenges.bots.modes"},
	},
	{
		Name: "matchmaking", Usage: "challenge other bots while idle: yes or no", text: "Challenge other bots while idle",
		Choices: []string{"yes", "no"}, keys: []string{"matchmaking.enabled"}, switches: true,
	},
}

// none is the choice that excludes all others, "" if no choice does.
func (q *Question) none() string {
	if q.switches {
		return q.Choices[len(q.Choices)-1]
	}
	return ""
}

// changes returns the changes that an answer makes.
func (q *Question) changes(chosen []string) (changes []config.Change) {
	for i, key := range q.keys {
		value := strings.Join(chosen, ",")
		if q.switches {
			value = fmt.Sprint(slices.Contains(chosen, q.Choices[i]))
		}
		changes = append(changes, config.Change{Key: key, Value: value})
	}
	return changes
}

// current returns the answer that corresponds to the settings.
func (q *Question) current(c *config.Config) string {
	if !q.switches {
		return strings.Trim(config.Format(c, q.keys[0]), "[]")
	}
	var on []string
	for i, key := range q.keys {
		if config.Format(c, key) == "true" {
			on = append(on, q.Choices[i])
		}
	}
	return cmp.Or(strings.Join(on, ", "), q.none())
}

// Parse reads an answer.
func (q *Question) Parse(answer string) (chosen []string, err error) {
	for _, word := range strings.FieldsFunc(strings.ToLower(answer), func(r rune) bool { return r == ',' || r == ' ' }) {
		if err := config.CheckChoice(word, q.Choices); err != nil {
			return nil, err
		}
		if !slices.Contains(chosen, word) {
			chosen = append(chosen, word)
		}
	}
	if len(chosen) == 0 || len(chosen) > 1 && (q.single || slices.Contains(chosen, q.none())) {
		return nil, fmt.Errorf("%q: want %s", answer, strings.Join(q.Choices, " or "))
	}
	return chosen, nil
}

// ask asks a question until the answer is among its choices. Without an answer it returns nil.
func (s *setup) ask(ctx context.Context, q *Question, current string) ([]string, error) {
	for {
		answer, err := s.prompt.Line(ctx, fmt.Sprintf("%s (%s) [%s]: ", q.text, strings.Join(q.Choices, ", "), current))
		if err != nil || answer == "" {
			return nil, err
		}
		chosen, err := q.Parse(answer)
		if err == nil {
			return chosen, nil
		}
		s.say("WRONG", "%v", err)
	}
}
