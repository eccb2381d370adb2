package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

// page returns the files of a page that has these of its own.
func page(own map[string]string) (*Files, error) {
	fsys := fstest.MapFS{}
	for name, content := range own {
		fsys["static/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	return NewFiles(fsys)
}

func TestFiles(t *testing.T) {
	f, err := page(map[string]string{"index.html": "<body>" + placeholder + "</body>", "own.js": "1"})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", f)
	mux.Handle("GET /favicon.ico", f)
	mux.Handle("GET /robots.txt", f)
	mux.Handle("GET /static/{name}", f)
	get := func(path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w
	}
	if html := get("/").Body.String(); !strings.Contains(html, `<symbol id="piece-k"`) || strings.Contains(html, placeholder) {
		t.Errorf("the page is %q", html)
	}
	if own := get("/static/own.js").Body.String(); own != "1" {
		t.Errorf("the page's own file is %q", own)
	}
	if icon := get("/favicon.ico"); icon.Header().Get("Content-Type") != "image/png" || !strings.HasPrefix(icon.Body.String(), "\x89PNG") {
		t.Errorf("the icon is served as %q", icon.Header().Get("Content-Type"))
	}
	if robots := get("/robots.txt").Body.String(); robots != "User-agent: *\nDisallow: /\n" {
		t.Errorf("robots.txt is %q", robots)
	}
	first := get("/static/board.js")
	if kind := first.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/javascript") {
		t.Errorf("script is served as %q", kind)
	}
	again := get("/static/board.js", "If-None-Match", first.Header().Get("ETag"))
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("with ETag: status %d, %d bytes", again.Code, again.Body.Len())
	}
	for _, path := range []string{"/static/", "/static/none.js", "/static/..%2ffiles.go", "/api", "/index.html"} {
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
