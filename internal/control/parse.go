package control

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/zhbot/zhbot/lichess"
)

// clip shortens a text for an error.
func clip(text string) string {
	const maxRunes = 40
	if r := []rune(text); len(r) > maxRunes {
		return string(r[:maxRunes]) + "…"
	}
	return text
}

// count returns an error unless the number of arguments is within bounds.
func count(args []string, minCount, maxCount int, usage string) error {
	if len(args) >= minCount && len(args) <= maxCount {
		return nil
	}
	if usage == "" {
		return usageErrorf("takes no arguments, got %q", clip(args[0]))
	}
	return usageErrorf("got %d arguments, want %s", len(args), usage)
}

// none returns the parser of a command without arguments.
func none(act action) func([]string) (action, error) {
	return func(args []string) (action, error) { return act, count(args, 0, 0, "") }
}

func parsePause(args []string) (action, error) {
	switch {
	case len(args) == 0:
		return pause(false), nil
	case len(args) == 1 && args[0] == "--"+keep:
		return pause(true), nil
	}
	return nil, usageErrorf("takes no arguments except --%s, got %q", keep, clip(args[0]))
}

func parseMatchmaking(args []string) (action, error) {
	if err := count(args, 1, 1, "on or off"); err != nil {
		return nil, err
	}
	if args[0] != "on" && args[0] != "off" {
		return nil, usageErrorf("got %q, want on or off", clip(args[0]))
	}
	return setMatchmaking(args[0] == "on"), nil
}

func parseArena(args []string) (action, error) {
	if err := count(args, 1, 1, "the id of an arena"); err != nil {
		return nil, err
	}
	id := lastSegment(args[0])
	if !isName(id, 8) {
		return nil, usageErrorf("%q is not an id; want the last part of the arena's address", clip(args[0]))
	}
	return joinArena(id), nil
}

// parseChallenge reads USER CLOCK, then mode and colour in any order.
func parseChallenge(args []string) (action, error) {
	if err := count(args, 2, 4, "USER CLOCK [rated|casual] [white|black]"); err != nil {
		return nil, err
	}
	c := Challenge{User: lastSegment(args[0]), Rated: true}
	if !lichess.ValidUserName(c.User) {
		return nil, usageErrorf("%q is not a user name", clip(args[0]))
	}
	var err error
	if c.Initial, c.Increment, err = parseClock(args[1]); err != nil {
		return nil, err
	}
	mode, color := "", ""
	for _, word := range args[2:] {
		switch {
		case (word == "rated" || word == "casual") && mode == "":
			mode, c.Rated = word, word == "rated"
		case (word == "white" || word == "black") && color == "":
			color, c.Color = word, word
		default:
			return nil, usageErrorf("got %q, want rated or casual, and white or black, each at most once", clip(word))
		}
	}
	if c.Rated && c.Initial == 0 && c.Increment < 2*time.Second {
		return nil, usageErrorf("%s is never rated on Lichess; make it casual", args[1])
	}
	return challenge(c), nil
}

// Limits on the clocks that Lichess allows bots, in seconds.
const (
	maxInitial   = 3 * 60 * 60
	maxIncrement = 60
	minEstimate  = 30 // of the initial time and 40 increments
)

// isInitial reports whether Lichess has clocks with an initial time, in seconds.
func isInitial(seconds uint64) bool {
	return seconds <= maxInitial && seconds%60 == 0 || slices.Contains([]uint64{15, 30, 45, 90}, seconds)
}

// parseClock reads a clock such as 180+2, in seconds.
func parseClock(text string) (initial, increment time.Duration, err error) {
	first, second, ok := strings.Cut(text, "+")
	a, errA := strconv.ParseUint(first, 10, 16)
	b, errB := strconv.ParseUint(second, 10, 16)
	switch {
	case !ok || errA != nil || errB != nil:
		return 0, 0, usageErrorf("%q is not a clock; want whole seconds in the form 180+2", clip(text))
	case !isInitial(a):
		return 0, 0, usageErrorf("Lichess has no initial time of %d s; it has 0, 15, 30, 45 and 90 s, and whole minutes up to %d", a, maxInitial/60)
	case b > maxIncrement:
		return 0, 0, usageErrorf("an increment of %d s is not within 0 to %d", b, maxIncrement)
	case a+40*b < minEstimate:
		return 0, 0, usageErrorf("%s is ultraBullet, which Lichess does not allow bots", text)
	}
	return time.Duration(a) * time.Second, time.Duration(b) * time.Second, nil
}

// oneGame returns the parser of a command about a game.
func oneGame(done string, do func(Bot, context.Context, string) error) func([]string) (action, error) {
	return func(args []string) (action, error) {
		if err := count(args, 1, 1, "the id of a game"); err != nil {
			return nil, err
		}
		reference, err := parseGame(args[0])
		return inGame(reference, done, do), err
	}
}

func parseSay(args []string) (action, error) {
	if len(args) < 2 {
		return nil, usageErrorf("got %d arguments, want the id of a game and a text", len(args))
	}
	reference, err := parseGame(args[0])
	if err != nil {
		return nil, err
	}
	text := strings.Join(strings.Fields(strings.Join(args[1:], " ")), " ")
	switch n := len(utf16.Encode([]rune(text))); {
	case n == 0:
		return nil, usageErrorf("the text is empty")
	case n > lichess.MaxChatLength:
		return nil, usageErrorf("the text has %d characters, counting most emoji as two or more; Lichess accepts at most %d", n, lichess.MaxChatLength)
	}
	return say(reference, text), nil
}
