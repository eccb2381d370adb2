package lichesstest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = time.Minute

// account is a user's program: plain HTTP with a token.
type account struct {
	t     *testing.T
	s     *Server
	token string
	agent string
	http  *http.Client
}

// bot makes a BOT account and its program.
func bot(t *testing.T, s *Server, name string) *account {
	t.Helper()
	return login(t, s, s.AddBot(name))
}

func login(t *testing.T, s *Server, token string) *account {
	t.Helper()
	transport := &http.Transport{}
	if s.opts.InMemory {
		transport.DialContext = s.Dial
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &account{t: t, s: s, token: token, agent: "test/1", http: &http.Client{Transport: transport}}
}

func (a *account) request(ctx context.Context, method, path string, form url.Values) (*http.Response, error) {
	a.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, a.s.URL()+path, strings.NewReader(form.Encode()))
	if err != nil {
		a.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	r.Header.Set("User-Agent", a.agent)
	return a.http.Do(r)
}

// answer is what the server said.
type answer struct {
	status int
	header http.Header
	body   string
}

// try makes a request that may get no answer.
func (a *account) try(method, path string, form url.Values) (answer, error) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), patience)
	defer cancel()
	r, err := a.request(ctx, method, path, form)
	if err != nil {
		return answer{}, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return answer{r.StatusCode, r.Header, string(body)}, err
}

func (a *account) get(path string) answer {
	a.t.Helper()
	got, err := a.try("GET", path, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	return got
}

// post sends a form of keys and values.
func (a *account) post(path string, pairs ...string) answer {
	a.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	got, err := a.try("POST", path, form)
	if err != nil {
		a.t.Fatal(err)
	}
	return got
}

// must posts what has to succeed.
func (a *account) must(path string, pairs ...string) {
	a.t.Helper()
	a.post(path, pairs...).want(a.t, 200, `{"ok":true}`)
}

// play posts moves of a game, which has to take them.
func (a *account) play(game, move string) {
	a.t.Helper()
	a.must("/api/bot/game/" + game + "/move/" + move)
}

// want checks the status and a part of the body.
func (got answer) want(t *testing.T, status int, part string) {
	t.Helper()
	if got.status != status || !strings.Contains(got.body, part) {
		t.Errorf("got %d %s, want %d with %s", got.status, got.body, status, part)
	}
}

func parse(t *testing.T, text string) (o object) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return o
}

// at follows keys into an object; the result is nil if there is no such thing.
func (o object) at(keys ...string) any {
	var v any = map[string]any(o)
	for _, key := range keys {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// stream is an open stream of lines.
type stream struct {
	t      *testing.T
	lines  chan string // closed at the end
	cancel context.CancelFunc
	err    error // why it ended, when lines is closed
}

// open opens a stream that ends with the test.
func (a *account) open(path string) *stream {
	a.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := a.request(ctx, "GET", path, nil)
	if err != nil {
		cancel()
		a.t.Fatal(err)
	}
	s := read(a.t, r, cancel)
	if r.StatusCode != http.StatusOK {
		a.t.Fatalf("open %s: %d", path, r.StatusCode)
	}
	return s
}

// read reads a response line by line until the test ends.
func read(t *testing.T, r *http.Response, cancel context.CancelFunc) *stream {
	s := &stream{t: t, lines: make(chan string, 4096), cancel: cancel}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(s.lines)
		defer r.Body.Close()
		in := bufio.NewScanner(r.Body)
		for in.Scan() {
			s.lines <- in.Text()
		}
		s.err = in.Err()
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

// line returns the next line, keep-alives included.
func (s *stream) line() (line string, open bool) {
	s.t.Helper()
	select {
	case line, open = <-s.lines:
		return line, open
	case <-time.After(patience):
		s.t.Fatal("nothing came")
		return "", false
	}
}

// next returns the next line that is no keep-alive.
func (s *stream) next() object {
	s.t.Helper()
	for {
		switch line, open := s.line(); {
		case !open:
			s.t.Fatal("the stream ended")
		case line != "":
			return parse(s.t, line)
		}
	}
}

// until returns the next line of a type, of those that a test wants.
func (s *stream) until(kind string, wanted func(object) bool) object {
	s.t.Helper()
	for {
		if o := s.next(); o["type"] == kind && (wanted == nil || wanted(o)) {
			return o
		}
	}
}

// end waits for the end of the stream and returns the lines before it.
func (s *stream) end() (rest []object) {
	s.t.Helper()
	for {
		switch line, open := s.line(); {
		case !open:
			return rest
		case line != "":
			rest = append(rest, parse(s.t, line))
		}
	}
}

// empty is the stream's state if it must not have another line that a later
// one, already seen elsewhere, would have followed.
func (s *stream) empty() bool { return len(s.lines) == 0 }

// match starts a game between two new bots, White first.
func match(t *testing.T, o Options, spec ChallengeSpec) (s *Server, white, black *account, id string) {
	t.Helper()
	s = NewServer(t, o)
	white, black = bot(t, s, "White"), bot(t, s, "Black")
	spec.Color = "white"
	id = s.Challenge("White", "Black", spec)
	black.must("/api/challenge/" + id + "/accept")
	return s, white, black, id
}

// both plays moves by turns, White first.
func both(white, black *account, id, moves string) {
	white.t.Helper()
	for i, move := range strings.Fields(moves) {
		[]*account{white, black}[i%2].play(id, move)
	}
}

var blitz = ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second}
