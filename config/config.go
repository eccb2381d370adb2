// Package config holds zhbot's settings and reads them.
//
// [Load] merges, in ascending order of precedence, the defaults of [Default], a YAML
// file, the environment (ZHBOT_ and the key in upper case, dots as underscores)
// and flags. It is strict: an unknown key or an invalid value is an error that
// names file, line and the nearest valid name, and all errors are listed at once.
package config

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/zhbot/zhbot/lichess"
)

// Config holds all settings. The tags of its fields name
//   - key: the name of a setting or a section;
//   - default: as a flag would have it, or those in a section; zero without one;
//   - reload: that a setting, or a section with all that it holds, can change while the bot runs;
//   - range: of a number or a duration, or of those in a section; 0|1m.. is 0 or at least 1m. What
//     has none is not negative;
//   - form: of a text, or of the items of a list;
//   - choices: such texts, or the name of a list of them; "all" as default is each.
type Config struct {
	Lichess     Lichess     `key:"lichess"`
	Games       Games       `key:"games" reload:"true"`
	Challenges  Challenges  `key:"challenges" reload:"true"`
	Matchmaking Matchmaking `key:"matchmaking" reload:"true"`
	Engine      Engine      `key:"engine"`
	// Contenders are the engines among which games are shared out; without any, Engine
	// plays all games.
	Contenders []Contender `key:"contenders"`
	// SPRT is the test of two of them.
	SPRT    SPRT    `key:"sprt" reload:"true"`
	Play    Play    `key:"play" reload:"true"`
	Chat    Chat    `key:"chat" reload:"true"`
	Notify  Notify  `key:"notify" reload:"true"`
	Records Records `key:"records"`
	Web     Web     `key:"web"`
	Ctl     Ctl     `key:"ctl"`
	Log     Log     `key:"log"`
}

func (c *Config) validate(p *problems, _ string) {
	c.validateContenders(p)
	c.validateSPRT(p)
}

// Lichess holds the server and the bot's token.
type Lichess struct {
	URL       string `key:"url" form:"server" default:"https://lichess.org"`
	Token     Secret `key:"token"`
	TokenFile string `key:"token_file"`
	// RetryRefused is the interval between attempts while Lichess refuses the token or
	// the account; 0 to exit instead.
	RetryRefused time.Duration `key:"retry_refused" range:"0|1m.."` // few requests to a server that refuses
}

// Games limits the games. Those about to start count as concurrent ones.
type Games struct {
	Max                  int `key:"max" range:"1..200" default:"4"` // concurrent
	ReservedForHumans    int `key:"reserved_for_humans"`            // of these, closed to bots
	MaxPerOpponent       int `key:"max_per_opponent" default:"2"`   // concurrent; 0 for any number
	MaxPerOpponentPerDay int `key:"max_per_opponent_per_day"`       // in 24 hours; 0 for any
	// AbortAfter is how long to wait for an opponent's first move before the game is aborted; 0 for
	// ever.
	AbortAfter   time.Duration `key:"abort_after" range:"0|5s.." default:"45s"`
	DrainTimeout time.Duration `key:"drain_timeout" default:"30m"` // 0 for none
}

func (g *Games) validate(p *problems, key string) {
	if g.ReservedForHumans > g.Max {
		p.add(key+".reserved_for_humans", "%d is more than games.max, %d", g.ReservedForHumans, g.Max)
	}
}

// Range bounds a value, both ends included.
type Range[T time.Duration | int] struct {
	Min T `key:"min"`
	Max T `key:"max"`
}

func (r *Range[T]) validate(p *problems, key string) {
	_, isTime := any(r.Max).(time.Duration) // of which 0 is a bound, too
	if r.Min > r.Max && (isTime || r.Max != 0) {
		p.add(key+".min", "%v is more than max, %v", r.Min, r.Max)
	}
}

// Rating bounds the rating of an opponent, and its difference to ours; 0 is no bound.
type Rating struct {
	Range[int]

	MaxDifference int `key:"max_difference"`
}

