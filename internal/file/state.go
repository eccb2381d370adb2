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
	size int64
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
	state, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) //nolint:gosec // no secret
	if err != nil {
		return nil, fmt.Errorf("open state file: %w", err)
	}
	lock, err := Lock(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("state file %s: %w", path, err), state.Close())
	}
	f := &State{file: state, lock: lock}
	if err := loadState(f, settings, restore); err != nil {
		return nil, errors.Join(fmt.Errorf("state file %s: %w", path, err), state.Close(), lock.Close())
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
	_, lines, err := parseState(text, func(line []byte) error {
		settings, err = decodeSettings[S](line)
		return err
	}, restore)
	if err == nil && lines == 0 {
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
	size, lines, err := parseState(text, func(line []byte) error { return compareSettings(line, settings) }, restore)
	if err != nil {
		return err
	}
	header, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	if lines == 0 && !bytes.HasPrefix(header, text) {
		return errors.New("not a state file of this run; it was left unchanged")
	}
	if err := f.file.Truncate(size); err != nil {
		return err
	}
	if f.size, err = f.file.Seek(size, io.SeekStart); err != nil {
		return err
	}
	if lines == 0 {
		return f.Append(settings)
	}
	return nil
}

// parseState calls header with the first line and restore with each other one, and returns the
// size and the number of the complete lines.
func parseState[P any](text []byte, header func(line []byte) error, restore func(part P) error) (size int64, lines int, err error) {
	complete := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(complete) == 0 && len(text) > 0 && text[0] != '{' {
		return 0, 0, errors.New("not a state file; it was left unchanged")
	}
	for line := range bytes.Lines(complete) {
		if lines++; lines == 1 {
			err = header(line)
		} else {
			var part P
			if err = json.Unmarshal(line, &part); err == nil {
				err = restore(part)
			}
		}
		if err != nil {
			return 0, lines, fmt.Errorf("line %d: %w", lines, err)
		}
	}
	return int64(len(complete)), lines, nil
}

// decodeSettings decodes settings, all of which must be known.
func decodeSettings[S any](line []byte) (settings S, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err = d.Decode(&settings)
	return settings, err
}

// compareSettings returns an error that names the first of the settings in a line that differs.
func compareSettings[S any](line []byte, want S) error {
	saved, err := decodeSettings[S](line)
	if err != nil {
		return err
	}
	if d := Differences(saved, want); len(d) > 0 {
		return fmt.Errorf("it belongs to another run or version of zhbot: its %s was %v, now %v; use another file, or the same settings and version", d[0].Name, d[0].First, d[0].Second)
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
	n, err := f.file.Write(append(line, '\n'))
	if err != nil {
		// Half a line would be joined with the next one.
		f.err = fmt.Errorf("write state file: %w", errors.Join(err, f.file.Truncate(f.size)))
		return f.err
	}
	f.size += int64(n)
	return nil
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
