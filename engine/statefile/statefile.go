// Package statefile keeps the finished parts of a long run in a file, with which the run
// can be continued after an interruption.
//
// The file has JSON lines: the settings of the run, then a line for each part. [Open]
// opens it and restores the parts, [File.Append] adds one.
package statefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
)

// File is an open state file, for one goroutine at a time. A nil File keeps nothing.
type File struct{ file *os.File }

// Open opens or creates the file of a run with these settings, a struct with JSON names,
// and calls restore with the line of each part in it. A last line cut short by a crash is
// dropped. A file of something else or of a run with other settings is an error and stays
// as it is. Without a path the File is nil.
func Open[S any](path string, settings S, restore func(line []byte) error) (*File, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) //nolint:gosec // no secret
	if err != nil {
		return nil, fmt.Errorf("open state file: %w", err)
	}
	if err := load(f, settings, restore); err != nil {
		return nil, errors.Join(fmt.Errorf("state file %s: %w", path, err), f.Close())
	}
	return &File{f}, nil
}

// load restores the parts and removes a truncated last line.
func load[S any](f *os.File, settings S, restore func(line []byte) error) error {
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	complete := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(complete) == 0 && len(text) > 0 && text[0] != '{' {
		return errors.New("not a state file; it was left unchanged")
	}
	number := 0
	for line := range bytes.Lines(complete) {
		number++
		if number == 1 {
			err = compare(line, settings)
		} else {
			err = restore(line)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	size := int64(len(complete))
	if err := f.Truncate(size); err != nil {
		return err
	}
	if _, err := f.Seek(size, io.SeekStart); err != nil {
		return err
	}
	if number == 0 {
		return (&File{f}).Append(settings)
	}
	return nil
}

// compare returns an error that names the first of the settings in a line that differs.
func compare[S any](line []byte, want S) error {
	var saved S
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&saved); err != nil {
		return err
	}
	a, b := reflect.ValueOf(saved), reflect.ValueOf(want)
	for i := range a.NumField() {
		if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			return fmt.Errorf("it belongs to another run: its %s was %v, now %v; use another file or the same settings",
				a.Type().Field(i).Tag.Get("json"), x, y)
		}
	}
	return nil
}

// Append adds a part, which is then in the file even if the program is killed.
func (f *File) Append(part any) error {
	if f == nil {
		return nil
	}
	line, err := json.Marshal(part)
	if err != nil {
		return err
	}
	if _, err := f.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write state file: %w", err)
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	if err := f.file.Close(); err != nil {
		return fmt.Errorf("close state file: %w", err)
	}
	return nil
}
