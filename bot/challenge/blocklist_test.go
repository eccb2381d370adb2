package challenge

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
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
	"github.com/zhbot/zhbot/internal/file/filetest"
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

// list answers with a text, whose tag is the text itself.
func list(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		tag := fmt.Sprintf("%q", strings.ReplaceAll(text, "\n", "."))
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, text)
	}
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

func player(name string) *lichess.Player {
	return &lichess.Player{ID: strings.ToLower(name), Name: name}
}

func useBlocklist(t *testing.T, o BlocklistOptions, urls ...string) *Blocklist {
	t.Helper()
	l := NewBlocklist(o)
	if err := l.Use(urls); err != nil {
		t.Fatal(err)
	}
	return l
}

func refresh(t *testing.T, l *Blocklist) (changed bool) {
	t.Helper()
	changed, err := l.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestBlocklist_Refresh(t *testing.T) {
	s := newListServer(t, "# cheats\r\nPest\r\n\r\n  @Worse_One # aborts\nno name at all\n")
	l := useBlocklist(t, options(t, s), s.address())
	if l.Has(player("pest")) {
		t.Error("a list is known that was not read")
	}
	if !refresh(t, l) {
		t.Error("the first list is not new")
	}
	for name, want := range map[string]bool{"pest": true, "PEST": true, "worse_one": true, "friend": false, "": false, "no": false} {
		if l.Has(player(name)) != want {
			t.Errorf("%q is on the list: %t", name, !want)
		}
	}
	if l.Has(nil) {
		t.Error("nobody is on the list")
	}
	if refresh(t, l) || !l.Has(player("pest")) {
		t.Error("the same list is taken for another")
	}
	s.set(list("other\n"))
	if !refresh(t, l) || l.Has(player("pest")) || !l.Has(player("other")) {
		t.Error("a newer list is not taken")
	}
	for i, r := range s.asked() {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" || r.Header.Get("User-Agent") != "zhbot/test" {
			t.Errorf("request %d has the headers %v", i, r.Header)
		}
		if conditional := r.Header.Get("If-None-Match") != ""; conditional != (i > 0) {
			t.Errorf("request %d asks for newer lists only: %t", i, conditional)
		}
	}
}

// What cannot be read leaves the list as it is.
func TestBlocklist_KeepsTheOldOne(t *testing.T) {
	s := newListServer(t, "pest\n")
	plain := httptest.NewServer(list("other\n"))
	t.Cleanup(plain.Close)
	l := useBlocklist(t, options(t, s), s.address())
	l.timeout = time.Minute
	refresh(t, l)
	for name, answer := range map[string]http.HandlerFunc{
		"failing":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"gone":       http.NotFound,
		"a web page": list("<!doctype html>\n<html lang=en>\n<title>Not here</title>\n"),
		"no text":    list("\xff\xfe\x00"),
		"too large":  list(strings.Repeat("somebody\n", maxBlockSize/9+1)),
		"other protocol": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "other")
			w.WriteHeader(http.StatusSwitchingProtocols)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done() // until the client has gone
		},
		"no end":   func(w http.ResponseWriter, r *http.Request) { endless(w, r) },
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, plain.URL, http.StatusFound) },
		"cut in a row": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, "a")
		},
	} {
		s.set(answer)
		changed, err := l.Refresh(t.Context())
		if err == nil || changed || !l.Has(player("pest")) || l.Has(player("other")) {
			t.Errorf("%s: changed %t, error %v", name, changed, err)
		}
		if err != nil && strings.Contains(err.Error(), "private") {
			t.Errorf("%s: the error shows what may be a key: %v", name, err)
		}
	}
	s.set(list(strings.Repeat("somebody\n", maxBlockSize/9)))
	if !refresh(t, l) || !l.Has(player("somebody")) {
		t.Error("a list of the greatest size is not taken")
	}
}

// Five redirects are followed, but not a sixth.
func TestBlocklist_Redirects(t *testing.T) {
	for redirects, want := range map[int]bool{blockRedirects: true, blockRedirects + 1: false} {
		s := newListServer(t, "")
		s.set(func(w http.ResponseWriter, r *http.Request) {
			if redirects--; redirects >= 0 {
				http.Redirect(w, r, "/", http.StatusFound)
				return
			}
			list("pest\n")(w, r)
		})
		l := useBlocklist(t, options(t, s), s.address())
		if _, err := l.Refresh(t.Context()); l.Has(player("pest")) != want {
			t.Errorf("read: %t, error %v", !want, err)
		}
	}
}

// endless sends names until nobody listens.
func endless(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := io.WriteString(w, strings.Repeat("somebody\n", 1000)); err != nil {
			return
		}
	}
}

