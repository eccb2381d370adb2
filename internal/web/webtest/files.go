package webtest

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/web"
)

var (
	loads        = regexp.MustCompile(`(?:src|href)="(/[^"]*)"|from "\./([^"]*)"`)
	otherHosts   = regexp.MustCompile(`(?i)(src|href|url\()\W{0,2}(https?:)?//`)
	parsesMarkup = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`)
)

// CheckFiles fails the test unless everything that the files of a page load is served by it,
// nothing is loaded from another host, and no script parses text as markup. It
// returns how many references it has followed.
func CheckFiles(t *testing.T, p *web.Page) (followed int) {
	t.Helper()
	status := func(path string) (int, string) {
		w := httptest.NewRecorder()
		p.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path,
			nil))
		return w.Code, w.Body.String()
	}
	if code, html := status("/"); code != http.StatusOK || !strings.Contains(html, `<symbol id="piece-k"`) {
		t.Errorf("status %d, page without pieces:\n%s", code, html)
	}
	for name, content := range p.Files.Content {
		if otherHosts.Match(content) {
			t.Errorf("%s loads from another host", name)
		}
		if parsesMarkup.Match(content) {
			t.Errorf("%s parses text as markup or code", name)
		}
		for _, m := range loads.FindAllSubmatch(content, -1) {
			path := string(m[1])
			if path == "" {
				path = "/static/" + string(m[2])
			}
			followed++
			if code, _ := status(path); code != http.StatusOK {
				t.Errorf("%s loads %s: status %d", name, path, code)
			}
		}
	}
	return followed
}
