package config

import (
	"net"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/zhbot/zhbot/lichess"
)

func (p *problems) atLeast(key string, value, minimum int) {
	if value < minimum {
		p.add(key, "%d is too small, want at least %d", value, minimum)
	}
}

func (p *problems) atMost(key string, value, maximum int) {
	if value > maximum {
		p.add(key, "%d is too large, want at most %d", value, maximum)
	}
}

func oneOf[T ~string](p *problems, key string, value T, allowed ...T) {
	if !slices.Contains(allowed, value) {
		p.add(key, "%w", NotOneOf(value, allowed))
	}
}

// validate adds every invalid value. The settings must fit the memory, in bytes, and
// the cores; 0 is not known.
func (c *Config) validate(p *problems, memory uint64, cores int) {
	c.validateServer(p)
	c.validateGames(p)
	c.Challenges.validate(p)
	c.validateEngine(p)
	c.validateContenders(p)
	oneOf(p, "log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf(p, "log.format", c.Log.Format, "auto", "console", "json")
	c.Matchmaking.validate(p)
	p.atLeast("play.takebacks", c.Play.Takebacks, 0)
	p.checkPlaceholders("chat.greeting", c.Chat.Greeting)
	p.checkPlaceholders("chat.goodbye", c.Chat.Goodbye)
	c.validateWeb(p)
	c.Ctl.validate(p)
	c.checkMemory(p, memory, cores)
}

func (c *Config) validateWeb(p *problems) {
	if c.Web.Listen == "" {
		return
	}
	_, port, err := net.SplitHostPort(c.Web.Listen)
	_, notNumber := strconv.ParseUint(port, 10, 16)
	if err != nil || notNumber != nil {
		p.add("web.listen", "%q is not an address; want the form 127.0.0.1:8080", c.Web.Listen)
	}
	if strings.ContainsFunc(c.Web.Password.Reveal(), unicode.IsControl) {
		p.add("web.password", "contains a line break or another control character that no browser sends")
	}
	for _, host := range c.Web.Hosts {
		if host == "" || strings.ContainsAny(host, "/@*? ") {
			p.add("web.hosts", "%q is not a host name; want the form bot.example.org", host)
		}
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
	host, port, err := net.SplitHostPort(c.Listen)
	_, notNumber := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil || notNumber != nil:
		p.add("ctl.listen", "%q is neither a path nor an address; want the form /run/zhbot/ctl.sock or 127.0.0.1:0, or %s", c.Listen, CtlAuto)
	case !lichess.IsLoopback(strings.ToLower(host)):
		p.add("ctl.listen", "%q can be reached from other machines; want the form 127.0.0.1:0", c.Listen)
	}
}

// minRetryRefused limits the requests to a server that refuses the token.
const minRetryRefused = time.Minute

func (c *Config) validateServer(p *problems) {
	p.checkServer("lichess.url", c.Lichess.URL, "https://lichess.org")
	if r := c.Lichess.RetryRefused; r != 0 && r < minRetryRefused {
		p.add("lichess.retry_refused", "%s is too often to retry after a refusal, want at least %s, or 0s to exit instead", r, minRetryRefused)
	}
	p.checkServer("explorer.url", c.Explorer.URL, "https://explorer.lichess.org")
}

// checkServer adds a problem if the address is not one of a server that may be
// sent a token.
func (p *problems) checkServer(key, address, form string) {
	if _, err := lichess.ParseBaseURL(address, form); err != nil {
		p.add(key, "%v", err)
	}
}

// maxGames bounds the concurrent games of one account on one machine.
const maxGames = 200

// minAbort leaves an opponent time for a first move.
const minAbort = 5 * time.Second

func (c *Config) validateGames(p *problems) {
	p.atLeast("games.max", c.Games.Max, 1)
	p.atMost("games.max", c.Games.Max, maxGames)
	p.atLeast("games.reserved_for_humans", c.Games.ReservedForHumans, 0)
	p.atLeast("games.max_per_opponent", c.Games.MaxPerOpponent, 0)
	p.atLeast("games.max_per_opponent_per_day", c.Games.MaxPerOpponentPerDay, 0)
	if c.Games.ReservedForHumans > c.Games.Max {
		p.add("games.reserved_for_humans", "%d is more than games.max, %d", c.Games.ReservedForHumans, c.Games.Max)
	}
	if a := c.Games.AbortAfter; a > 0 && a < minAbort {
		p.add("games.abort_after", "%s is too short for a first move, want at least %s, or 0s to never abort", a, minAbort)
	}
}

// Bounds on what the engine may use.
const (
	MaxThreads  = 1024
	MaxHashMB   = 1 << 20
	maxOverhead = 10 * time.Second // more would leave no time to think
)

func (c *Config) validateEngine(p *problems) {
	e := &c.Engine
	p.atLeast("engine.threads", e.Threads, 0)
	p.atMost("engine.threads", e.Threads, MaxThreads)
	p.atLeast("engine.hash_mb", e.HashMB, 0)
	p.atLeast("engine.max_nodes", c.Engine.MaxNodes, 0)
	p.atMost("engine.hash_mb", e.HashMB, MaxHashMB)
	if e.MoveOverhead > maxOverhead {
		p.add("engine.move_overhead", "%s is too long, want at most %s", e.MoveOverhead, maxOverhead)
	}
	if e.Skill < 0 || e.Skill > MaxSkill {
		p.add("engine.skill", "%d is not a level, want 0 to %d", e.Skill, MaxSkill)
	}
	e.validateProgram(p)
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
