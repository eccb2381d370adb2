package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// Archive is a folder with the games of a bot. It is safe for concurrent use;
// one program at a time writes to it.
type Archive struct {
	dir     string
	lock    *flock.Flock
	repairs []Repair
	sync    func(*os.File) error

	disk sync.Mutex // held while files change; a game that must move never waits for it

	mu      sync.Mutex               // held for moments only
	left    map[string]*JournalState // journals found at the start
	pending []*pending               // games that are not written yet
}

// pending is a game as text, and the file it goes to.
type pending struct {
	id, file, text string
	written        bool // only the journal is left to remove
}

// maxPending bounds the games kept in memory while the disk refuses them.
const maxPending = 1000

// ErrInUse is returned by Open while another program writes to the folder.
var ErrInUse = errors.New("another zhbot writes to this folder: stop it, or use another folder")

// Open returns the archive in a folder, which it creates, after mending what a
// crash has torn. Only one program at a time can hold it open.
func Open(dir string) (*Archive, error) {
	if err := os.MkdirAll(filepath.Join(dir, liveDir), 0o755); err != nil {
		return nil, fmt.Errorf("open records: %w", err)
	}
	a := &Archive{dir: dir, lock: flock.New(filepath.Join(dir, ".lock")), sync: (*os.File).Sync}
	switch locked, err := a.lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("lock records %s: %w", dir, err)
	case !locked:
		return nil, fmt.Errorf("lock records %s: %w", dir, ErrInUse)
	}
	if err := a.recover(); err != nil {
		return nil, errors.Join(fmt.Errorf("open records: %w", err), a.lock.Unlock())
	}
	return a, nil
}

// recover mends the files and reads the journals that were left.
func (a *Archive) recover() (err error) {
	if a.repairs, err = mendAll(a.dir); err != nil {
		return err
	}
	a.left, err = readLives(filepath.Join(a.dir, liveDir))
	return err
}

// Repairs returns what Open has mended.
func (a *Archive) Repairs() []Repair { return a.repairs }

// SetSync replaces fsync, so that tests can simulate a slow or full disk. It must be
// called before anything is saved.
func (a *Archive) SetSync(sync func(*os.File) error) { a.sync = sync }

// Close writes what waits for the disk and lets another program write to the
// folder. Journals are closed before.
func (a *Archive) Close() error { return errors.Join(a.Flush(), a.lock.Close()) }

// Save appends a game to the file of the month it began in, waits until it is on
// disk, and removes the game's journal, which must be closed. A game that cannot be
// written is kept, and written before the next one.
func (a *Archive) Save(g *Game) error {
	var text strings.Builder
	if _, err := g.PGN().WriteTo(&text); err != nil {
		return fmt.Errorf("save game %s: %w", g.ID, err)
	}
	a.queue(&pending{id: g.ID, file: g.Created.UTC().Format(monthLayout) + ".pgn", text: text.String()})
	if waiting, err := a.flush(); err != nil {
		return fmt.Errorf("save game %s (%d wait for the disk): %w", g.ID, waiting, err)
	}
	return nil
}

func (a *Archive) queue(p *pending) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending = append(a.pending, p)
	a.pending = a.pending[max(0, len(a.pending)-maxPending):]
}

// Flush writes the games that could not be written yet.
func (a *Archive) Flush() error {
	if waiting, err := a.flush(); err != nil {
		return fmt.Errorf("save %d games that wait for the disk: %w", waiting, err)
	}
	return nil
}

// flush writes what is pending, the oldest first, and returns how many games still
// wait.
func (a *Archive) flush() (waiting int, err error) {
	a.disk.Lock()
	defer a.disk.Unlock()
	for {
		p, n := a.oldest()
		if p == nil {
			return 0, nil
		}
		if err := a.store(p); err != nil {
			return n, err
		}
		a.written(p)
	}
}

// oldest returns the game to be written next, nil for none, and how many there are.
func (a *Archive) oldest() (*pending, int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.pending) == 0 {
		return nil, 0
	}
	return a.pending[0], len(a.pending)
}

// written takes a game out of those that wait.
func (a *Archive) written(p *pending) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending = slices.DeleteFunc(a.pending, func(other *pending) bool { return other == p })
}

// found reports whether the game's journal was found at the start and is not dealt
// with yet.
func (a *Archive) found(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.left[id] != nil
}

func (a *Archive) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.left, id)
}

// store writes a game, unless a crash came between writing it and removing its
// journal, and removes the journal.
func (a *Archive) store(p *pending) error {
	path := filepath.Join(a.dir, p.file)
	if !p.written && (!a.found(p.id) || !contains(path, p.id)) {
		if err := a.write(p); err != nil {
			return err
		}
	}
	p.written = true
	a.forget(p.id)
	return a.removeJournal(p.id)
}

// write appends to a file, all or nothing.
func (a *Archive) write(p *pending) error {
	f, err := os.OpenFile(filepath.Join(a.dir, p.file), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := findEnd(f)
	if err != nil {
		return err
	}
	if len(end.torn) > 0 {
		if err := cut(f, a.dir, end); err != nil {
			return err
		}
	}
	if _, err = f.WriteAt([]byte(end.gap+p.text), end.keep); err == nil {
		err = a.sync(f)
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end.keep))
	}
	if end.keep == 0 {
		return syncDir(a.dir) // the file may be new
	}
	return nil
}

// contains reports whether a file holds a game. One that cannot be read holds
// none: to write a game twice is better than not at all.
func contains(path, id string) bool {
	text, err := os.ReadFile(path)
	return err == nil && strings.Contains(string(text), "\n[GameId \""+id+"\"]\n")
}

// syncDir makes a new file's name last. Windows has no such thing, and needs
// none.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
