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

// journalExt follows the game id in their names.
const journalExt = ".jsonl"

// gameID matches valid game ids; nothing else is used as a file name.
var gameID = regexp.MustCompile(`^[A-Za-z0-9]{1,32}$`)

// Journal records a running game, so that clocks, evaluations, the greeting and
// takebacks survive a crash of the bot. No method but Close waits for the disk. It
// belongs to the goroutine of its game, and is not safe for concurrent use; the file
// belongs to the goroutine of writeLoop. The methods of a nil Journal do nothing.
type Journal struct {
	archive *Archive

	id     string
	state  JournalState // of the file, once all chunks are written; its Game.Game is nil before Begin
	chunks chan []byte
	writer sync.WaitGroup

	mu  sync.Mutex
	err error // the first error, of either goroutine; nothing is written after it
}

// journalQueue is how many chunks may wait for the disk before the journal gives up.
const journalQueue = 256

var errSlowDisk = errors.New("the disk is too slow")

// liveJournal is what the archive knows about a journal.
type liveJournal struct {
	state  *JournalState // as found by Open or as last closed; nil for none, or once the game is finished
	writer *Journal      // the newest one; nil for none
	found  bool          // by Open: a crash may have come after its game was written
}

// Journal starts the journal of a game, or resumes one left by an earlier run or by an
// earlier goroutine that followed the game. It must be closed.
func (a *Archive) Journal(id string) (*Journal, error) {
	if !gameID.MatchString(id) {
		return nil, fmt.Errorf("journal of game %.40q: invalid game id", id)
	}
	j := &Journal{archive: a, id: id, chunks: make(chan []byte, journalQueue)}
	j.state.ID = id
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.journals[id]
	if l == nil {
		l = new(liveJournal)
		a.journals[id] = l
	}
	if l.state != nil {
		j.state = *l.state.clone()
	}
	l.writer = j
	path := filepath.Join(a.dir, liveDir, id+journalExt)
	j.writer.Go(func() { j.writeLoop(path) })
	return j, nil
}

// keep keeps the content of a closed journal, unless the game is being recorded
// elsewhere.
func (a *Archive) keep(j *Journal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if l := a.journals[j.id]; l != nil && l.writer == j {
		l.state = j.state.clone()
	}
}

// hasBegun reports whether the journal has what stays the same during the game.
func (j *Journal) hasBegun() bool { return j.state.Game.Game != nil }

// Resumed returns the game as the journal had it when it was resumed, nil for a new
// journal.
func (j *Journal) Resumed() *JournalState {
	if j == nil || !j.hasBegun() {
		return nil
	}
	return j.state.clone()
}

// Begin records what stays the same during the game, unless the journal has it already.
func (j *Journal) Begin(g *Game) error {
	if j == nil || j.hasBegun() {
		return nil
	}
	return j.append(entry{Game: headerOf(g)})
}

// Update records the moves since the last call, and takebacks. Notes has an entry for
// each move.
func (j *Journal) Update(g *rules.Game, notes []Note) error {
	if j == nil || !j.hasBegun() {
		return nil
	}
	recorded, moves := j.state.Game.Game.Moves(), g.Moves()
	common := 0
	for common < min(len(recorded), len(moves)) && recorded[common] == moves[common] {
		common++
	}
	var entries []entry
	if common < len(recorded) && common == len(moves) {
		entries = append(entries, entry{Back: &common})
	}
	for ply := common; ply < len(moves); ply++ {
		entries = append(entries, entry{Move: moveOf(ply, moves[ply], notes[ply])})
	}
	return j.append(entries...)
}

// MarkGreeted records that the opponent was greeted.
func (j *Journal) MarkGreeted() error {
	if j == nil || j.state.Greeted {
		return nil
	}
	return j.append(entry{Greeted: true})
}

// SetLevel records that the level of play is another one from now on.
func (j *Journal) SetLevel(to string) error {
	if j == nil || !j.hasBegun() || j.state.LevelNow == to {
		return nil
	}
	return j.append(entry{Level: to})
}

// SetCounts records how many takebacks were granted and how many fallback moves were made
// so far.
func (j *Journal) SetCounts(takebacks, fallbacks int) error {
	if j == nil || j.state.Takebacks == takebacks && j.state.Fallbacks == fallbacks {
		return nil
	}
	return j.append(entry{Takebacks: takebacks, Fallbacks: fallbacks})
}

// append queues lines for writing, applies them as they will be read back, and returns the
// error of earlier writes.
func (j *Journal) append(entries ...entry) error {
	var chunk []byte
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("journal of game %s: %w", j.id, err)
		}
		j.state.applyLine(line)
		chunk = append(append(chunk, line...), '\n')
	}
	if len(chunk) > 0 {
		select {
		case j.chunks <- chunk:
		default:
			j.setErr(errSlowDisk)
		}
	}
	return j.wrappedErr()
}

// Close waits until everything is written. It keeps the file, and the game is unfinished
// until it is saved or its journal discarded.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	close(j.chunks)
	j.writer.Wait()
	err := j.wrappedErr()
	if err == nil && j.hasBegun() {
		j.archive.keep(j)
	}
	return err
}

func (j *Journal) wrappedErr() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return fmt.Errorf("journal of game %s: %w", j.id, j.err)
	}
	return nil
}

func (j *Journal) setErr(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = err
	}
}

// writeLoop writes chunks to the file until the channel is closed. After an error it
// discards them.
func (j *Journal) writeLoop(path string) {
	var f *os.File
	for chunk := range j.chunks {
		if j.wrappedErr() != nil {
			continue
		}
		var err error
		if f == nil {
			f, err = openJournal(path)
		}
		if err == nil {
			_, err = f.Write(chunk)
		}
		j.setErr(err)
	}
	if f != nil {
		j.setErr(f.Close())
	}
}

// openJournal opens a file for appending lines, after terminating a line that a crash
// truncated.
func openJournal(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		if _, err = f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			_, err = f.Write([]byte{'\n'})
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// DiscardJournal deletes the journal of a game that is not worth a record.
func (a *Archive) DiscardJournal(id string) error {
	a.disk.Lock()
	defer a.disk.Unlock()
	return a.removeJournal(id)
}

// removeJournal forgets and deletes the journal of a game, if there is one.
func (a *Archive) removeJournal(id string) error {
	a.mu.Lock()
	delete(a.journals, id)
	a.mu.Unlock()
	if !gameID.MatchString(id) {
		return nil // it has no journal
	}
	err := os.Remove(filepath.Join(a.dir, liveDir, id+journalExt))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete journal of game %s: %w", id, err)
	}
	return nil
}
