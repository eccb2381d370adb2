package match

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// settings must be the same for a match to be continued. The number of games, the
// concurrency and the SPRT may change.
type settings struct {
	Engine       string        `json:"engine"`
	Opponent     string        `json:"opponent"`
	Openings     string        `json:"openings"`
	Margin       time.Duration `json:"margin"`
	Adjudication Adjudication  `json:"adjudication"`
}

func (c *Config) settings() settings {
	return settings{
		Engine:       c.Engine.Command + " at " + c.Engine.Limit.String(),
		Opponent:     c.Opponent.Command + " at " + c.Opponent.Limit.String(),
		Openings:     c.OpeningsName,
		Margin:       c.Margin,
		Adjudication: c.Adjudication,
	}
}

// state is a file of JSON lines: the settings, then each finished game. It is append-only;
// a truncated last line is dropped.
type state struct {
	file  *os.File
	games []Game // of earlier runs
}

// openState opens or creates a state file and reads its games. The file of another match
// is an error.
func openState(path string, want settings) (*state, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open state file: %w", err)
	}
	s := &state{file: f}
	if err := s.load(want); err != nil {
		f.Close()
		return nil, fmt.Errorf("state file %s: %w", path, err)
	}
	return s, nil
}

// load reads the file and positions it after its last complete line.
func (s *state) load(want settings) error {
	text, err := io.ReadAll(s.file)
	if err != nil {
		return err
	}
	complete := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(complete) == 0 && len(text) > 0 && text[0] != '{' {
		return errors.New("not the state file of a match; it was left unchanged")
	}
	var saved settings
	if s.games, saved, err = parseState(complete); err != nil {
		return err
	}
	if err := s.file.Truncate(int64(len(complete))); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	if len(complete) == 0 {
		return s.write(want)
	}
	return saved.diff(want)
}

func parseState(text []byte) (games []Game, saved settings, err error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		if number == 1 {
			d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			d.DisallowUnknownFields()
			err = d.Decode(&saved)
		} else {
			var g Game
			if err = json.Unmarshal(lines.Bytes(), &g); err == nil {
				err = g.check()
			}
			games = append(games, g)
		}
		if err != nil {
			return nil, saved, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return games, saved, lines.Err()
}

// diff returns an error that names the first setting that differs.
func (s settings) diff(want settings) error {
	for _, c := range []struct {
		name        string
		saved, want any
	}{
		{"engine", s.Engine, want.Engine},
		{"opponent", s.Opponent, want.Opponent},
		{"openings", s.Openings, want.Openings},
		{"margin", s.Margin, want.Margin},
		{"adjudication", s.Adjudication, want.Adjudication},
	} {
		if c.saved != c.want {
			return fmt.Errorf("it belongs to another match: its %s was %v, now %v; use another file or the same settings", c.name, c.saved, c.want)
		}
	}
	return nil
}

// add appends a game.
func (s *state) add(g *Game) error {
	if err := s.write(g); err != nil {
		return fmt.Errorf("write game %d to the state file: %w", g.Number, err)
	}
	return nil
}

func (s *state) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(line, '\n'))
	return err
}

// close closes the file, if it is open.
func (s *state) close() error {
	if err := s.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("close state file: %w", err)
	}
	return nil
}
