package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file"
)

// isGiven reports whether all of these settings are set somewhere.
func (s *setup) isGiven(keys []string) bool {
	given := s.Source.Given(s.data)
	return !slices.ContainsFunc(keys, func(key string) bool { return !slices.Contains(given, key) })
}

// adjust answers the questions about what the bot does, and writes the settings.
func (s *setup) adjust(ctx context.Context) error {
	var changes []config.Change
	for _, q := range Questions {
		answer, err := s.answer(ctx, &q)
		if err != nil {
			return err
		}
		changes = append(changes, answer...)
	}
	if s.isSystemService() && !s.isGiven([]string{"records.dir"}) {
		changes = append(changes, config.Change{Key: "records.dir", Value: s.Host.SystemRecords})
	}
	for _, key := range slices.Sorted(maps.Keys(s.Source.Flags)) {
		changes = append(changes, config.Change{Key: key, Value: s.Source.Flags[key]})
	}
	return s.write(ctx, changes)
}

// answer asks a question, unless it is answered already, and returns the changes that the
// answer makes. An answer that keeps the value in force sets it where it is not set yet, so
// that it is not asked again.
func (s *setup) answer(ctx context.Context, q *Question) ([]config.Change, error) {
	current := q.current(s.config)
	chosen := s.Answers.Settings[q.Name]
	switch {
	case chosen != nil:
	case s.isGiven(q.keys) && !(s.Answers.Again && s.prompt != nil):
		s.say("set", "%s: %s", strings.ToLower(q.text), current)
		return nil, nil
	case s.prompt != nil && !s.Answers.Defaults:
		var err error
		if chosen, err = s.ask(ctx, q, current); err != nil {
			return nil, err
		}
	}
	if chosen == nil {
		return s.unset(q.keys), nil
	}
	return q.changes(chosen), nil
}

// unset returns changes that set those settings that are not set yet to the value in force.
func (s *setup) unset(keys []string) (changes []config.Change) {
	for _, key := range keys {
		if !s.isGiven([]string{key}) {
			changes = append(changes, config.Change{Key: key, Value: strings.Trim(config.Format(s.config, key), "[]")})
		}
	}
	return changes
}

// fileHeader is the beginning of a new file of settings.
const fileHeader = `# zhbot's settings, written by "zhbot setup". All others have their defaults, which
# "zhbot config example" lists. "zhbot check" validates this file.
`

// write changes settings in their file. The previous content is kept in a backup.
func (s *setup) write(ctx context.Context, changes []config.Change) error {
	before, exists := s.data, s.data != nil
	if !exists {
		before = []byte(fileHeader)
	}
	after, changes, err := config.Edit(s.Source.File, before, changes)
	if err != nil || len(changes) == 0 {
		return err
	}
	if exists && !s.created && s.prompt != nil {
		for _, c := range changes {
			s.say("set", "%s: %s", c.Key, c.Value)
		}
		if write, err := s.confirm(ctx, fmt.Sprintf("Write this to %s?", s.Source.File), true); err != nil || !write {
			return err
		}
	}
	if err := s.replace(after, exists); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	s.created = s.created || !exists
	s.say("wrote", "%s", s.Source.File)
	return s.load(ctx)
}

// replace writes the file of the settings, readable only by its owner if it is new, and
// copies the previous content to a backup. A symbolic link stays one.
func (s *setup) replace(content []byte, exists bool) error {
	path, mode := s.Source.File, fs.FileMode(0o600)
	if !exists {
		if file.Exists(path) {
			return fmt.Errorf("%s was written in the meantime: run the setup again", path)
		}
		return writeFile(path, content, mode)
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	present, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(present, s.data) {
		return errors.New("the file has changed in the meantime: run the setup again")
	}
	if !s.created {
		if err := writeFile(path+".bak", present, mode); err != nil {
			return fmt.Errorf("keep a backup: %w", err)
		}
	}
	return writeFile(path, content, info.Mode().Perm())
}
