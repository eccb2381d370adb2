package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/zhbot/zhbot/rules"
)

// liveDir holds the journals.
const liveDir = "live"

// journalExt is how their names end, after the id of the game.
const journalExt = ".jsonl"

// gameID is what ids look like; nothing else becomes the name of a file.
var gameID = regexp.MustCompile(`^[A-Za-z0-9]{1,32}$`)

// Journal writes down a running game, so that clocks, evaluations and what was
// granted outlive a crash of the bot. Its methods never wait for the disk, but
// for Close; they belong to one goroutine. A nil journal does nothing.
type Journal struct {
	id     string
	live   JournalState // what the file says, once all is written
	begun  bool
	chunks chan []byte
	done   sync.WaitGroup

	mu  sync.Mutex
	err error // why no more is written
}

// journalQueue is how many chunks may wait for the disk; more than that, and it
// is not worth waiting for.
const journalQueue = 256

var errSlowDisk = errors.New("the disk does not keep up")

// Journal starts the journal of a game, or goes on with the one that a crash
// has left. It must be closed.
func (a *Archive) Journal(id string) (*Journal, error) {
	if !gameID.MatchString(id) {
		return nil, fmt.Errorf("journal of game %.40q: not an id", id)
	}
	a.mu.Lock()
	left := a.left[id]
	a.mu.Unlock()
	j := &Journal{id: id, chunks: make(chan []byte, journalQueue)}
	j.live.ID = id
	if left != nil {
		j.live, j.begun = *left.clone(), left.Game.Game != nil
	}
	path := filepath.Join(a.dir, liveDir, id+journalExt)
	j.done.Go(func() { j.keep(path) })
	return j, nil
}

// Resumed returns the game as an earlier run left it in the journal, nil for a new
// journal.
func (j *Journal) Resumed() *JournalState {
	if j == nil || !j.begun {
		return nil
	}
	return j.live.clone()
}

// Begin records what stays the same during the game, unless the journal has it
// already.
func (j *Journal) Begin(g *Game) error {
	if j == nil || j.begun {
		return nil
	}
	j.begun = true
	j.live.Game = *g
	j.live.Game.Game, j.live.Notes = rules.NewGame(*g.Game.Start()), nil
	return j.write(entry{Game: factsOf(g)})
}

// Update records the moves since the last call, and takebacks. Notes has an entry for
// each move.
func (j *Journal) Update(g *rules.Game, notes []Note) error {
	if j == nil || !j.begun {
		return nil
	}
	known, moves := j.live.Game.Game, g.Moves()
	same := 0
	for same < min(known.Ply(), len(moves)) && known.Moves()[same] == moves[same] {
		same++
	}
	var entries []entry
	if same < known.Ply() && same == len(moves) {
		entries = append(entries, entry{Back: &same})
	}
	j.live.takeBack(same)
	for ply := same; ply < len(moves); ply++ {
		if err := known.Play(moves[ply]); err != nil {
			return fmt.Errorf("journal of game %s: %w", j.id, err)
		}
		j.live.Notes = append(j.live.Notes, notes[ply])
		entries = append(entries, entry{Move: moveOf(ply, moves[ply], notes[ply])})
	}
	return j.write(entries...)
}

// MarkGreeted records that the opponent was greeted.
func (j *Journal) MarkGreeted() error {
	if j == nil || j.live.Greeted {
		return nil
	}
	j.live.Greeted = true
	return j.write(entry{Greeted: true})
}

// SetTakebacks records how many takebacks were granted so far.
func (j *Journal) SetTakebacks(n int) error {
	if j == nil || j.live.Takebacks == n {
		return nil
	}
	j.live.Takebacks = n
	return j.write(entry{Takebacks: n})
}

// write hands lines over, and returns what went wrong with earlier ones.
func (j *Journal) write(entries ...entry) error {
	var chunk []byte
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("journal of game %s: %w", j.id, err)
		}
		chunk = append(append(chunk, line...), '\n')
	}
	if len(chunk) > 0 {
		select {
		case j.chunks <- chunk:
		default:
			j.fail(errSlowDisk)
		}
	}
	return j.failure()
}

// Close waits until all is written. The file stays.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	close(j.chunks)
	j.done.Wait()
	return j.failure()
}

func (j *Journal) failure() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return fmt.Errorf("journal of game %s: %w", j.id, j.err)
	}
	return nil
}

func (j *Journal) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = err
	}
}

// keep writes chunks to the file until there are no more. After a failure it
// only takes them.
func (j *Journal) keep(path string) {
	var f *os.File
	defer func() {
		if f != nil {
			j.fail(f.Close())
		}
	}()
	for chunk := range j.chunks {
		if j.failure() != nil {
			continue
		}
		if f == nil {
			var err error
			if f, err = openJournal(path); err != nil {
				j.fail(err)
				continue
			}
		}
		if _, err := f.Write(chunk); err != nil {
			j.fail(err)
		}
	}
}

// openJournal opens a file to append lines to. A line that a crash has torn is
// ended first.
func openJournal(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	last := []byte{'\n'}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		_, err = f.ReadAt(last, info.Size()-1)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	if last[0] != '\n' {
		if _, err := f.Write([]byte{'\n'}); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

// DiscardJournal deletes the journal of a game that is not worth a record.
func (a *Archive) DiscardJournal(id string) error {
	a.disk.Lock()
	defer a.disk.Unlock()
	a.forget(id)
	return a.removeJournal(id)
}

// removeJournal removes the journal of a game, if there is one.
func (a *Archive) removeJournal(id string) error {
	if !gameID.MatchString(id) {
		return nil // it never had one
	}
	err := os.Remove(filepath.Join(a.dir, liveDir, id+journalExt))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the journal of game %s: %w", id, err)
	}
	return nil
}
