// Package config holds zhbot's settings and reads them.
//
// [Load] merges, each over the one before: the defaults of [Default], a YAML
// file, the environment (ZHBOT_ and the key in upper case, dots as underscores)
// and flags. It is strict: an unknown key or an invalid value is an error that
// names file, line and the nearest valid name, and all errors are listed at once.
package config

import (
	"fmt"
	"io"
	"time"
)

// Config holds all settings. The names of the keys are the mapstructure tags.
type Config struct {
	Startup    `mapstructure:",squash"`
	Reloadable `mapstructure:",squash"`
}

// Startup holds the settings that take effect when the program starts.
type Startup struct {
	Lichess  Lichess  `mapstructure:"lichess"`
	Engine   Engine   `mapstructure:"engine"`
	Explorer Explorer `mapstructure:"explorer"`
	Records  Records  `mapstructure:"records"`
	Web      Web      `mapstructure:"web"`
	Log      Log      `mapstructure:"log"`
}

// Reloadable holds the settings that can change while the bot runs.
type Reloadable struct {
	Games       Games       `mapstructure:"games"`
	Challenges  Challenges  `mapstructure:"challenges"`
	Matchmaking Matchmaking `mapstructure:"matchmaking"`
	Search      Search      `mapstructure:"engine"`
	Play        Play        `mapstructure:"play"`
	Chat        Chat        `mapstructure:"chat"`
}

// Lichess holds the server and the bot's token.
type Lichess struct {
	URL       string `mapstructure:"url"`
	Token     Secret `mapstructure:"token"`
	TokenFile string `mapstructure:"token_file"`
	// RetryRefused is how often to try again while Lichess refuses the token or the
	// account; 0 to end instead.
	RetryRefused time.Duration `mapstructure:"retry_refused"`
}

// Games limits the concurrent games.
type Games struct {
	Max               int           `mapstructure:"max"`
	ReservedForHumans int           `mapstructure:"reserved_for_humans"`
	MaxPerOpponent    int           `mapstructure:"max_per_opponent"`
	MaxPerDay         int           `mapstructure:"max_per_opponent_per_day"`
	AbortAfter        time.Duration `mapstructure:"abort_after"`
	DrainTimeout      time.Duration `mapstructure:"drain_timeout"`
}

// Challenges configures which challenges to accept.
type Challenges struct {
	Humans Terms    `mapstructure:"humans"`
	Bots   Terms    `mapstructure:"bots"`
	Allow  []string `mapstructure:"allow"`
	Block  []string `mapstructure:"block"`
	// BlockURL names a file on the web with a user to block on each line.
	BlockURL     string        `mapstructure:"block_url"`
	BlockRefresh time.Duration `mapstructure:"block_refresh"`
	Order        string        `mapstructure:"order"`
}

// Terms are the conditions for one kind of challenger.
type Terms struct {
	Enabled   bool     `mapstructure:"enabled"`
	Modes     []string `mapstructure:"modes"`
	Speeds    []string `mapstructure:"speeds"`
	Initial   Span     `mapstructure:"initial"`
	Increment Span     `mapstructure:"increment"`
	Days      Days     `mapstructure:"days"`
	Rating    Rating   `mapstructure:"rating"`
	// Provisional accepts players with a provisional rating.
	Provisional bool `mapstructure:"provisional"`
}

// Span bounds a time, both ends included.
type Span struct {
	Min time.Duration `mapstructure:"min"`
	Max time.Duration `mapstructure:"max"`
}

// Days bounds the days per move of a game without a clock; 0 is no bound.
type Days struct {
	Min int `mapstructure:"min"`
	Max int `mapstructure:"max"`
}

// Rating bounds a challenger's rating; 0 is no bound.
type Rating struct {
	Min           int `mapstructure:"min"`
	Max           int `mapstructure:"max"`
	MaxDifference int `mapstructure:"max_difference"`
}

// Engine says what the engine may use. Threads and HashMB are totals for all
// games; see HashSize for a HashMB of 0.
type Engine struct {
	Threads      int           `mapstructure:"threads"`
	HashMB       int           `mapstructure:"hash_mb"`
	MoveOverhead time.Duration `mapstructure:"move_overhead"`
	Network      string        `mapstructure:"network"`
	Skill        int           `mapstructure:"skill"`
}

// Search says how moves are found.
type Search struct {
	Ponder   bool          `mapstructure:"ponder"`
	MaxTime  time.Duration `mapstructure:"max_time"`
	MaxNodes int           `mapstructure:"max_nodes"`
	Book     []string      `mapstructure:"book"`
}

// Explorer is Lichess's opening explorer, which has a token of its own.
type Explorer struct {
	Enabled   bool   `mapstructure:"enabled"`
	URL       string `mapstructure:"url"`
	Token     Secret `mapstructure:"token"`
	TokenFile string `mapstructure:"token_file"`
}

// Play configures resigning, draws and takebacks.
type Play struct {
	Resign    bool `mapstructure:"resign"`
	Draw      bool `mapstructure:"draw"`
	Takebacks int  `mapstructure:"takebacks"`
}

// Chat configures the bot's chat messages.
type Chat struct {
	Greeting   string `mapstructure:"greeting"`
	Goodbye    string `mapstructure:"goodbye"`
	Spectators bool   `mapstructure:"spectators"`
}

// Records configures the archive of finished games.
type Records struct {
	Dir string `mapstructure:"dir"`
}

// Web is the live page.
type Web struct {
	Listen   string   `mapstructure:"listen"`
	Hosts    []string `mapstructure:"hosts"`
	Password Secret   `mapstructure:"password"`
}

// Log configures the log on standard error.
type Log struct {
	Level  string `mapstructure:"level"`
	Format string `mapstructure:"format"`
}

// Default returns the settings of an empty file. It is their only source.
func Default() Config {
	terms := Terms{
		Enabled: true, Modes: []string{"rated", "casual"}, Speeds: []string{"bullet", "blitz", "rapid", "classical"},
		Initial: Span{Max: 3 * time.Hour}, Increment: Span{Max: time.Minute}, Provisional: true,
	}
	return Config{
		Startup: Startup{
			Lichess:  Lichess{URL: "https://lichess.org"},
			Engine:   Engine{MoveOverhead: 50 * time.Millisecond, Skill: MaxSkill},
			Explorer: Explorer{URL: "https://explorer.lichess.org"},
			Records:  Records{Dir: "records"},
			Web:      Web{Listen: "127.0.0.1:8080"},
			Log:      Log{Level: "info", Format: "auto"},
		},
		Reloadable: Reloadable{
			Games:       Games{Max: 4, MaxPerOpponent: 2, AbortAfter: 45 * time.Second, DrainTimeout: 30 * time.Minute},
			Challenges:  Challenges{Humans: terms, Bots: terms, BlockRefresh: 6 * time.Hour, Order: "best"},
			Matchmaking: defaultMatchmaking(),
			Play:        Play{Draw: true},
		},
	}
}

// MaxSkill is full strength.
const MaxSkill = 20

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

// Format hides the secret from every verb, also from those that do not fit.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText hides the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }
