package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
)

// State is an open state file, which has the finished parts of a long run as JSON lines: the
// settings of the run, then a line for each part. It is for one goroutine at a time. A nil
// State stores nothing.
type State struct {
	file storage
	lock io.Closer
	err  error // of an Append, after which nothing is written
}

// storage is what a State needs of an [os.File].
type storage interface {
	io.ReadWriteSeeker
	io.Closer
	Truncate(size int64) error
}

// OpenState opens or creates the file of a run with these settings, a struct with JSON
// names, and calls restore with each part in it. A last line cut short by a crash is
// dropped. A file that is not a state file, belongs to a run with other settings,
// or is open in another process ([ErrInUse]) is an error and is left unchanged. Without a
// path the State is nil.
func OpenState[S, P any](path string, settings S, restore func(part P) error) (*State, error) {
	if path == "" {
		return nil, nil
	}
	state, err := OpenOrCreate(path, os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open state file: %w", err)
	}
	lock, err := Lock(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("state file %s: %w", path, err), state.Close())
	}
	f := &State{file: state, lock: lock}
	if err := loadState(f, settings, restore); err != nil {
		return nil, errors.Join(fmt.Errorf("state file %s: %w", path, err), f.Close())
	}
	return f, nil
}

// ReadState returns the settings in the state file of a run, and calls restore with each
// part. The file is left unchanged: an incomplete last line, which another
// process may be writing, is skipped.
func ReadState[S, P any](path string, restore func(part P) error) (settings S, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return settings, fmt.Errorf("read state file: %w", err)
	}
	settings, size, err := parseState(text, func(S) error { return nil }, restore)
	if err == nil && size == 0 {
		err = errors.New("it has no settings yet")
	}
	if err != nil {
		return settings, fmt.Errorf("state file %s: %w", path, err)
	}
	return settings, nil
}

// loadState restores the parts and removes a truncated last line.
func loadState[S, P any](f *State, settings S, restore func(part P) error) error {
	text, err := io.ReadAll(f.file)
	if err != nil {
		return err
	}
	check := func(saved S) error { return compareSettings(saved, settings) }
	_, size, err := parseState(text, check, restore)
	if err != nil {
		return err
	}
	header, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	if size == 0 && !bytes.HasPrefix(header, text) {
		return errors.New("not a state file of this run; it was left unchanged")
	}
	if err := f.file.Truncate(size); err != nil {
		return err
	}
	if size == 0 {
		return f.Append(settings)
	}
	return nil
}

// parseState returns the settings in the first line, all of which must be known and pass
// check, calls restore with each other line, and returns the size of the complete lines.
func parseState[S, P any](text []byte, check func(S) error, restore func(part P) error) (
	settings S, size int64, err error,
) {
	complete := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(complete) == 0 && len(text) > 0 && text[0] != '{' {
		return settings, 0, errors.New("not a state file; it was left unchanged")
	}
	number := 0
	for line := range bytes.Lines(complete) {
		var part P
		if number++; number == 1 {
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err = d.Decode(&settings); err == nil {
				err = check(settings)
			}
		} else if err = json.Unmarshal(line, &part); err == nil {
			err = restore(part)
		}
		if err != nil {
			return settings, 0, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return settings, int64(len(complete)), nil
}

// compareSettings returns an error that names the first of the settings that differs.
func compareSettings[S any](saved, want S) error {
	if d := Differences(saved, want); len(d) > 0 {
		return fmt.Errorf("it belongs to another run or version of zhbot: its %s was %v, now %v; "+
			"use another file, or the same settings and version", d[0].Name, d[0].First, d[0].Second)
	}
	return nil
}

// Difference is a setting that differs between two runs.
type Difference struct {
	Name          string // in JSON
	First, Second any
}

// Differences returns the settings that differ between two runs, which are structs with
// JSON names.
func Differences[S any](first, second S) (differences []Difference) {
	a, b := reflect.ValueOf(first), reflect.ValueOf(second)
	for i := range a.NumField() {
		if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
			differences = append(differences, Difference{name, x, y})
		}
	}
	return differences
}

// Append adds a part, which is then in the file even if the program is killed. After a
// write error, each later Append returns it too.
func (f *State) Append(part any) error {
	if f == nil {
		return nil
	}
	if f.err != nil {
		return f.err
	}
	line, err := json.Marshal(part)
	if err != nil {
		return err
	}
	if _, err := (whole{f.file}).Write(append(line, '\n')); err != nil {
		f.err = fmt.Errorf("write state file: %w", err)
	}
	return f.err
}

// Whole returns a writer to the end of a file, which leaves the file as it was if an entry
// cannot be written: half of it would be joined with the next one.
func Whole(f *os.File) io.Writer { return whole{f} }

type whole struct{ storage }

// Write implements [io.Writer].
func (w whole) Write(entry []byte) (int, error) {
	size, device := w.Seek(0, io.SeekEnd)
	n, err := w.storage.Write(entry)
	if err != nil && device == nil {
		err = errors.Join(err, w.Truncate(size))
	}
	return n, err
}

// Close closes the file.
func (f *State) Close() error {
	if f == nil {
		return nil
	}
	if err := errors.Join(f.file.Close(), f.lock.Close()); err != nil {
		return fmt.Errorf("close state file: %w", err)
	}
	return nil
}