// Engine configures how moves are found. Threads and HashMB are totals for all games; 0 threads are
// one for each core, and see HashSize for a HashMB of 0. For MaxTime and MaxNodes, 0 is no limit.
type Engine struct {
	Threads      int           `key:"threads" range:"0..1024"`
	HashMB       int           `key:"hash_mb" range:"0..1048576"`
	Ponder       bool          `key:"ponder" reload:"true"`
	MoveOverhead time.Duration `key:"move_overhead" range:"..10s" default:"50ms"`
	MaxTime      time.Duration `key:"max_time" reload:"true"`
	MaxNodes     int           `key:"max_nodes" reload:"true"`
	Book         []string      `key:"book" reload:"true" default:"embedded"`
	Network      string        `key:"network" form:"network"`
	Skill        int           `key:"skill" range:"0..20" default:"20"` // up to [human.MaxLevel]
	// Command is a program that searches instead of ours, "" for none.
	Command  string   `key:"command" form:"command"`
	Protocol string   `key:"protocol" choices:"uci, xboard" default:"uci"` // of the program
	Clock    string   `key:"clock" choices:"bot, program" default:"bot"`   // BotClock or ProgramClock
	Options  []Option `key:"options"`                                      // of the program
}

// Play configures resigning, draws and takebacks.
type Play struct {
	Resign    bool `key:"resign"`
	Draw      bool `key:"draw" default:"true"`
	Takebacks int  `key:"takebacks"`
}

// Chat configures the bot's chat messages.
type Chat struct {
	Greeting   string   `key:"greeting" form:"chat"`
	Goodbye    string   `key:"goodbye" form:"chat"`
	Spectators bool     `key:"spectators"`
	Commands   []string `key:"commands" choices:"commands" default:"all"` // without "!"
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// placeholders are those that chat texts may contain.
var placeholders = []string{"{opponent}", "{rating}", "{me}", "{version}", "{speed}", "{result}"}

func checkPlaceholders(text string) error {
	for _, found := range placeholder.FindAllString(text, -1) {
		if !slices.Contains(placeholders, found) {
			return fmt.Errorf("unknown placeholder %s%s", found, DidYouMean(found, placeholders))
		}
	}
	return nil
}

// Records configures the archive of finished games.
type Records struct {
	Dir string `key:"dir" default:"records"`
}

// Web configures the live page.
type Web struct {
	Listen   string   `key:"listen" form:"address" default:"127.0.0.1:8080"`
	Hosts    []string `key:"hosts" form:"host"`
	Password Secret   `key:"password" form:"password"`
}

func checkPassword(text string) error {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return errors.New("contains a line break or another control character that no browser sends")
	}
	return nil
}

// Ctl configures where "zhbot ctl" reaches the running bot.
type Ctl struct {
	Listen string `key:"listen" form:"ctl" default:"auto"`
}

// CtlAuto as ctl.listen stands for a socket next to the records.
const CtlAuto = "auto"

// IsPath reports whether a ctl.listen other than [CtlAuto] is the path of a socket rather
// than an address.
func IsPath(listen string) bool {
	return strings.ContainsAny(listen, `/\`) || !strings.Contains(listen, ":")
}

func checkCtl(listen string) error {
	host, isAddress := SplitAddress(listen)
	switch isPath := IsPath(listen); {
	case listen == "" || listen == CtlAuto:
	case isPath && runtime.GOOS == "windows":
		return fmt.Errorf("%q: a socket cannot be closed to others on Windows; want the form 127.0.0.1:0, or %s",
			listen, CtlAuto)
	case !isPath && !isAddress:
		return fmt.Errorf("%q is neither a path nor an address; want the form /run/zhbot/ctl.sock or 127.0.0.1:0, or %s",
			listen, CtlAuto)
	case !isPath && !lichess.IsLoopback(strings.ToLower(host)):
		return fmt.Errorf("%q can be reached from other machines; want the form 127.0.0.1:0", listen)
	}
	return nil
}

// Log configures the log on standard error.
type Log struct {
	Level  string `key:"level" choices:"debug, info, warn, error" default:"info"`
	Format string `key:"format" choices:"auto, console, json" default:"auto"`
}

// Default returns the settings of an empty file.
func Default() Config {
	c, err := Parse(Source{}, nil)
	if err != nil {
		panic(err) // a tag is wrong
	}
	return *c
}

// Secret is a string that no format verb, log or encoder reveals.
type Secret string

const hidden = "(hidden)"

// String hides the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// Format hides the secret from every verb, including invalid ones.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText hides the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }
