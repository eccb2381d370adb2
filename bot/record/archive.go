package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Archive is a folder with the games of a bot. It is safe for concurrent use. Only
// one program at a time can hold it open.
type Archive struct {
	dir     string
	repairs []Repair
	sync    func(*os.File) error

	// Observe is called after each attempt to write, in order; it must return immediately, and
	// be set before anything is saved.
	Observe func(Backlog)

	disk   sync.Mutex // held while files are written; a game in progress never waits for it
	lock   io.Closer
	locked fs.FileInfo // the file that lock has locked

	live *Stored[liveGames]

	mu      sync.Mutex      // never held during I/O
	found   map[string]bool // the games in progress that Open found: a crash may have come after they were written
	pending []*pendingGame  // games still to be written, oldest first
	backlog Backlog
}

// pendingGame is a game as PGN text and the file it belongs to.
type pendingGame struct {
	id, file, text string
	appended       bool // the folder remains to be synced
}

// Backlog counts the finished games that an archive has not written.
type Backlog struct {
	Waiting int       `json:"waiting"`          // in memory
	Dropped int       `json:"dropped"`          // since too many waited
	Since   time.Time `json:"since,omitzero"`   // when writing began to fail; zero if it does not
	Reason  string    `json:"reason,omitempty"` // why it does
}

// String describes the backlog.
func (b Backlog) String() string {
	text := fmt.Sprintf("finished games waiting to be written: %d, dropped: %d", b.Waiting, b.Dropped)
	if !b.Since.IsZero() {
		text += b.Since.Local().Format("; nothing is written since 15:04 MST on 2 January")
	}
	if b.Reason != "" {
		text += ": " + b.Reason
	}
	return text
}

// maxPending bounds the games kept in memory while writing fails.
const maxPending = 1000

var (
	// ErrInUse is returned by Open while another program writes to the folder.
	ErrInUse = file.ErrInUse
	errMoved = errors.New("the folder was removed or renamed: it is made again, with the finished games that waited")
)

// Open returns the archive in a folder, which it creates if necessary, after moving
// away games that a crash truncated. It fails with [ErrInUse] while another program
// holds the archive open.
func Open(dir string) (*Archive, error) {
	a := &Archive{
		dir: dir, lock: io.NopCloser(nil), found: map[string]bool{},
		sync: (*os.File).Sync, Observe: func(Backlog) {},
	}
	if _, err := a.relock(); err != nil {
		return nil, err
	}
	a.repairs = repairNewest(dir)
	a.openLive()
	return a, nil
}

// relock makes the folder and locks it, unless it is the one that is locked: it was removed
// or renamed since, and another program may use what is there now.
func (a *Archive) relock() (moved, err error) {
	if os.SameFile(a.locked, file.StatDirLock(a.dir)) {
		return nil, nil
	}
	var lock io.Closer
	if _, err = file.MakeDir(a.dir); err == nil {
		lock, err = file.LockDir(a.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open records %s: %w", a.dir, err)
	}
	_ = a.lock.Close() // of the folder that was removed or renamed
	a.lock, a.locked = lock, file.StatDirLock(a.dir)
	return errMoved, nil
}

// InUse reports whether a program holds the archive in a folder open. It changes
// nothing there.
func InUse(dir string) bool { return dir != "" && file.DirInUse(dir) }

// Repairs returns what Open repaired.
func (a *Archive) Repairs() []Repair { return a.repairs }

// SetSync replaces fsync, so that tests can simulate a slow or full disk. It must be
// called before anything is saved.
func (a *Archive) SetSync(sync func(*os.File) error) {
	a.sync = sync
	a.live.SetSync(sync)
}

// Close writes all games and unlocks the folder; it fails if a finished game is lost.
func (a *Archive) Close() error {
	_ = a.Flush()
	var err error
	if b := a.Backlog(); b.Waiting+b.Dropped > 0 {
		err = errors.New(b.String())
	}
	_ = a.WriteLive() // or the next run lacks evaluations of the games in progress
	return errors.Join(err, a.lock.Close())
}

// Backlog returns what is still to be written.
func (a *Archive) Backlog() Backlog {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.backlog
}

// Save appends a game to the file of the month in which it was created, and syncs the
// file. A game that cannot be written is kept in memory and written before the next one.
func (a *Archive) Save(g *Game) error {
	p := &pendingGame{id: g.ID, file: monthFileOf(g), text: g.PGN().String()}
	a.mu.Lock()
	a.pending = append(a.pending, p)
	extra := max(0, len(a.pending)-maxPending)
	a.pending = a.pending[extra:]
	a.backlog.Waiting, a.backlog.Dropped = len(a.pending), a.backlog.Dropped+extra
	a.mu.Unlock()
	if err := a.Flush(); err != nil {
		return fmt.Errorf("save game %s: %w", g.ID, err)
	}
	return nil
}

// Flush writes the games that could not be written before, oldest first.
func (a *Archive) Flush() error {
	a.disk.Lock()
	defer a.disk.Unlock()
	moved, err := a.relock()
	a.mu.Lock()
	defer a.mu.Unlock()
	b := &a.backlog
	for err == nil && len(a.pending) > 0 {
		p := a.pending[0]
		a.mu.Unlock()
		err = a.save(p)
		a.mu.Lock()
		if err == nil && a.pending[0] == p { // not dropped meanwhile
			a.pending = a.pending[1:]
		}
	}
	if err == nil {
		*b, err = Backlog{Dropped: b.Dropped}, moved
	} else {
		*b = Backlog{len(a.pending), b.Dropped, cmp.Or(b.Since, time.Now()), err.Error()}
		err = errors.New(b.String())
	}
	a.Observe(*b)
	return err
}

// wasFound reports whether Open found the game in progress.
func (a *Archive) wasFound(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.found[id]
}

// save writes a game, unless it is on disk already because a crash came before it was
// no longer in progress.
func (a *Archive) save(p *pendingGame) error {
	path := filepath.Join(a.dir, p.file)
	if !p.appended && !a.wasFound(p.id) || !containsGame(path, p.id) {
		if err := a.appendGame(p); err != nil {
			return err
		}
	}
	p.appended = true
	if err := file.SyncDir(a.dir); err != nil { // the file may be new
		return err
	}
	a.Untrack(p.id)
	return nil
}

// appendGame appends a game to its file, all or nothing.
func (a *Archive) appendGame(p *pendingGame) error {
	f, err := file.OpenOrCreate(filepath.Join(a.dir, p.file), os.O_RDWR, 0o644)
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
