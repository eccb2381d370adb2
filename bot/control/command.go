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
	Long        string // what else its help says
	Example     string // arguments
	Option      string // the only one that it has, "" for none
	OptionUsage string
	InGame      bool   // its first argument is a game
	Text        bool   // its last argument is a text of several words
	Confirm     string // what the page asks before it, "" for nothing

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
			Name: "pause", Option: keep, OptionUsage: "pause after a restart, too", parse: parsePause,
			Short: "Accept no challenges and look for no games until \"resume\"",
			Long: "Games in progress go on. Challenges of ours that are open are canceled, arenas left.\n" +
				"The pause ends with the program, or with --" + keep + " only when \"resume\" ends it.",
		},
		{Name: "resume", Short: "End a pause", parse: none(resume)},
		{
			Name: "challenge", Args: "USER CLOCK [rated|casual] [white|black]", Example: "maia1 180+2 casual white", parse: parseChallenge,
			Short: "Challenge a user, and wait for the answer",
			Long: "CLOCK is in seconds for the game and for each move. The game is rated, and the colour a\n" +
				"random one, unless given. A challenge that nobody answers is canceled after half a minute.\n" +
				"It needs a free slot like any other game, and is sent while the bot is paused, too.",
		},
		{Name: "cancel", Short: "Cancel the challenges of ours that nobody has answered", parse: none(cancel)},
		{
			Name: "matchmaking", Args: "on|off", Example: "off", parse: parseMatchmaking,
			Short: "Turn matchmaking on or off until the program ends",
		},
		{
			Name: "arena", Args: "ID", Example: "QQxwqyHY", parse: parseArena,
			Short: "Join an arena",
			Long:  "ID is the last part of its address. The bot stays until the arena or the program ends.",
		},
		{
			Name: "resign", Args: "GAME", Example: "abcd1234", Confirm: "Resign the game?", InGame: true, parse: oneGame("resigned", Bot.Resign),
			Short: "Resign a game", Long: game,
		},
		{
			Name: "abort", Args: "GAME", Example: "abcd1234", Confirm: "Abort the game?", InGame: true, parse: oneGame("aborted", Bot.Abort),
			Short: "Abort a game in which not both have moved", Long: game,
		},
		{
			Name: "draw", Args: "GAME", Example: "abcd1234", Confirm: "Offer a draw, or accept the opponent's offer?", InGame: true,
			parse: oneGame("draw offered; if the opponent's offer is open, this accepts it", Bot.Draw),
			Short: "Offer a draw, or accept the opponent's offer", Long: game,
		},
		{
			Name: "say", Args: "GAME TEXT", Example: "abcd1234 Good luck!", InGame: true, Text: true, parse: parseSay,
			Short: "Say something to the opponent", Long: game,
		},
		{
			Name: "drain", Confirm: "Start no more games, and end the program when those in progress are over?", parse: none(drain),
			Short: "Start no more games, and end the program when those in progress are over",
			Long:  "This is what the first SIGTERM does. It ends after games.drain_timeout in any case.",
		},
		{Name: "reload", Short: "Load the configuration again", parse: none(reload)},
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

// parse returns the command of a request, and what it does.
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
