package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Archive is a folder with the games of a bot. It is safe for concurrent use. Only
// one program at a time can hold it open.
type Archive struct {
	dir     string
	lock    io.Closer
	repairs []Repair
	sync    func(*os.File) error

	disk sync.Mutex // held while files are written; a game in progress never waits for it

	mu       sync.Mutex              // never held during I/O
	journals map[string]*liveJournal // of games that are not on disk yet, by id
	pending  []*pendingGame          // games still to be written, oldest first
}

// pendingGame is a game as PGN text and the file it belongs to.
type pendingGame struct {
	id, file, text string
	onDisk         bool // only the folder remains to be synced and the journal to be deleted
}

// maxPending bounds the games kept in memory while writing fails.
const maxPending = 1000

// ErrInUse is returned by Open while another program writes to the folder.
var ErrInUse = errors.New("another zhbot is using this folder: stop it, or use another folder")

// Open returns the archive in a folder, which it creates if necessary, after moving
// away games that a crash truncated. It fails with [ErrInUse] while another program
// holds the archive open.
func Open(dir string) (*Archive, error) {
	if err := os.MkdirAll(filepath.Join(dir, liveDir), 0o755); err != nil {
		return nil, fmt.Errorf("open records: %w", err)
	}
	lock, err := file.LockDir(dir)
	switch {
	case errors.Is(err, file.ErrInUse):
		return nil, fmt.Errorf("%s: %w", dir, ErrInUse)
	case err != nil:
		return nil, fmt.Errorf("lock records %s: %w", dir, err)
	}
	a := &Archive{dir: dir, lock: lock, sync: (*os.File).Sync}
	if a.repairs, err = repairNewest(dir); err == nil {
		err = a.readJournals()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open records: %w", err), lock.Close())
	}
	return a, nil
}

// InUse reports whether a program holds the archive in a folder open. It changes
// nothing there.
func InUse(dir string) bool { return dir != "" && file.DirInUse(dir) }

// Repairs returns what Open repaired.
func (a *Archive) Repairs() []Repair { return a.repairs }

// SetSync replaces fsync, so that tests can simulate a slow or full disk. It must be
// called before anything is saved.
func (a *Archive) SetSync(sync func(*os.File) error) { a.sync = sync }

// Close writes the pending games and unlocks the folder. Journals must be closed
// before.
func (a *Archive) Close() error { return errors.Join(a.Flush(), a.lock.Close()) }

// Save appends a game to the file of the month in which it was created, syncs the
// file, and deletes the game's journal, which must be closed. A game that cannot be
// written is kept in memory and written before the next one.
func (a *Archive) Save(g *Game) error {
	a.enqueue(&pendingGame{id: g.ID, file: monthFileOf(g), text: g.PGN().String()})
	if pending, err := a.flush(); err != nil {
		return fmt.Errorf("save game %s (%d pending): %w", g.ID, pending, err)
	}
	return nil
}

func (a *Archive) enqueue(p *pendingGame) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if l := a.journals[p.id]; l != nil {
		l.state = nil // it is finished
	}
	a.pending = append(a.pending, p)
	a.pending = a.pending[max(0, len(a.pending)-maxPending):]
}

// Flush writes the games that could not be written before.
func (a *Archive) Flush() error {
	if pending, err := a.flush(); err != nil {
		return fmt.Errorf("save %d pending games: %w", pending, err)
	}
	return nil
}

// flush writes the pending games, oldest first, and returns how many remain.
func (a *Archive) flush() (pending int, err error) {
	a.disk.Lock()
	defer a.disk.Unlock()
	a.mu.Lock()
	list := slices.Clone(a.pending)
	a.mu.Unlock()
	for i, p := range list {
		if err := a.save(p); err != nil {
			return len(list) - i, err
		}
		a.mu.Lock()
		a.pending = slices.DeleteFunc(a.pending, func(other *pendingGame) bool { return other == p })
		a.mu.Unlock()
	}
	return 0, nil
}

// hasFound reports whether Open found a journal of the game.
func (a *Archive) hasFound(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.journals[id]
	return l != nil && l.found
}

// save writes a game, unless it is on disk already because a crash came between
// writing it and deleting its journal, and deletes the journal.
func (a *Archive) save(p *pendingGame) error {
	path := filepath.Join(a.dir, p.file)
	if !p.onDisk && (!a.hasFound(p.id) || !containsGame(path, p.id)) {
		if err := a.appendGame(p); err != nil {
			return err
		}
	}
	p.onDisk = true
	if err := file.SyncDir(a.dir); err != nil { // the file may be new
		return err
	}
	return a.removeJournal(p.id)
}

// appendGame appends a game to its file, all or nothing.
func (a *Archive) appendGame(p *pendingGame) error {
	f, err := os.OpenFile(filepath.Join(a.dir, p.file), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := repairEnd(f)
	if err != nil {
		return err
	}
	if _, err = f.WriteAt([]byte(end.separator+p.text), end.size); err == nil {
		err = a.sync(f)
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end.size))
	}
	return nil
}

// containsGame reports whether a file contains a game, whole; false for a file that cannot
// be read, since a duplicate is better than a lost game.
func containsGame(path, id string) bool {
	err := scan(context.Background(), path, 0, func(g *FinishedGame, h *pgn.Header) error {
		if g.ID == id && !h.Truncated {
			return errFound
		}
		return nil
	})
	return errors.Is(err, errFound)
}

var errFound = errors.New("the game is there")
