package record

import (
	"crypto/rand"
	"maps"
	"path/filepath"
	"time"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules/pgn"
)

// stateFileName is the name of the state file in the folder of records.
const stateFileName = "state.json"

// StateFile keeps, in state.json, what must be remembered between runs beyond the records
// of games.
type StateFile = Stored[State]

// State is what a StateFile holds. Times are in UTC.
type State struct {
	// Openings are when the event stream was opened, oldest first; Lichess limits
	// their number in ten minutes, restarts included.
	Openings []time.Time `json:"openings,omitempty"`
	// ArenaJoins are when arenas were joined, counted like Openings.
	ArenaJoins []time.Time `json:"arena_joins,omitempty"`
	// Challenges are when challenges were sent, oldest first; Lichess limits their number
	// per day. One to a human is listed as often as Lichess counts it.
	Challenges []time.Time `json:"challenges,omitempty"`
	// BotGames are the start times of the games against bots of the last day, by id.
	BotGames map[string]time.Time `json:"bot_games,omitempty"`
	// BotGamesClosed is the time until which Lichess starts no games against bots.
	BotGamesClosed time.Time `json:"bot_games_closed,omitzero"`
	// AssignmentKey draws the order in which contenders play. Who knew it could foresee them.
	AssignmentKey []byte `json:"assignment_key,omitempty"`
	// Gauntlet is the current one, or the last.
	Gauntlet *Gauntlet `json:"gauntlet,omitempty"`
	// Pause is set while the operator has paused the bot.
	Pause *Pause `json:"pause,omitempty"`
	// Running is when the run began that has not ended by itself; zero if it has.
	Running time.Time `json:"running,omitzero"`
	// SPRT is the test of two contenders, nil if there has been none.
	SPRT *SPRT `json:"sprt,omitempty"`
	// Opponents is what is remembered about other players, by id.
	Opponents map[string]*Opponent `json:"opponents,omitempty"`
}

// Gauntlet is a match against each of several bots. What has been played of it is in the
// records. It is not changed, but replaced.
type Gauntlet struct {
	Opponents []string  `json:"opponents"`
	Control   string    `json:"control"` // see [Gauntlet.Clock]
	Rated     bool      `json:"rated"`
	Pairs     int       `json:"pairs"` // of games with colours reversed, against each
	Since     time.Time `json:"since"`
	Over      bool      `json:"over,omitempty"` // all games have been played
}

// Clock returns the clock of the games, zero if the control is invalid.
func (g *Gauntlet) Clock() lichess.Clock {
	c, _ := pgn.ParseTimeControl(g.Control)
	return lichess.Clock(c)
}

// Pause is a pause that has not ended.
type Pause struct {
	Since time.Time `json:"since"`
	Keep  bool      `json:"keep"` // also in the next run
}

// SPRT is a test of two contenders.
type SPRT struct {
	Test    string    `json:"test"`              // as in the settings
	Since   time.Time `json:"since"`             // games that began before do not count
	Verdict string    `json:"verdict,omitempty"` // once it was reported
}

// Opponent is what is remembered about a player.
type Opponent struct {
	// Refusals counts declined, rejected and expired challenges since the last
	// game; each makes the pause longer.
	Refusals int `json:"refusals,omitempty"`
	// RestUntil is the time before which the player is not challenged.
	RestUntil time.Time `json:"rest_until,omitzero"`
	// Reason is the reason of the last refusal.
	Reason string `json:"reason,omitempty"`
	// Declined are the games that the player declined, valid until TermsUntil.
	Declined   []Terms   `json:"declined,omitempty"`
	TermsUntil time.Time `json:"terms_until,omitzero"`
	// Aborts are when the player aborted games, which are not in the records.
	Aborts []time.Time `json:"aborts,omitempty"`
	// Pending is the second game of a pair, nil if there is none to play.
	Pending *PendingGame `json:"due,omitempty"`
	// Wish is the level of play that the player asked for, nil for none.
	Wish *LevelWish `json:"level,omitempty"`
}

// LevelWish is the level of play that a person asked for in the chat.
type LevelWish struct {
	Level string    `json:"level,omitempty"` // see config.Level; "" for that of the settings
	Shift int       `json:"shift,omitempty"` // by which to play harder, in rating points
	Until time.Time `json:"until"`           // unless the person plays again
}

// Terms are those of a game.
type Terms struct {
	Control string `json:"control"` // such as "180+2"
	Rated   bool   `json:"rated"`
}

// PendingGame completes a pair: the same terms with colours reversed.
type PendingGame struct {
	Terms
	White bool      `json:"white"` // we have White
	Until time.Time `json:"until"`
}

// Opponent returns what is remembered about a player, a new entry if there is none. It
// may only be called and changed in an Update.
func (s *State) Opponent(id string) *Opponent {
	o := s.Opponents[id]
	if o == nil {
		o = new(Opponent)
		s.Opponents[id] = o
	}
	return o
}

// InMemoryState returns an empty state that is not written to disk.
func InMemoryState() *StateFile {
	f := newStored[State](stateFileName)
	f.data.normalize()
	return f
}

// OpenState opens the state file in a folder, as [Stored] describes.
func OpenState(dir string) (*StateFile, error) {
	f, err := openStored[State](dir, stateFileName)
	f.data.normalize()
	return f, err
}

// ReadState returns the state in a folder of records, which a bot may be using.
func ReadState(dir string) (*State, error) {
	d, err := file.ReadJSON[State](filepath.Join(dir, stateFileName))
	return &d, err
}

// normalize adds what is missing, replaces nulls, which a file edited by hand may contain,
// and ends a pause that is not to be kept.
func (s *State) normalize() {
	if len(s.AssignmentKey) == 0 {
		s.AssignmentKey = []byte(rand.Text())
	}
	if s.BotGames == nil {
		s.BotGames = map[string]time.Time{}
	}
	if s.Opponents == nil {
		s.Opponents = map[string]*Opponent{}
	}
	maps.DeleteFunc(s.Opponents, func(_ string, o *Opponent) bool { return o == nil })
	if g := s.Gauntlet; g != nil && (g.Clock().IsZero() || g.Pairs < 1) {
		s.Gauntlet = nil
	}
	if s.Pause != nil && !s.Pause.Keep {
		s.Pause = nil
	}
}
