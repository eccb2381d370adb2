// Package config holds zhbot's settings and reads them.
//
// [Load] merges, in ascending order of precedence, the defaults of [Default], a YAML
// file, the environment (ZHBOT_ and the key in upper case, dots as underscores)
// and flags. It is strict: an unknown key or an invalid value is an error that
// names file, line and the nearest valid name, and all errors are listed at once.
package config

import (
	"fmt"
	"io"
	"time"
)

// Config holds all settings. The tags of its fields name
//   - key: the name of a setting or a section;
//   - default: as a flag would have it, or those in a section; zero without one;
//   - reload: that a setting, or a section with all that it holds, can change while the bot runs;
//   - range: of a number or a duration, which without one is not negative;
//   - form: of a text, or of the items of a list.
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
	SPRT     SPRT     `key:"sprt" reload:"true"`
	Explorer Explorer `key:"explorer"`
	Play     Play     `key:"play" reload:"true"`
	Chat     Chat     `key:"chat" reload:"true"`
	Notify   Notify   `key:"notify" reload:"true"`
	Records  Records  `key:"records"`
	Web      Web      `key:"web"`
	Ctl      Ctl      `key:"ctl"`
	Log      Log      `key:"log"`
}

// Lichess holds the server and the bot's token.
type Lichess struct {
	URL       string `key:"url" form:"server" default:"https://lichess.org"`
	Token     Secret `key:"token"`
	TokenFile string `key:"token_file"`
	// RetryRefused is the interval between attempts while Lichess refuses the token or
	// the account; 0 to exit instead.
	RetryRefused time.Duration `key:"retry_refused"`
}

// Games limits the games. Those about to start count as concurrent ones.
type Games struct {
	Max                  int           `key:"max" range:"1..200" default:"4"` // concurrent
	ReservedForHumans    int           `key:"reserved_for_humans"`            // of these, closed to bots
	MaxPerOpponent       int           `key:"max_per_opponent" default:"2"`   // concurrent; 0 for any number
	MaxPerOpponentPerDay int           `key:"max_per_opponent_per_day"`       // started within 24 hours; 0 for any number
	AbortAfter           time.Duration `key:"abort_after" default:"45s"`      // without a first move of the opponent; 0 for never
	DrainTimeout         time.Duration `key:"drain_timeout" default:"30m"`    // 0 for none
}

// Range bounds a value, both ends included.
type Range[T time.Duration | int] struct {
	Min T `key:"min"`
	Max T `key:"max"`
}

// Rating bounds the rating of an opponent, and its difference to ours; 0 is no bound.
type Rating struct {
	Range[int]

	MaxDifference int `key:"max_difference"`
}

// Engine configures how moves are found. Threads and HashMB are totals for all games; see
// HashSize for a HashMB of 0.
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
	Protocol string   `key:"protocol" form:"protocol" default:"uci"` // of the program
	Clock    string   `key:"clock" form:"clock" default:"bot"`       // BotClock or ProgramClock
	Options  []Option `key:"options"`                                // of the program
}

// Explorer configures Lichess's opening explorer, which has its own token.
type Explorer struct {
	Enabled   bool   `key:"enabled"`
	URL       string `key:"url" form:"explorer" default:"https://explorer.lichess.org"`
	Token     Secret `key:"token"`
	TokenFile string `key:"token_file"`
}

// Play configures resigning, draws and takebacks.
type Play struct {
	Resign    bool `key:"resign"`
	Draw      bool `key:"draw" default:"true"`
	Takebacks int  `key:"takebacks"`
}

// Chat configures the bot's chat messages.
type Chat struct {
	Greeting   string   `key:"greeting"`
	Goodbye    string   `key:"goodbye"`
	Spectators bool     `key:"spectators"`
	Commands   []string `key:"commands" form:"chat" default:"help, eval, pv, opening, engine, stats, rematch, queue, level, harder, easier"` // without "!"
}

// Records configures the archive of finished games.
type Records struct {
	Dir string `key:"dir" default:"records"`
}

// Web configures the live page.
type Web struct {
	Listen   string   `key:"listen" form:"address" default:"127.0.0.1:8080"`
	Hosts    []string `key:"hosts" form:"host"`
	Password Secret   `key:"password"`
}

// Ctl configures where "zhbot ctl" reaches the running bot.
type Ctl struct {
	Listen string `key:"listen" default:"auto"`
}

// CtlAuto as ctl.listen stands for a socket next to the records.
const CtlAuto = "auto"

// Log configures the log on standard error.
type Log struct {
	Level  string `key:"level" form:"level" default:"info"`
	Format string `key:"format" form:"format" default:"auto"`
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
