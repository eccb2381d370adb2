package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/zhbot/zhbot/"

// layer is a folder of the program, with the others that its packages may import.
type layer struct {
	folder  string
	imports []string
}

// layers are listed with the lowest first, and a folder before the one that contains it;
// docs/architecture.md describes them.
var layers = []layer{
	{"", nil}, // the example of the settings
	{"internal/file", nil},
	{"rules", nil},
	{"internal/fixture", []string{"rules"}},
	{"engine/enginetest", []string{"engine", "internal/fixture", "rules"}},
	{"engine/human", []string{"rules"}},
	{"engine", []string{"engine/human", "internal/file", "rules"}},
	{"lichess", []string{"rules"}},
	{"config", []string{"engine/human", "internal/file", "lichess"}},
	{
		"internal/web/live",
		[]string{"bot", "engine", "internal/control", "internal/web", "internal/web/analysis", "lichess", "rules"},
	},
	{"internal/web/play", []string{"engine", "engine/human", "internal/file", "internal/web", "lichess", "rules"}},
	{"internal/web/analysis", []string{"engine", "internal/web", "lichess", "rules"}},
	{"internal/web/webtest", nil},
	{"internal/web", []string{"rules"}},
	{"internal/control", []string{"bot", "config", "internal/file", "internal/term", "internal/web", "lichess"}},
	{"internal/term", nil},
	{"bot", []string{"config", "engine", "engine/human", "internal/file", "lichess", "rules"}},
	{"internal", strings.Fields("bot config engine engine/human internal/control internal/file internal/term " +
		"internal/web internal/web/live internal/web/webtest lichess rules")},
	{"cmd", append(strings.Fields("bot config engine engine/human internal internal/control internal/file "+
		"internal/term "+
		"internal/web internal/web/live internal/web/analysis internal/web/play lichess rules"), "")},
}

// These packages are the library: they are useful without the rest of their layer.
var alone = map[string][]string{
	"rules":       {},
	"engine":      {"engine/human", "engine/nnue", "engine/simd", "rules"},
	"engine/nnue": {"engine/simd", "rules"},
	"engine/simd": {},
	"lichess":     {},
}

// TestLayers has imports go down only.
func TestLayers(t *testing.T) {
	for name, imports := range packageImports(t) {
		from := layerOf(name)
		if from < 0 {
			t.Errorf("%s is in no layer", name)
			continue
		}
		for _, path := range imports {
			path, ours := inModule(path)
			if !ours {
				if name == "rules" && strings.Contains(path, ".") {
					t.Errorf("rules imports %s, but only the standard library is allowed", path)
				}
				continue
			}
			to := layerOf(path)
			if to != from && !slices.Contains(layers[from].imports, layers[to].folder) {
				t.Errorf("%s imports %s, but packages of %s do not import those of %s",
					name, path, layers[from].folder, layers[to].folder)
			}
			if only, ok := alone[name]; ok && !slices.Contains(only, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

// layerOf returns the index of the layer that a package is in, -1 for none.
func layerOf(name string) int {
	return slices.IndexFunc(layers, func(l layer) bool {
		return name == l.folder || strings.HasPrefix(name, l.folder+"/")
	})
}

// packageImports returns what each package of this module imports, tests left out.
func packageImports(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-pgo=off", "-json=ImportPath,Imports", module+"...")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := in.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name, _ := inModule(p.ImportPath)
		imports[name] = p.Imports
	}
	return imports
}

// inModule returns the folder of a package of this module, "" for its root.
func inModule(path string) (folder string, ours bool) {
	folder, ours = strings.CutPrefix(path+"/", module)
	return strings.TrimSuffix(folder, "/"), ours
}

// TestHTTPClients has every client refuse a server that switches protocols.
func TestHTTPClients(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if path == "../../build" { // what CI has built and unpacked
			return fs.SkipDir
		}
		isTest, isClient := strings.HasSuffix(path, "_test.go"), strings.HasSuffix(path, "lichess/client.go")
		if err != nil || filepath.Ext(path) != ".go" || isTest || isClient {
			return err
		}
		text, err := os.ReadFile(path)
		has := func(what string) bool { return bytes.Contains(text, []byte(what)) }
		if has("http.Client{") && !has("lichess.Transport{") || has("http.Default") {
			t.Errorf("%s has an HTTP client without a lichess.Transport", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
