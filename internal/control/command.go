package control

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
)

// Command is a row of the table of commands, which "zhbot ctl", the live page and the
// shell's completion are made from.
type Command struct {
	Name        string `json:"name"`
	Args        string `json:"-"` // as a usage line has them; parsed accordingly
	Short       string `json:"short"`
	Long        string `json:"-"` // the rest of its help
	Example     string `json:"-"` // arguments
	Option      string `json:"-"` // its only option, "" for none
	OptionUsage string `json:"-"`
	Count       string `json:"-"` // its only option with a number, "" for none
	CountUsage  string `json:"-"`
	Confirm     string `json:"confirm,omitempty"` // the page's question before it is executed, "" for none

	readOnly   bool
	withoutBot bool // it needs no bot that plays
	run        action
}

// action executes a command. Its error is nil only if the command has been executed.
type action func(context.Context, *call) (Result, error)

// call is what an action needs.
type call struct {
	*Operator
	bot *bot.Bot // nil for a command without one
	arguments
}

// Commands returns the commands, in the order in which help lists them.
func Commands() []Command {
	const gameHelp = "GAME is the game's id, the beginning of it, or its address."
	return []Command{
		{Name: "status", Short: "Print what the bot is doing", readOnly: true, run: status},
		{
			Name: "pause", Option: "keep", OptionUsage: "keep the pause after a restart", run: pause,
			Short: "Accept no challenges and look for no games until \"resume\"",
			Long: "Games in progress continue. Our open challenges are cancelled, and arenas are left.\n" +
				"The pause ends with the program; with --keep, only \"resume\" ends it.",
		},
		{Name: "resume", Short: "End a pause", run: resume},
		{
			Name: "challenge", Args: "USER CLOCK [rated|casual] [white|black]", Example: "maia1 3+2 casual white", run: challenge,
			Short: "Challenge a user, and wait for the answer",
			Long: "CLOCK is as on Lichess: 3+2 is three minutes and two seconds. By default the game is rated\n" +
				"and the colour random. A challenge that nobody answers is cancelled after half a minute. It\n" +
				"needs a free slot like any other game, and is sent even while the bot is paused.",
		},
		{
			Name: "rematch", run: rematch,
			Short: "Challenge the opponent of the last game again, with colours reversed, and wait for the answer",
			Long:  "The clock is the same, and so is whether the game is rated. See \"challenge\".",
		},
		{
			Name: "gauntlet", Args: "stop|USERS CLOCK [rated|casual]", Example: "alice,bob 3+2 rated --pairs=10", Count: "pairs", CountUsage: "pairs of games against each", run: gauntlet,
			Short: "Play a match against each of several bots, in pairs of games with colours reversed",
			Long: "The bots are challenged whenever they are online and the bot is idle, within the limits of\n" +
				"matchmaking but its ratings; other bots are not challenged meanwhile. It continues after a\n" +
				"restart, and replaces a gauntlet in progress. \"stop\" ends it; \"status\" shows the results.",
		},
		{Name: "cancel", Short: "Cancel our challenges that nobody has answered", run: cancel},
		{
			Name: "block", Args: "USER", Example: "somebody", run: setUser(record.Blocked),
			Short: "Decline a user's challenges, and send none, until \"unblock\"",
			Long: "Our open challenges to the user are cancelled; games in progress continue. The list is kept\n" +
				"in users.json, in the folder of the records. \"challenge\" can still challenge the user.",
		},
		{
			Name: "allow", Args: "USER", Example: "somebody", run: setUser(record.Allowed),
			Short: "Accept a user's crazyhouse challenges whatever the terms, until \"unblock\"",
			Long:  "It is like challenges.allow in the configuration, and kept like \"block\".",
		},
		{
			Name: "unblock", Args: "USER", Example: "somebody", run: setUser(""),
			Short: "End a \"block\" or an \"allow\"",
			Long:  "What the configuration blocks stays blocked.",
		},
		{
			Name: "matchmaking", Args: "on|off", Example: "off", run: setMatchmaking,
			Short: "Turn matchmaking on or off until the program ends",
		},
		{
			Name: "arena", Args: "[leave] ID", Example: "QQxwqyHY", run: arena,
			Short: "Join an arena, or leave one",
			Long: "ID is the last part of the arena's address. The bot stays until the arena or the program ends.\n" +
				"After \"leave\", it stays away until then, also from an arena of the configuration; a game in\n" +
				"progress continues.",
		},
		{
			Name: "resign", Args: "GAME", Example: "abcd1234", Confirm: "Resign the game?", run: inGame("resigned", game.Resign),
			Short: "Resign a game", Long: gameHelp,
		},
		{
			Name: "abort", Args: "GAME", Example: "abcd1234", Confirm: "Abort the game?", run: inGame("aborted", game.Abort),
			Short: "Abort a game in which the players have not both moved", Long: gameHelp,
		},
		{
			Name: "draw", Args: "GAME", Example: "abcd1234", Confirm: "Offer a draw, or accept the opponent's offer?",
			run:   inGame("draw offered; if the opponent's offer is open, this accepts it", game.Draw),
			Short: "Offer a draw, or accept the opponent's offer", Long: gameHelp,
		},
		{
			Name: "say", Args: "GAME TEXT", Example: "abcd1234 Good luck!", run: say,
			Short: "Send the opponent a chat message", Long: gameHelp,
		},
		{
			Name: "drain", Confirm: "Start no more games, and end the program when those in progress are over?", run: drain,
			Short: "Start no more games, and end the program when those in progress are over",
			Long:  "The first SIGTERM does the same. The program ends after games.drain_timeout at the latest.",
		},
		{Name: "reload", Short: "Reload the configuration", withoutBot: true, run: reload},
	}
}

// UsageError is an invalid request.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

func usageErrorf(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// Request is a command as it is typed.
type Request struct {
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
}

// Check returns a [*UsageError] for a request that no bot would understand.
func (r Request) Check() error {
	_, _, err := r.parse()
	return err
}

// Limits of a request.
const (
	maxArgs     = 64
	maxArgBytes = 1 << 10
)

// parse returns the command of a request, and its arguments.
func (r Request) parse() (c Command, a arguments, err error) {
	if len(r.Args) > maxArgs {
		return c, a, usageErrorf("%d arguments, want at most %d", len(r.Args), maxArgs)
	}
	for _, arg := range append([]string{r.Command}, r.Args...) {
		if len(arg) > maxArgBytes || strings.ContainsFunc(arg, unicode.IsControl) {
			return c, a, usageErrorf("%q is too long or has control characters", clip(arg))
		}
	}
	commands := Commands()
	i := slices.IndexFunc(commands, func(c Command) bool { return c.Name == r.Command })
	if i < 0 {
		return c, a, usageErrorf("unknown command %q", clip(r.Command))
	}
	if a, err = commands[i].parse(r.Args); err != nil {
		return c, a, fmt.Errorf("%s: %w", r.Command, err)
	}
	return commands[i], a, nil
}
