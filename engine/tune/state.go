package tune

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
)

// State is the state of tuning after some iterations.
type State struct {
	Parameters []Parameter
	Iterations int         // finished
	Values     []float64   // current values of the parameters
	history    [][]float64 // the values after each iteration
}

func newState(parameters []Parameter) *State {
	s := &State{Parameters: parameters}
	for _, p := range parameters {
		s.Values = append(s.Values, p.Start)
	}
	s.history = [][]float64{slices.Clone(s.Values)}
	return s
}

// add records an iteration, after its change of the values.
func (s *State) add() {
	s.Iterations++
	s.history = append(s.history, slices.Clone(s.Values))
}

// settings must be the same for tuning to be continued.
type settings struct {
	Command    string      `json:"command"`
	Options    string      `json:"options"`
	Parameters []Parameter `json:"parameters"`
	Limit      string      `json:"limit"`
	Iterations int         `json:"iterations"`
	Rate       float64     `json:"rate"`
	Seed       uint64      `json:"seed"`
}

func (c *Config) settings() settings {
	return settings{
		Command: c.Command, Options: fmt.Sprint(c.Options), Parameters: c.Parameters, Limit: c.Limit.String(),
		Iterations: c.Iterations, Rate: c.schedule().rate, Seed: c.Seed,
	}
}

// iteration is a line of the state file.
type iteration struct {
	Number int       `json:"iteration"`
	Points float64   `json:"points"`
	Values []float64 `json:"values"` // after it
}

// stateFile is a file of JSON lines: the settings, then each finished iteration. It is
// append-only; a truncated last line is dropped.
type stateFile struct{ file *os.File }

// openFile opens or creates a state file and restores the state from it. A file with other
// settings is an error.
func openFile(path string, want settings, s *State) (*stateFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) //nolint:gosec // no secret
	if err != nil {
		return nil, fmt.Errorf("open state file: %w", err)
	}
	o := &stateFile{f}
	if err := o.load(want, s); err != nil {
		_ = f.Close() // the first error matters
		return nil, fmt.Errorf("state file %s: %w", path, err)
	}
	return o, nil
}

func (o *stateFile) load(want settings, s *State) error {
	text, err := io.ReadAll(o.file)
	if err != nil {
		return err
	}
	complete := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(complete) == 0 && len(text) > 0 {
		return errors.New("not a state file of tuning; it was left unchanged")
	}
	if err := parseState(complete, want, s); err != nil {
		return err
	}
	if err := o.file.Truncate(int64(len(complete))); err != nil {
		return err
	}
	if _, err := o.file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	if len(complete) == 0 {
		return o.write(want)
	}
	return nil
}

func parseState(text []byte, want settings, s *State) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		if number == 1 {
			var saved settings
			if err := json.Unmarshal(lines.Bytes(), &saved); err != nil {
				return fmt.Errorf("line 1: %w", err)
			}
			if !reflect.DeepEqual(saved, want) {
				return fmt.Errorf("it has other settings; use another file or the same settings: %+v", saved)
			}
			continue
		}
		var i iteration
		err := json.Unmarshal(lines.Bytes(), &i)
		if err == nil && len(i.Values) != len(s.Values) {
			err = fmt.Errorf("%d values, want %d", len(i.Values), len(s.Values))
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		copy(s.Values, i.Values)
		s.add()
	}
	return lines.Err()
}

func (o *stateFile) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = o.file.Write(append(line, '\n'))
	return err
}

func (o *stateFile) close() error {
	if err := o.file.Close(); err != nil {
		return fmt.Errorf("close state file: %w", err)
	}
	return nil
}

// pathWidth is the number of points of a path.
const pathWidth = 40

// Table returns for each parameter its start, its current value, the difference in steps,
// and its path between its bounds.
func (s *State) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "parameter\tstart\tnow\tsteps\tpath\n")
	for i, p := range s.Parameters {
		fmt.Fprintf(w, "%s\t%g\t%.0f\t%+.1f\t%s\n", p.Name, p.Start, math.Round(s.Values[i]), (s.Values[i]-p.Start)/p.Step, s.path(i))
	}
	_ = w.Flush() // a strings.Builder does not fail
	return b.String()
}

// levels show a value between its bounds.
var levels = []rune("▁▂▃▄▅▆▇█")

// path draws how a value has changed between its bounds.
func (s *State) path(i int) string {
	p := s.Parameters[i]
	var b strings.Builder
	for x := range pathWidth {
		v := s.history[x*(len(s.history)-1)/(pathWidth-1)][i]
		level := int((v - p.Min) / (p.Max - p.Min) * float64(len(levels)))
		b.WriteRune(levels[min(max(level, 0), len(levels)-1)])
	}
	return b.String()
}
