package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/zhbot/zhbot"

// allowed is the architecture: what each package may import of ours. Tests may
// import more.
var allowed = map[string][]string{
	"rules":                  nil,
	"rules/pgn":              {"rules"},
	"engine":                 {"rules", "engine/nnue"},
	"engine/nnue":            {"rules"},
	"engine/book":            {"rules"},
	"engine/uci":             {"rules", "engine", "engine/book"},
	"engine/match":           {"rules", "rules/pgn", "engine", "engine/uci"},
	"engine/tune":            {"rules", "engine/match", "engine/uci"},
	"engine/tune/gentunable": nil,
	"engine/train":           {"rules", "engine", "engine/nnue"},
	"lichess":                nil,
	"lichess/lichesstest":    {"lichess", "rules"},
	"bot":                    {"rules", "rules/pgn", "lichess", "bot/event", "bot/record", "bot/retry", "bot/search", "bot/slots", "bot/postmortem"},
	"bot/event":              {"lichess", "rules", "bot/record", "bot/search"},
	"bot/record":             {"rules", "rules/pgn"},
	"bot/retry":              {"lichess"},
	"bot/search":             {"rules", "rules/pgn"},
	"bot/slots":              nil,
	"bot/web":                {"rules", "bot/event", "bot/record", "bot/search", "bot/slots"},
	"config":                 nil,
	"deploy/release":         nil,
	"bot/postmortem":         {"lichess", "rules", "bot/record"},
}

func TestImports(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for in := json.NewDecoder(strings.NewReader(string(out))); ; seen++ {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		may, known := allowed[name]
		if name == "cmd/zhbot" {
			continue
		}
		if !known {
			t.Errorf("package %s is not in the table", name)
		}
		for _, path := range p.Imports {
			if ours, ok := strings.CutPrefix(path, module+"/"); ok && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s, which it may not", name, ours)
			}
			if name == "rules" && strings.Contains(path, ".") {
				t.Errorf("rules imports %s, but only the standard library is allowed", path)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d packages listed", seen)
	}
}
