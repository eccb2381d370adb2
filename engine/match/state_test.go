package match

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenState_refuses(t *testing.T) {
	is := settings{Engine: "a", Opponent: "b", Openings: "c"}
	other := is
	other.Opponent = "x"
	header, err := json.Marshal(is)
	if err != nil {
		t.Fatal(err)
	}
	otherHeader, err := json.Marshal(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"another match":         {string(otherHeader) + "\n", "its opponent was x, now b"},
		"another file":          {"[Event \"x\"]\n", "line 1"},
		"a short file":          {"precious", "not the state file"},
		"a bad game":            {string(header) + "\n{\"number\":0,\"white\":\"engine\",\"result\":\"2-0\"}\n", "line 2"},
		"an unknown contestant": {string(header) + "\n{\"number\":0,\"white\":\"me\",\"result\":\"1-0\"}\n", "want engine or opponent"},
		"the wrong contestant":  {string(header) + "\n{\"number\":1,\"white\":\"engine\",\"result\":\"1-0\"}\n", "does not exist"},
	} {
		path := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openState(path, is); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: openState returned %v, want %q", name, err, c.want)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != c.text {
			t.Errorf("%s: the file is now %q, %v", name, after, err)
		}
	}
}

func FuzzParseState(f *testing.F) {
	f.Add([]byte("{}\n{\"number\":1,\"white\":\"opponent\",\"result\":\"1-0\",\"ending\":\"checkmate\"}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		games, _, err := parseState(text)
		if err != nil {
			return
		}
		s := newSummary(&Config{})
		for _, g := range games {
			s.add(&g, &g)
		}
		if s.Wins+s.Draws+s.Losses != len(games) || s.Pentanomial.Pairs() != len(games) {
			t.Errorf("%d games were counted as %+v", len(games), s)
		}
	})
}
