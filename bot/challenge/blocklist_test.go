package challenge

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
)

// listServer is a server of a block list.
type listServer struct {
	*httptest.Server

	mu       sync.Mutex
	answer   http.HandlerFunc
	requests []*http.Request
}

func newListServer(t *testing.T, text string) *listServer {
	t.Helper()
	s := &listServer{answer: list(text)}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		answer := s.answer
		s.mu.Unlock()
		answer(w, r)
	}))
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	return s
}

func (s *listServer) set(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *listServer) asked() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// list answers with a text.
func list(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

func (s *listServer) address() string { return s.URL + "/list?key=private" }

// options have a cache of their own, and trust the servers.
func options(t *testing.T, servers ...*listServer) BlocklistOptions {
	t.Helper()
	roots := x509.NewCertPool()
	for _, s := range servers {
		roots.AddCert(s.Certificate())
	}
	return BlocklistOptions{Cache: filepath.Join(t.TempDir(), "blocklist.json"), Agent: "zhbot/test", RootCAs: roots}
}

func useBlocklist(t *testing.T, o BlocklistOptions, urls ...string) *Blocklist {
	t.Helper()
	l := NewBlocklist(o)
	l.timeout = time.Minute
	if err := l.Use(urls); err != nil {
		t.Fatal(err)
	}
	return l
}

// checkListed checks who is on a list, of the names that the tests use.
func checkListed(t *testing.T, l *Blocklist, what, want string) {
	t.Helper()
	var got []string
	for _, p := range []*lichess.Player{
		nil, {}, {Name: "no"}, {ID: "other"}, {Name: "PEST"}, {ID: "somebody"}, {Name: "worse"}, {
			ID: "worse_one", Name: "Worse_One",
		},
	} {
		if l.Has(p) {
			got = append(got, strings.ToLower(cmp.Or(p.ID, p.Name)))
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("%s: on the list are %q, want %q", what, got, want)
	}
}

// checkRefresh checks what comes of a refresh, and who is on the list then.
func checkRefresh(t *testing.T, l *Blocklist, what string, changed, fails bool, listed string) {
	t.Helper()
	got, err := l.Refresh(t.Context())
	if got != changed || (err != nil) != fails {
		t.Errorf("%s: changed %t, error %v", what, got, err)
	}
	if err != nil && strings.Contains(err.Error(), "private") {
		t.Errorf("%s: the error shows what may be a key: %v", what, err)
	}
	checkListed(t, l, what, listed)
}

// redirect redirects so many times before it answers.
func redirect(times int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if times--; times >= 0 {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		list("pest\n")(w, r)
	}
}

// unfinished begins an answer and waits until the client has gone.
func unfinished(status int, begin func(http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "other")
		w.WriteHeader(status)
		begin(w)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// What cannot be read leaves the list as it is.
func TestBlocklist_Refresh(t *testing.T) {
	const first, largest = "# cheats\r\nPest\r\n\r\n  @Worse_One # aborts\nno name at all\n", maxBlockSize / 9
	plain := httptest.NewServer(list("other\n"))
	t.Cleanup(plain.Close)
	s := newListServer(t, first)
	l := useBlocklist(t, options(t, s), s.address())
	checkListed(t, l, "before it is read", "")
	checkRefresh(t, l, "the first", true, false, "pest worse_one")
	for i, tt := range []struct {
		name           string
		answer         http.HandlerFunc
		changed, fails bool
		listed         string
	}{
		{"the same", list(first), false, false, "pest worse_one"},
		{"a newer one", list("other\n"), true, false, "other"},
		{
			"failing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, false,
			true, "other",
		},
		{"gone", http.NotFound, false, true, "other"},
		{"a web page", list("<!doctype html>\n<html lang=en>\n<title>Not here</title>\n"), false, true, "other"},
		{"no text", list("\xff\xfe\x00"), false, true, "other"},
		{"too large", list(strings.Repeat("somebody\n", largest+1)), false, true, "other"},
		{"other protocol", unfinished(http.StatusSwitchingProtocols, func(http.ResponseWriter) {}), false, true,
			"other"},
		{"no end", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, strings.Repeat("somebody\n", 1000))
			}
		}, false, true, "other"},
		{"to another protocol", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, plain.URL, http.StatusFound)
		}, false, true, "other"},
		{"cut in a row", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, "a")
		}, false, true, "other"},
		{"a redirect too many", redirect(blockRedirects + 1), false, true, "other"},
		{"redirects", redirect(blockRedirects), true, false, "pest"},
		{"the largest", list(strings.Repeat("somebody\n", largest)), true, false, "somebody"},
	} {
		s.set(tt.answer)
		asked := len(s.asked())
		checkRefresh(t, l, tt.name, tt.changed, tt.fails, tt.listed)
		for _, r := range s.asked()[asked:] {
			h := r.Header
			if h.Get("Authorization")+h.Get("Cookie")+h.Get("Referer") != "" || h.Get("User-Agent") != "zhbot/test" {
				t.Errorf("a request of %d has the headers %v", i, h)
			}
		}
	}
}

