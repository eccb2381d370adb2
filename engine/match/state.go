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

// settings are what must be the same for a match to be continued. The number
// of games, their concurrency and the SPRT may change.
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

// state is a file of JSON lines: the settings, then each finished game. It is
// only ever added to; a line that was cut short by a crash is dropped.
type state struct {
	file  *os.File
	games []Game // those of earlier runs
}

// openState opens or creates a state file and reads the games in it. It
// refuses the file of another match.
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

// load reads the file and leaves it open behind its last whole line.
func (s *state) load(want settings) error {
	text, err := io.ReadAll(s.file)
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(whole) == 0 && len(text) > 0 && text[0] != '{' {
		return errors.New("it is no state file of a match: nothing was changed in it")
	}
	var had settings
	if s.games, had, err = parseState(whole); err != nil {
		return err
	}
	if err := s.file.Truncate(int64(len(whole))); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	if len(whole) == 0 {
		return s.write(want)
	}
	return had.diff(want)
}

func parseState(text []byte) (games []Game, had settings, err error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		if number == 1 {
			d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			d.DisallowUnknownFields()
			err = d.Decode(&had)
		} else {
			var g Game
			if err = json.Unmarshal(lines.Bytes(), &g); err == nil {
				err = g.check()
			}
			games = append(games, g)
		}
		if err != nil {
			return nil, had, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return games, had, lines.Err()
}

// diff says in what a match differs from the one that is to be continued.
func (s settings) diff(want settings) error {
	for _, c := range []struct {
		name      string
		had, want any
	}{
		{"engine", s.Engine, want.Engine},
		{"opponent", s.Opponent, want.Opponent},
		{"openings", s.Openings, want.Openings},
		{"margin", s.Margin, want.Margin},
		{"adjudication", s.Adjudication, want.Adjudication},
	} {
		if c.had != c.want {
			return fmt.Errorf("it is of another match: its %s was %v, now it is %v; give another file, or the same settings", c.name, c.had, c.want)
		}
	}
	return nil
}

// add keeps a game.
func (s *state) add(g *Game) error {
	if err := s.write(g); err != nil {
		return fmt.Errorf("keep game %d in the state file: %w", g.Number, err)
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

// close closes the file; again, it does nothing.
func (s *state) close() error {
	if err := s.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("close state file: %w", err)
	}
	return nil
}
