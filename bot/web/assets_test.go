package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Everything that the page loads exists, and nothing is loaded from another host.
func TestAssets_Complete(t *testing.T) {
	p := newTestPage(t, Options{})
	h := p.Handler()
	page := request(h, "GET", "localhost", "/")
	if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), `<symbol id="piece-k"`) || strings.Contains(page.Body.String(), placeholder) {
		t.Fatalf("status %d, page:\n%s", page.Code, page.Body)
	}
	loads := regexp.MustCompile(`(?:src|href)="(/[^"]*)"|from "\./([^"]*)"`)
	seen := 0
	for name, a := range p.assets {
		if regexp.MustCompile(`(?i)(src|href|url\()\W{0,2}(https?:)?//`).Match(a.content) {
			t.Errorf("%s loads from another host", name)
		}
		if regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`).Match(a.content) {
			t.Errorf("%s parses text as markup or code", name)
		}
		for _, m := range loads.FindAllSubmatch(a.content, -1) {
			path := string(m[1])
			if path == "" {
				path = "/static/" + string(m[2])
			}
			seen++
			if status := request(h, "GET", "localhost", path).Code; status != http.StatusOK {
				t.Errorf("%s loads %s: status %d", name, path, status)
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d files loaded", seen)
	}
}

func TestAssets_Serve(t *testing.T) {
	h := newTestPage(t, Options{}).Handler()
	first := request(h, "GET", "localhost", "/static/app.js")
	if kind := first.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/javascript") {
		t.Errorf("script is served as %q", kind)
	}
	tag := first.Header().Get("ETag")
	again := request(h, "GET", "localhost", "/static/app.js", func(r *http.Request) { r.Header.Set("If-None-Match", tag) })
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("with ETag: status %d, %d bytes", again.Code, again.Body.Len())
	}
	for _, path := range []string{"/static/", "/static/none.js", "/static/..%2fpage.go", "/api", "/index.html"} {
		if status := request(h, "GET", "localhost", path).Code; status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, status)
		}
	}
}
