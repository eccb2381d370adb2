package file_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/fixture"
)

type settings struct {
	Engine string `json:"engine"`
	Levels []int  `json:"levels"`
}

var current = settings{"a", []int{1, 2}}

const header = `{"engine":"a","levels":[1,2]}` + "\n"

// open opens a state file and returns the parts in it, which are numbers.
func open(path string) (f *file.State, parts []int, err error) {
	f, err = file.OpenState(path, current, func(n int) error {
		parts = append(parts, n)
		return nil
	})
	return f, parts, err
}

func writeState(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "state")
	fixture.Write(t, path, text)
	return path
}

// Whatever a crash has left, the file has the whole lines and what is appended to them.
func TestOpenState_Continues(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []int
	}{
		"a new file":           {"", nil},
		"settings only":        {header, nil},
		"truncated settings":   {header[:12], nil},
		"settings, no newline": {strings.TrimSpace(header), nil},
		"parts":                {header + "1\n2\n", []int{1, 2}},
		"a truncated last one": {header + "1\n23", []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeState(t, tt.text)
			f, parts, err := open(path)
			if err != nil || !slices.Equal(parts, tt.want) {
				t.Fatalf("restored %v, %v, want %v", parts, err, tt.want)
			}
			if err := f.Append(7); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			f, parts, err = open(path)
			if want := append(tt.want, 7); err != nil || !slices.Equal(parts, want) {
				t.Fatalf("then restored %v, %v, want %v", parts, err, want)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOpenState_Refuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"other settings":     {strings.Replace(header, `"a"`, `"b"`, 1), "its engine was b, now a; use another file"},
		"other lists":        {strings.Replace(header, `[1`, `[3`, 1), "its levels was [3 2], now [1 2]"},
		"settings of others": {"{\"events\":1}\n", "line 1"},
		"another file":       {"[Event \"x\"]\n", "line 1"},
		"a short file":       {"precious", "not a state file"},
		"a file of one line": {`{"my":"important data"}`, "not a state file of this run"},
		"a longer line":      {strings.TrimSpace(header) + " ", "not a state file of this run"},
		"a bad part":         {header + "1\nx\n", "line 3"},
	} {
		path := writeState(t, tt.text)
		_, _, err := open(path)
		if text := fmt.Sprint(err); !strings.Contains(text, tt.want) || !strings.Contains(text, path) {
			t.Errorf("%s: OpenState returned %v, want %q", name, err, tt.want)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != tt.text {
			t.Errorf("%s: the file is now %q, %v", name, after, err)
		}
	}
	if _, _, err := open(t.TempDir()); err == nil {
		t.Error("a directory is opened")
	}
}

// Without a file nothing is kept, and nothing fails.
func TestOpenState_NoPath(t *testing.T) {
	f, parts, err := open("")
	if f != nil || parts != nil || err != nil {
		t.Fatalf("OpenState returned %v, %v, %v", f, parts, err)
	}
	if err := f.Append(1); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// A file is read while another process writes it, and stays as it is.
func TestReadState(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []int
		err  string
	}{
		"parts":                  {header + "1\n2\n", []int{1, 2}, ""},
		"settings only":          {header, nil, ""},
		"a part being written":   {header + "1\n23", []int{1}, ""},
		"settings being written": {header[:12], nil, "no settings yet"},
		"a new file":             {"", nil, "no settings yet"},
		"other settings":         {`{"events":1}` + "\n", nil, "line 1"},
		"another file":           {"precious", nil, "not a state file"},
		"a bad part":             {header + "1\nx\n", []int{1}, "line 3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeState(t, tt.text)
			var parts []int
			got, err := file.ReadState[settings](path, func(n int) error {
				parts = append(parts, n)
				return nil
			})
			switch {
			case !slices.Equal(parts, tt.want):
				t.Errorf("restored %v, want %v", parts, tt.want)
			case tt.err == "" && (err != nil || got.Engine != current.Engine):
				t.Errorf("ReadState returned %v, %v", got, err)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) ||
				!strings.Contains(err.Error(), path)):
				t.Errorf("ReadState returned %v, want %q", err, tt.err)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != tt.text {
				t.Errorf("the file is now %q, %v", after, err)
			}
		})
	}
	if _, err := file.ReadState[settings, int](filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file ReadState returned %v", err)
	}
}

func TestDifferences(t *testing.T) {
	if d := file.Differences(current, settings{"a", []int{1, 2}}); d != nil {
		t.Errorf("equal settings differ: %v", d)
	}
	want := []file.Difference{
		{Name: "engine", First: "a", Second: "b"}, {Name: "levels", First: current.Levels, Second: []int{3}},
	}
	if diff := cmp.Diff(want, file.Differences(current, settings{"b", []int{3}})); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}

// Two processes never write one file, but one can be read while it is written.
func TestOpenState_InUse(t *testing.T) {
	path := writeState(t, header+"1\n")
	f, _, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(path); !errors.Is(err, file.ErrInUse) || !strings.Contains(err.Error(), path) {
		t.Errorf("opened a second time: %v, want %v", err, file.ErrInUse)
	}
	if err := f.Append(2); err != nil {
		t.Error(err)
	}
	var parts int
	if _, err := file.ReadState[settings](path, func(int) error { parts++; return nil }); err != nil || parts != 2 {
		t.Errorf("read %d parts, %v, want 2", parts, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	again, _, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
