package config

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/zhbot/zhbot/lichess"
)

// validate adds every invalid value. The settings must fit the memory, in bytes, and
// the cores; 0 is not known.
func (c *Config) validate(p *problems, memory uint64, cores int) {
	for _, s := range c.settings() {
		p.checkForm(s)
	}
	c.validateServer(p)
	c.validateGames(p)
	c.Challenges.validate(p)
	c.validateContenders(p)
	c.validateSPRT(p)
	c.Matchmaking.validate(p)
	p.checkPlaceholders("chat.greeting", c.Chat.Greeting)
	p.checkPlaceholders("chat.goodbye", c.Chat.Goodbye)
	c.Notify.validate(p)
	c.validateWeb(p)
	c.Ctl.validate(p)
	c.checkMemory(p, memory, cores)
}

func (c *Config) validateWeb(p *problems) {
	if strings.ContainsFunc(c.Web.Password.Reveal(), unicode.IsControl) {
		p.add("web.password", "contains a line break or another control character that no browser sends")
	}
}

// IsPath reports whether a ctl.listen other than [CtlAuto] is the path of a socket rather
// than an address.
func IsPath(listen string) bool {
	return strings.ContainsAny(listen, `/\`) || !strings.Contains(listen, ":")
}

func (c *Ctl) validate(p *problems) {
	if c.Listen == "" || c.Listen == CtlAuto {
		return
	}
	if IsPath(c.Listen) {
		if runtime.GOOS == "windows" {
			p.add("ctl.listen", "%q: a socket cannot be closed to others on Windows; want the form 127.0.0.1:0, or %s", c.Listen, CtlAuto)
		}
		return
	}
	switch host, ok := SplitAddress(c.Listen); {
	case !ok:
		p.add("ctl.listen", "%q is neither a path nor an address; want the form /run/zhbot/ctl.sock or 127.0.0.1:0, or %s", c.Listen, CtlAuto)
	case !lichess.IsLoopback(strings.ToLower(host)):
		p.add("ctl.listen", "%q can be reached from other machines; want the form 127.0.0.1:0", c.Listen)
	}
}

// minRetryRefused limits the requests to a server that refuses the token.
const minRetryRefused = time.Minute

func (c *Config) validateServer(p *problems) {
	if r := c.Lichess.RetryRefused; r != 0 && r < minRetryRefused {
		p.add("lichess.retry_refused", "%s is too often to retry after a refusal, want at least %s, or 0s to exit instead", r, minRetryRefused)
	}
}

// minAbort leaves an opponent time for a first move.
const minAbort = 5 * time.Second

func (c *Config) validateGames(p *problems) {
	if c.Games.ReservedForHumans > c.Games.Max {
		p.add("games.reserved_for_humans", "%d is more than games.max, %d", c.Games.ReservedForHumans, c.Games.Max)
	}
	if a := c.Games.AbortAfter; a > 0 && a < minAbort {
		p.add("games.abort_after", "%s is too short for a first move, want at least %s, or 0s to never abort", a, minAbort)
	}
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// placeholderNames returns the placeholders that chat texts may contain, without
// braces.
func placeholderNames() []string {
	return []string{"opponent", "rating", "me", "version", "speed", "result"}
}

// checkPlaceholders adds a problem for each unknown placeholder of a text.
func (p *problems) checkPlaceholders(key, text string) {
	for _, found := range placeholder.FindAllString(text, -1) {
		name := strings.Trim(found, "{}")
		if slices.Contains(placeholderNames(), name) {
			continue
		}
		hint := ""
		if n := nearest(name, placeholderNames()); n != "" {
			hint = "; did you mean {" + n + "}?"
		}
		p.add(key, "unknown placeholder %s%s", found, hint)
	}
}