func TestBlocklist_GivesUpInTime(t *testing.T) {
	if l := NewBlocklist(BlocklistOptions{}); l.timeout != 10*time.Second || maxBlockSize != 1<<20 {
		t.Errorf("a list may take %s and %d bytes", l.timeout, maxBlockSize)
	}
	s := newListServer(t, "")
	s.set(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "pest\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // until the client has gone
	})
	l := useBlocklist(t, options(t, s), s.address())
	l.timeout = 50 * time.Millisecond
	if _, err := l.Refresh(t.Context()); err == nil || l.Has(player("pest")) {
		t.Errorf("half a list is taken: %v", err)
	}
}

func TestBlocklist_OnlyHTTPS(t *testing.T) {
	asked := false
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(plain.Close)
	for _, address := range []string{plain.URL, "ftp://127.0.0.1/list", "file:///etc/passwd", "https://\x7f"} {
		l := useBlocklist(t, BlocklistOptions{}, address)
		if _, err := l.Refresh(t.Context()); err == nil {
			t.Errorf("%q is read", address)
		}
	}
	if asked {
		t.Error("a server without TLS was asked")
	}
}

func TestBlocklist_Cache(t *testing.T) {
	s := newListServer(t, "pest\n")
	url, opts := s.address(), options(t, s)
	refresh(t, useBlocklist(t, opts, url))

	s.set(http.NotFound)
	second := useBlocklist(t, opts, url)
	if !second.Has(player("pest")) {
		t.Error("the next run does not know the list")
	}
	if n, read := second.Len(); n != 1 || read.IsZero() {
		t.Errorf("%d users, read %s", n, read)
	}
	s.set(list("pest\n"))
	if refresh(t, second) {
		t.Error("the list that was kept is taken for another")
	}
	if last := s.asked()[1]; last.Header.Get("If-None-Match") == "" {
		t.Error("the list that was kept is sent again")
	}

	if useBlocklist(t, opts, url+"&other").Has(player("pest")) {
		t.Error("a list is used that came from another address")
	}
	if err := second.Use(nil); err != nil || second.Has(player("pest")) {
		t.Errorf("a list that is wanted no more is used: %v", err)
	}
	if refresh(t, second) {
		t.Error("no list at all has changed")
	}

	filetest.Write(t, opts.Cache, "{")
	broken := NewBlocklist(opts)
	if err := broken.Use([]string{url}); err == nil {
		t.Error("a broken copy is read")
	}
	if !refresh(t, broken) || !broken.Has(player("pest")) {
		t.Error("a broken copy keeps the list from being read")
	}
	opts.Cache = filepath.Join(t.TempDir(), "no folder", "blocklist.json")
	lost := useBlocklist(t, opts, url)
	if changed, err := lost.Refresh(t.Context()); err == nil || !changed || !lost.Has(player("pest")) {
		t.Errorf("a list that cannot be kept: changed %t, %v", changed, err)
	}
	opts.ReadOnly = true
	unsaved := useBlocklist(t, opts, url)
	if changed, err := unsaved.Refresh(t.Context()); err != nil || !changed {
		t.Errorf("a list that is not to be kept: changed %t, %v", changed, err)
	}
}

// Of several lists each is read, kept and used on its own.
func TestBlocklist_Several(t *testing.T) {
	first, second := newListServer(t, "pest\n"), newListServer(t, "worse\n")
	opts := options(t, first, second)
	l := useBlocklist(t, opts, first.address(), second.address())
	second.set(http.NotFound)
	if changed, err := l.Refresh(t.Context()); err == nil || !changed || !l.Has(player("pest")) {
		t.Errorf("beside a list that cannot be read: changed %t, %v", changed, err)
	}
	second.set(list("worse\n"))
	if !refresh(t, l) || !l.Has(player("pest")) || !l.Has(player("worse")) {
		t.Error("not both lists are used")
	}
	if refresh(t, l) {
		t.Error("the same lists are taken for others")
	}
	next := useBlocklist(t, opts, second.address(), first.address())
	if n, read := next.Len(); n != 2 || read.IsZero() {
		t.Errorf("the next run knows %d users, read %s", n, read)
	}
	if err := next.Use([]string{second.address()}); err != nil || next.Has(player("pest")) || !next.Has(player("worse")) {
		t.Errorf("a list that is wanted no more is used, or the other is not: %v", err)
	}
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
		settings.Store(&config.Config{Challenges: config.Challenges{BlockURL: config.URLs{url}, BlockRefresh: time.Hour}})
	}
	use(first.address())
	updates := make(chan struct{}, 9)
	o := options(t, first, second)
	o.Settings, o.OnUpdate = settings.Load, func() { updates <- struct{}{} }
	l := NewBlocklist(o)
	l.retry = event.Backoff{Initial: time.Millisecond, Max: time.Millisecond}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	for len(first.asked()) < 3 {
		time.Sleep(time.Millisecond)
	}
	first.set(list("pest\n"))
	if <-updates; !l.Has(player("pest")) {
		t.Error("the list is not read after failures")
	}
	use(second.address())
	l.Notify()
	if <-updates; !l.Has(player("worse")) || l.Has(player("pest")) {
		t.Error("the other list is not read")
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
