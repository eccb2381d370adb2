package web

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zhbot/zhbot/internal/fixture"
)

// page returns the files of a page that has these of its own.
func page(own map[string]string) (*Files, error) {
	fsys := fstest.MapFS{}
	for name, content := range own {
		fsys["static/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	return NewFiles(fsys)
}

// In browsers without light-dark() each colour has its light value.
func TestFiles_Colours(t *testing.T) {
	base := fixture.Read(t, "static/base.css")
	_, plain, _ := strings.Cut(base, "@supports not (color: light-dark(#000, #fff))")
	for _, m := range regexp.MustCompile(` ([\w-]+: )light-dark\((#\w+), `).FindAllStringSubmatch(base, -1) {
		if !strings.Contains(plain, m[1]+m[2]+";") {
			t.Errorf("not without light-dark(): %s", m[0])
		}
	}
	own, _ := filepath.Glob("*/static/*.css")
	for _, path := range append(own, "static/viewer.css") {
		if strings.Contains(fixture.Read(t, path), "light-dark(") {
			t.Errorf("%s has colours that base.css does not", path)
		}
	}
}

func TestFiles(t *testing.T) {
	f, err := page(map[string]string{"index.html": "<body>" + placeholder + "</body>", "own.js": "1"})
	if err != nil {
		t.Fatal(err)
	}
	var tag string
	get := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.SetPathValue("name", strings.TrimPrefix(path, "/static/"))
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		return w
	}
	for path, want := range map[string][2]string{ // type, and a part of the content
		"/":                {"text/html; charset=utf-8", `<symbol id="piece-k"`},
		"/static/own.js":   {"text/javascript; charset=utf-8", "1"},
		"/favicon.ico":     {"image/png", "PNG"},
		"/robots.txt":      {"text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n"},
		"/static/board.js": {"text/javascript; charset=utf-8", "class Board"},
	} {
		w := get(path)
		if kind := w.Header().Get("Content-Type"); kind != want[0] || !strings.Contains(w.Body.String(), want[1]) ||
			strings.Contains(w.Body.String(), placeholder) {
			t.Errorf("%s is of the type %s: %s", path, kind, w.Body)
		}
	}
	tag = get("/").Header().Get("ETag")
	if again := get("/static/board.js"); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("with ETag: status %d, %d bytes", again.Code, again.Body.Len())
	}
	for _, path := range []string{"/static/", "/static/none.js", "/static/../files.go", "/api"} {
		if code := get(path).Code; code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, code)
		}
	}
	changed, err := page(map[string]string{"index.html": "<body>" + placeholder + "</body>", "own.js": "2"})
	if err != nil || changed.Version == f.Version {
		t.Errorf("other files have the version %s, too; %v", f.Version, err)
	}
}

func TestNewFiles_Errors(t *testing.T) {
	for name, own := range map[string]map[string]string{
		"no index.html": {"own.js": ""},
		"board.js":      {"index.html": "", "board.js": ""},
		"unknown":       {"index.html": "", "table.xls": ""},
	} {
		if _, err := page(own); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: error %v, want %q in it", own, err, name)
		}
	}
}
