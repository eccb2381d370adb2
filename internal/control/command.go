package control

import (
	"fmt"
	"slices"
)

// Command describes a command.
type Command struct {
	Name        string
	Args        string // as a usage line has them
	Short       string
	Long        string // the rest of its help
	Example     string // arguments
	Option      string // its only option, "" for none
	OptionUsage string
	InGame      bool   // its first argument is a game
	Text        bool   // its last argument is a text of several words
	Confirm     string // the page's question before it is carried out, "" for none

	readOnly bool
	parse    func(args []string) (action, error)
}

// keep is the option of pause.
const keep = "keep"

// Commands returns the commands, in the order in which help lists them.
func Commands() []Command {
	const game = "GAME is the game's id, the beginning of it, or its address."
	return []Command{
		{Name: "status", Short: "Print what the bot is doing", readOnly: true, parse: none(status)},
		{
			Name: "pause", Option: keep, OptionUsage: "keep the pause after a restart", parse: parsePause,
			Short: "Accept no challenges and look for no games until \"resume\"",
			Long: "Games in progress continue. Our open challenges are cancelled, and arenas are left.\n" +
				"The pause ends with the program; with --" + keep + ", only \"resume\" ends it.",
		},
		{Name: "resume", Short: "End a pause", parse: none(resume)},
		{
			Name: "challenge", Args: "USER CLOCK [rated|casual] [white|black]", Example: "maia1 180+2 casual white", parse: parseChallenge,
			Short: "Challenge a user, and wait for the answer",
			Long: "CLOCK is initial time and increment in seconds. By default the game is rated and the colour\n" +
				"random. A challenge that nobody answers is cancelled after half a minute. It needs a free\n" +
				"slot like any other game, and is sent even while the bot is paused.",
		},
		{Name: "cancel", Short: "Cancel our challenges that nobody has answered", parse: none(cancel)},
		{
			Name: "matchmaking", Args: "on|off", Example: "off", parse: parseMatchmaking,
			Short: "Turn matchmaking on or off until the program ends",
		},
		{
			Name: "arena", Args: "ID", Example: "QQxwqyHY", parse: parseArena,
			Short: "Join an arena",
			Long:  "ID is the last part of the arena's address. The bot stays until the arena or the program ends.",
		},
		{
			Name: "resign", Args: "GAME", Example: "abcd1234", Confirm: "Resign the game?", InGame: true, parse: oneGame("resigned", Bot.Resign),
			Short: "Resign a game", Long: game,
		},
		{
			Name: "abort", Args: "GAME", Example: "abcd1234", Confirm: "Abort the game?", InGame: true, parse: oneGame("aborted", Bot.Abort),
			Short: "Abort a game in which the players have not both moved", Long: game,
		},
		{
			Name: "draw", Args: "GAME", Example: "abcd1234", Confirm: "Offer a draw, or accept the opponent's offer?", InGame: true,
			parse: oneGame("draw offered; if the opponent's offer is open, this accepts it", Bot.Draw),
			Short: "Offer a draw, or accept the opponent's offer", Long: game,
		},
		{
			Name: "say", Args: "GAME TEXT", Example: "abcd1234 Good luck!", InGame: true, Text: true, parse: parseSay,
			Short: "Send the opponent a chat message", Long: game,
		},
		{
			Name: "drain", Confirm: "Start no more games, and end the program when those in progress are over?", parse: none(drain),
			Short: "Start no more games, and end the program when those in progress are over",
			Long:  "The first SIGTERM does the same. The program ends after games.drain_timeout at the latest.",
		},
		{Name: "reload", Short: "Reload the configuration", parse: none(reload)},
	}
}

// UsageError is an invalid request.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

func usageErrorf(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// NewUsageError returns an invalid request that the bot has reported.
func NewUsageError(text string) *UsageError { return &UsageError{text} }

// Request is a command as it is typed.
type Request struct {
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
}

// Check returns a [*UsageError] for a request that no bot would understand.
func (r Request) Check() error {
	_, _, err := parse(r)
	return err
}

// parse returns the command of a request, and its action.
func parse(r Request) (*Command, action, error) {
	commands := Commands()
	i := slices.IndexFunc(commands, func(c Command) bool { return c.Name == r.Command })
	if i < 0 {
		return nil, nil, usageErrorf("unknown command %q", clip(r.Command))
	}
	c := &commands[i]
	act, err := c.parse(r.Args)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return c, act, nil
}
