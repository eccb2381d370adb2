package control

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zhbot/zhbot/lichess"
)

// arguments are the arguments of a command, by the names that usage lines have for them.
type arguments struct {
	game   string // id, or the beginning of one
	text   string
	user   string
	clock  lichess.Clock
	id     string
	words  []string // chosen ones, such as "on" of on|off
	option bool
	users  []string
	count  int
}

// Limits of a gauntlet.
const (
	maxUsers     = 20
	maxCount     = 500
	defaultCount = 10
)

func (a *arguments) has(word string) bool { return slices.Contains(a.words, word) }

// parse parses the arguments of a command by its usage line: first may be an optional word,
// what is required is in order, then what is optional in any order. An error is a
// [*UsageError].
func (c *Command) parse(args []string) (a arguments, err error) {
	if n := len(args) - 1; c.Option != "" && n >= 0 && args[n] == "--"+c.Option {
		a.option, args = true, args[:n]
	}
	if a.count = defaultCount; c.Count != "" {
		if args, err = a.setCount(c.Count, args); err != nil {
			return a, err
		}
	}
	usage := c.Args
	if alone, rest, ok := strings.Cut(usage, "|"); ok && !strings.ContainsAny(alone, " [") && strings.Contains(rest, " ") {
		if len(args) == 1 && args[0] == alone {
			a.words = args
			return a, nil
		}
		usage = rest
	}
	names := strings.Fields(usage)
	if len(names) > 0 && names[0][0] == '[' {
		if len(args) > 0 && slices.Contains(choices(names[0]), args[0]) {
			a.words, args = args[:1:1], args[1:]
		}
		names = names[1:]
	}
	required := slices.IndexFunc(names, func(name string) bool { return name[0] == '[' })
	if required < 0 {
		required = len(names)
	}
	isText := slices.Contains(names, "TEXT")
	switch {
	case len(names) == 0 && len(args) > 0 && c.Option != "":
		return a, usageErrorf("takes no arguments except --%s, got %q", c.Option, clip(args[0]))
	case len(names) == 0 && len(args) > 0:
		return a, usageErrorf("takes no arguments, got %q", clip(args[0]))
	case len(args) < required || len(args) > len(names) && !isText:
		return a, usageErrorf("got %d arguments, want %s", len(args), c.Args)
	case isText:
		args = append(slices.Clone(args[:required-1]), strings.Join(args[required-1:], " "))
	}
	options := slices.Clone(names[required:])
	for _, arg := range args[required:] {
		i := slices.IndexFunc(options, func(name string) bool { return slices.Contains(choices(name), arg) })
		if i < 0 {
			return a, usageErrorf("got %q, want %s, each at most once", clip(arg), strings.Join(names[required:], " "))
		}
		a.words, options = append(a.words, arg), slices.Delete(options, i, i+1)
	}
	for i, name := range names[:required] {
		if err := a.set(name, args[i]); err != nil {
			return a, err
		}
	}
	return a, nil
}

// setCount sets the option with a number, which comes last, and returns the other arguments.
func (a *arguments) setCount(name string, args []string) (rest []string, err error) {
	n := len(args) - 1
	if n < 0 || !strings.HasPrefix(args[n], "--"+name+"=") {
		return args, nil
	}
	text := strings.TrimPrefix(args[n], "--"+name+"=")
	if a.count, err = strconv.Atoi(text); err != nil || a.count < 1 || a.count > maxCount {
		return nil, usageErrorf("--%s %s: want a number from 1 to %d", name, clip(text), maxCount)
	}
	return args[:n], nil
}

// choices returns the words of [rated|casual].
func choices(name string) []string { return strings.Split(strings.Trim(name, "[]"), "|") }

// maxArenaID is the length of an arena's id.
const maxArenaID = 8

// set sets a required argument, after the optional ones.
func (a *arguments) set(name, text string) (err error) {
	switch name {
	case "GAME":
		a.game, err = parseGame(text)
	case "TEXT":
		a.text, err = parseText(text)
	case "USER":
		if a.user = lastSegment(text); !lichess.ValidUserName(a.user) {
			err = usageErrorf("%q is not a user name", clip(text))
		}
	case "USERS":
		err = a.setUsers(text)
	case "CLOCK":
		if a.clock, err = lichess.ParseChallengeClock(text, !a.has("casual")); err != nil {
			err = usageErrorf("%v", err)
		}
	case "ID":
		if a.id = lastSegment(text); !isName(a.id, maxArenaID) {
			err = usageErrorf("%q is not an id; want the last part of the arena's address", clip(text))
		}
	default:
		if a.words = append(a.words, text); !slices.Contains(choices(name), text) {
			err = usageErrorf("got %q, want %s", clip(text), strings.Join(choices(name), " or "))
		}
	}
	return err
}

// setUsers sets the users of a list such as alice,bob.
func (a *arguments) setUsers(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		user := lastSegment(part)
		switch {
		case !lichess.ValidUserName(user):
			return usageErrorf("%q is not a user name; want names such as alice,bob", clip(part))
		case slices.ContainsFunc(a.users, func(other string) bool { return strings.EqualFold(user, other) }):
			return usageErrorf("%s is named twice", user)
		}
		a.users = append(a.users, user)
	}
	if len(a.users) > maxUsers {
		return usageErrorf("%d users, want at most %d", len(a.users), maxUsers)
	}
	return nil
}

// parseText returns the words of a chat message.
func parseText(text string) (string, error) {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "", usageErrorf("the text is empty")
	}
	if err := lichess.CheckChat(text); err != nil {
		return "", usageErrorf("%v", err)
	}
	return text, nil
}

const (
	gameID = 8  // characters of a game's id
	fullID = 12 // the same with a player's secret, as in some addresses
)

// parseGame returns the id of a game, or the beginning of one, from a reference to it.
func parseGame(text string) (string, error) {
	id := segments(text)[0]
	if len(id) == fullID {
		id = id[:gameID]
	}
	if !isName(id, gameID) {
		return "", usageErrorf("%q is not a game; want a game's id, the beginning of it, or its address", clip(text))
	}
	return id, nil
}

var word = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// isName reports whether a text can be an id.
func isName(text string, maxLen int) bool { return len(text) <= maxLen && word.MatchString(text) }

// lastSegment returns the last part of an address, or the text itself.
func lastSegment(text string) string {
	parts := segments(text)
	return parts[len(parts)-1]
}

// segments returns the parts of an address's path, or the text itself; at least one.
func segments(text string) []string {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return strings.Split(strings.Trim(u.Path, "/"), "/")
	}
	return []string{text}
}

// clip shortens a text for an error.
func clip(text string) string {
	const maxRunes = 40
	if r := []rune(text); len(r) > maxRunes {
		return string(r[:maxRunes]) + "…"
	}
	return text
}
