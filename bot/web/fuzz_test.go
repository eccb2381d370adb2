package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzRequest sends arbitrary requests: none succeeds with an unexpected host name or
// without the password, and none panics.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "127.0.0.1:8080", "/", "", "")
	f.Add("GET", "localhost", "/api/records", "from=9999999999999&limit=-1&opponent=%00", "Basic Og==")
	f.Add("GET", "[::1]:8080", "/api/records/..%2f..%2fetc", "game=x", "Basic eDpzZXNhbWU=")
	f.Add("GET", "evil.example", "/api/stream", "last=x", "")
	f.Add("POST", "127.0.0.1:8080", "/static/../page.go", "", "Basic eDpzZXNhbWU=")
	p, err := New(Options{Listen: "127.0.0.1:8080", Password: "sesame"})
	if err != nil {
		f.Fatal(err)
	}
	h := p.Handler()
	f.Fuzz(func(t *testing.T, method, host, path, query, authorization string) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // so that a stream ends
		r := (&http.Request{
			Method: method, Host: host, URL: &url.URL{Path: path, RawQuery: query},
			Header: http.Header{"Authorization": {authorization}}, Body: http.NoBody,
		}).WithContext(ctx)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		_, given, _ := r.BasicAuth()
		if w.Code == http.StatusOK && given != "sesame" && !isHealth(r) {
			t.Errorf("%s %q of %q answered without the password", method, path, host)
		}
		if w.Code == http.StatusOK && !isLoopback(hostOf(host)) {
			t.Errorf("%s %q answered as %q", method, path, host)
		}
		if strings.Contains(w.Body.String(), "sesame") {
			t.Error("the page shows its password")
		}
	})
}
