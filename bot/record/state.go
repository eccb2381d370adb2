package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// stateFile is the name of the state file in the folder of records.
const stateFile = "state.json"

// State is the state file: what the bot remembers from one run to the next that
// its games do not tell. Each change replaces the file as a whole, so that a
// crash leaves the old or the new one. It is safe for concurrent use; one
// program at a time writes to it.
type State struct {
	path string // "" keeps it in memory only

	sync func(*os.File) error

	mu      sync.Mutex // held for moments only
	memory  Memory
	version uint64 // of the memory

	disk    sync.Mutex // held while the file is written
	written uint64     // the version on disk
}

// Memory is what a State holds. Times are in UTC.
type Memory struct {
	// Openings of the event stream, the oldest first; Lichess allows so many in
	// ten minutes, restarts or not.
	Openings []time.Time `json:"openings,omitempty"`
	// Challenges are when challenges were sent, the oldest first; Lichess allows
	// so many a day.
	Challenges []time.Time `json:"challenges,omitempty"`
	// BotGames are the games against bots of the last day, by id: when each began.
	BotGames map[string]time.Time `json:"bot_games,omitempty"`
	// BotGamesClosed is until when Lichess starts no more games against bots.
	BotGamesClosed time.Time `json:"bot_games_closed,omitzero"`
	// Opponents is what is known of other players, by id.
	Opponents map[string]*Opponent `json:"opponents,omitempty"`
}

// Opponent is what is remembered of a player.
type Opponent struct {
	// Refusals counts declines, refusals by the server and challenges without an
	// answer since the last game; each makes the pause longer.
	Refusals int `json:"refusals,omitempty"`
	// RestUntil is before when the player is not challenged.
	RestUntil time.Time `json:"rest_until,omitzero"`
	// Reason is why: the last refusal.
	Reason string `json:"reason,omitempty"`
	// Terms are what the player declined, until TermsUntil.
	Terms      Terms     `json:"terms,omitzero"`
	TermsUntil time.Time `json:"terms_until,omitzero"`
	// Aborts are when the player ended games before they began, which the records
	// of games do not tell.
	Aborts []time.Time `json:"aborts,omitempty"`
	// Pending is the second game of a pair, nil if there is none to play.
	Pending *PendingGame `json:"due,omitempty"`
}

// Terms are what a player has declined.
type Terms struct {
	TooFast  time.Duration `json:"too_fast,omitempty"` // games expected to last this long per side, or less
	TooSlow  time.Duration `json:"too_slow,omitempty"` // or more; 0 for none
	Controls []string      `json:"controls,omitempty"` // time controls such as "180+2"
	Rated    bool          `json:"rated,omitempty"`    // declines rated games
	Casual   bool          `json:"casual,omitempty"`   // declines casual games
}

// PendingGame completes a pair: the same terms with colours reversed.
type PendingGame struct {
	Control string    `json:"control"` // such as "180+2"
	Rated   bool      `json:"rated"`
	White   bool      `json:"white"` // we have White
	Until   time.Time `json:"until"`
}

// Opponent returns what is remembered of a player, to be changed in an Update.
func (m *Memory) Opponent(id string) *Opponent {
	o := m.Opponents[id]
	if o == nil {
		o = new(Opponent)
		m.Opponents[id] = o
	}
	return o
}

// NewMemoryState returns an empty state that is not written to disk.
func NewMemoryState() *State { return &State{memory: newMemory(), sync: (*os.File).Sync} }

// OpenState reads the state file in a folder, which it creates. A missing file is an empty state, and so is one
// that cannot be read: that one is set aside, and the error that comes with the
// state says so. All it costs is memory, never a game.
func OpenState(dir string) (*State, error) {
	s := NewMemoryState()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return s, fmt.Errorf("open state: %w", err)
	}
	s.path = filepath.Join(dir, stateFile)
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read state: %w", err)
	}
	memory := newMemory()
	if err := json.Unmarshal(text, &memory); err != nil {
		aside := s.path + ".damaged"
		return s, errors.Join(fmt.Errorf("read state, set aside as %s: %w", aside, err), os.Rename(s.path, aside))
	}
	memory.mend()
	s.memory = memory
	return s, nil
}

func newMemory() Memory {
	return Memory{BotGames: map[string]time.Time{}, Opponents: map[string]*Opponent{}}
}

// mend makes up for what a file that was edited by hand may lack.
func (m *Memory) mend() {
	if m.BotGames == nil {
		m.BotGames = map[string]time.Time{}
	}
	if m.Opponents == nil {
		m.Opponents = map[string]*Opponent{}
	}
	for id, o := range m.Opponents {
		if o == nil {
			delete(m.Opponents, id)
		}
	}
}

// View shows the memory to a function, which must not keep or change it.
func (s *State) View(look func(*Memory)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look(&s.memory)
}

// Update changes the memory and waits until the file is on disk. When the disk
// refuses, the change holds all the same and is written with the next one.
func (s *State) Update(change func(*Memory)) error {
	mine := s.apply(change)
	if s.path == "" {
		return nil
	}
	s.disk.Lock()
	defer s.disk.Unlock()
	if s.written >= mine {
		return nil // along with a later one
	}
	text, version, err := s.encode()
	if err == nil {
		err = replaceFile(s.path, text, s.sync)
	}
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	s.written = version
	return nil
}

// apply changes the memory and returns its version.
func (s *State) apply(change func(*Memory)) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.memory)
	s.version++
	return s.version
}

// encode returns the file's text and its version.
func (s *State) encode() ([]byte, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := json.MarshalIndent(&s.memory, "", "\t")
	return append(text, '\n'), s.version, err
}

// SetSync replaces fsync, so that tests can simulate a slow or full disk. It must be
// called before the first change.
func (s *State) SetSync(sync func(*os.File) error) { s.sync = sync }

// ReplaceFile puts a new file in the place of an old one, all or nothing.
func ReplaceFile(path string, text []byte) error { return replaceFile(path, text, (*os.File).Sync) }

func replaceFile(path string, text []byte, sync func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = sync(f)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(filepath.Dir(path))
}