func TestBlocklist_GivesUpInTime(t *testing.T) {
	if l := NewBlocklist(BlocklistOptions{}); l.timeout != 10*time.Second || maxBlockSize != 1<<20 {
		t.Errorf("a list may take %s and %d bytes", l.timeout, maxBlockSize)
	}
	s := newListServer(t, "")
	s.set(unfinished(http.StatusOK, func(w http.ResponseWriter) { _, _ = io.WriteString(w, "pest\n") }))
	l := useBlocklist(t, options(t, s), s.address())
	l.timeout = 50 * time.Millisecond
	checkRefresh(t, l, "half a list", false, true, "")
}

func TestBlocklist_OnlyHTTPS(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a server without TLS is asked")
	}))
	t.Cleanup(plain.Close)
	for _, address := range []string{plain.URL, "ftp://127.0.0.1/list", "file:///etc/passwd", "https://\x7f"} {
		checkRefresh(t, useBlocklist(t, BlocklistOptions{}, address), address, false, true, "")
	}
}

// Lists are cached, each for its URL.
func TestBlocklist_Cache(t *testing.T) {
	first, second := newListServer(t, "pest\n"), newListServer(t, "worse\n")
	opts := options(t, first, second)
	both := []string{first.address(), second.address()}
	l := useBlocklist(t, opts, both...)
	second.set(http.NotFound)
	checkRefresh(t, l, "beside a list that cannot be read", true, true, "pest")
	second.set(list("worse\n"))
	checkRefresh(t, l, "both", true, false, "pest worse")
	checkRefresh(t, l, "both again", false, false, "pest worse")
	for _, empty := range []string{"", "# nobody\n\n"} {
		second.set(list(empty))
		checkRefresh(t, l, "one is empty", false, true, "pest worse")
	}
	second.set(list("worse\n"))
	if err := l.Use(both[:1]); err != nil {
		t.Error(err)
	}
	checkListed(t, l, "one is wanted no more", "pest")
	if err := l.Use(nil); err != nil {
		t.Error(err)
	}
	checkRefresh(t, l, "none is wanted", false, false, "")

	next := useBlocklist(t, opts, both[1], both[0])
	checkListed(t, next, "the next run", "pest worse")
	if n, read := next.Len(); n != 2 || read.IsZero() {
		t.Errorf("%d users, read %s", n, read)
	}
	checkRefresh(t, next, "the cached ones", false, false, "pest worse")
	checkListed(t, useBlocklist(t, opts, both[0]+"&other"), "of another address", "")

	fixture.Write(t, opts.Cache, "{")
	broken := NewBlocklist(opts)
	if err := broken.Use(both); err == nil {
		t.Error("a broken cache is read")
	}
	checkRefresh(t, broken, "a broken cache", true, false, "pest worse")
	opts.Cache = filepath.Join(t.TempDir(), "no folder", "blocklist.json")
	checkRefresh(t, useBlocklist(t, opts, both...), "no cache can be written", true, true, "pest worse")
	opts.ReadOnly = true
	checkRefresh(t, useBlocklist(t, opts, both...), "none is to be written", true, false, "pest worse")
}

func FuzzParseBlocklist(f *testing.F) {
	f.Add([]byte("Pest\n# comment\n@worse # why\n\n"))
	f.Add([]byte("<html>\n"))
	f.Add([]byte("\xef\xbb\xbfname\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		users, err := parseBlocklist(text)
		if err != nil && users != nil {
			t.Errorf("users %q beside the error %v", users, err)
		}
		for _, user := range users {
			if !lichess.ValidUserName(user) {
				t.Errorf("%q is no user", user)
			}
		}
	})
}

// A list that runs retries, and reads another one when the URL has changed.
func TestBlocklist_Run(t *testing.T) {
	first, second := newListServer(t, ""), newListServer(t, "worse\n")
	first.set(http.NotFound)
	var settings atomic.Pointer[config.Config]
	use := func(url string) {
		settings.Store(&config.Config{Challenges: config.Challenges{BlockURL: config.URLs{url},
			BlockRefresh: time.Hour}})
	}
	use(first.address())
	o := options(t, first, second)
	o.Settings = settings.Load
	l := NewBlocklist(o)
	l.retry = event.Backoff{Initial: time.Millisecond, Max: time.Millisecond}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	fixture.Until(t, "it has failed twice", func() bool { return len(first.asked()) >= 3 })
	first.set(list("pest\n"))
	<-l.Updated()
	checkListed(t, l, "after failures", "pest")
	use(second.address())
	l.Notify()
	<-l.Updated()
	checkListed(t, l, "after a change of the settings", "worse")
	asked := len(second.asked())
	second.set(unfinished(http.StatusOK, func(http.ResponseWriter) {}))
	use(second.address() + "&again")
	l.Notify()
	fixture.Until(t, "it refreshes", func() bool { return len(second.asked()) > asked })
	cancel() // in the middle of a refresh
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
