package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const pageURL = "http://127.0.0.1:8080"

// visit requests a URL with a cookie.
func visit(g *Guard, url, cookie string) (*http.Response, *http.Request) {
	r := httptest.NewRequest(http.MethodGet, url, nil)
	r.Header.Set("Cookie", cookie)
	w := httptest.NewRecorder()
	g.wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
	return w.Result(), r
}

// The link gives its browser a cookie, and no other site, script or run of the program can
// use it.
func TestGuard_Link(t *testing.T) {
	g, other := newTestGuard(t, GuardOptions{}), newTestGuard(t, GuardOptions{})
	answer, _ := visit(g, g.Link(pageURL), "")
	cookie := answer.Header.Get("Set-Cookie")
	if answer.StatusCode != http.StatusSeeOther || answer.Header.Get("Location") != "/" ||
		answer.Header.Get("Cache-Control") != "no-store" ||
		!strings.HasSuffix(cookie, "; Path=/; HttpOnly; SameSite=Strict") {
		t.Fatalf("status %d, header %v", answer.StatusCode, answer.Header)
	}
	for name, tt := range map[string]struct {
		cookie string
		want   bool
	}{
		"that of the link":    {strings.TrimSuffix(cookie, "; Path=/; HttpOnly; SameSite=Strict"), true},
		"none":                {"", false},
		"an empty one":        {g.cookie + "=", false},
		"half of it":          {g.cookie + "=" + g.key[:len(g.key)/2], false},
		"another name":        {"zhbot=" + g.key, false},
		"that of another run": {g.cookie + "=" + other.key, false},
	} {
		if _, r := visit(g, pageURL+"/api/stream", tt.cookie); g.Trusts(r) != tt.want {
			t.Errorf("cookie %s: trusted %t", name, !tt.want)
		}
	}
	for _, url := range []string{other.Link(pageURL), pageURL + "/?key="} {
		if answer, _ := visit(g, url, ""); answer.StatusCode != http.StatusForbidden ||
			answer.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: status %d, header %v", url, answer.StatusCode, answer.Header)
		}
	}
}

// With a password there is no link, and its key opens nothing.
func TestGuard_LinkWithPassword(t *testing.T) {
	g := newTestGuard(t, GuardOptions{Password: "open sesame"})
	if link := g.Link(pageURL); link != pageURL {
		t.Errorf("link %s", link)
	}
	if answer, _ := visit(g, pageURL+"/?key="+g.key, g.cookie+"="+
		g.key); answer.StatusCode != http.StatusUnauthorized ||
		answer.Header.Get("Set-Cookie") != "" {
		t.Errorf("status %d, header %v", answer.StatusCode, answer.Header)
	}
}
