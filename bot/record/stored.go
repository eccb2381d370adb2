package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/zhbot/zhbot/internal/file"
)

// Stored keeps a value in a JSON file, which each update replaces atomically. It is safe
// for concurrent use by one program.
type Stored[T any] struct {
	name string // of the file
	path string // "" for a value that is not written to disk

	sync func(*os.File) error

	mu   sync.Mutex // never held during I/O
	data T

	writeMu sync.Mutex // held while the file is written
	written []byte     // its text, if this run has written it
}

// newStored returns a zero value that is not written to disk.
func newStored[T any](name string) *Stored[T] { return &Stored[T]{name: name, sync: (*os.File).Sync} }

// openStored reads a file in a folder, which it creates if necessary. A missing
// file is a zero value. What cannot be parsed, or is no file at all, is set aside, and openStored
// returns both what can be parsed and an error that names it. After any other error
// the value is zero and not written to disk. It is usable whatever the error.
func openStored[T any](dir, name string) (*Stored[T], error) {
	f := newStored[T](name)
	if _, err := file.MakeDir(dir); err != nil {
		return f, fmt.Errorf("open %s: %w", name, err)
	}
	f.path = filepath.Join(dir, name)
	var err error
	f.data, err = file.ReadJSON[T](f.path)
	switch {
	case err == nil:
	case errors.Is(err, file.ErrNotRegular):
		err = file.SetAside(f.path, err)
	case !errors.As(err, new(*fs.PathError)):
		err = errors.Join(file.SetAside(f.path, err), f.Update(func(*T) {})) // or each run sets it aside again
	default:
		f.path = "" // an update would replace what may be readable in the next run
	}
	return f, err
}

// IsStored reports whether updates are written to disk.
func (f *Stored[T]) IsStored() bool { return f.path != "" }

// View calls read with the data, which it must not keep or change.
func (f *Stored[T]) View(read func(*T)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	read(&f.data)
}

// Update changes the data and waits until the file is on disk. If writing fails, the
// change stays in memory and is written with the next one.
func (f *Stored[T]) Update(change func(*T)) error {
	f.View(change)
	if f.path == "" {
		return nil
	}
	f.writeMu.Lock()
	defer f.writeMu.Unlock()
	var text []byte
	var err error
	f.View(func(d *T) { text, err = json.MarshalIndent(d, "", "\t") })
	text = append(text, '\n')
	if err == nil && !bytes.Equal(text, f.written) { // else written with a later update
		err = file.ReplaceSynced(f.path, text, 0o600, f.sync)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", f.name, err)
	}
	f.written = text
	return nil
}

// Change changes the data, which the next Update writes.
func (f *Stored[T]) Change(change func(*T)) { f.View(change) }

// UpdateDurably is Update, with an error if the change is lost when the program ends.
func (f *Stored[T]) UpdateDurably(change func(*T)) error {
	err := f.Update(change)
	if err == nil && !f.IsStored() {
		err = fmt.Errorf("there is no %s: records.dir is not set, or the file cannot be read", f.name)
	}
	if err != nil {
		return fmt.Errorf("only until the program ends: %w", err)
	}
	return nil
}

// SetSync replaces fsync, so that tests can simulate a slow or full disk. It must be
// called before the first change.
func (f *Stored[T]) SetSync(sync func(*os.File) error) { f.sync = sync }
