package lichesstest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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

// world is a server with the programs of its users.
type world struct {
	*Server
	t        *testing.T
	programs map[string]*account
	values   map[string]string // what {name} in requests and answers stands for
}

// start starts a server with BOT accounts and their programs.
func start(t *testing.T, o Options, bots ...string) *world {
	t.Helper()
	w := &world{NewServer(t, o), t, map[string]*account{}, map[string]string{
		"blitz": "variant=crazyhouse&clock.limit=180&clock.increment=2",
	}}
	for _, name := range bots {
		w.login(name, w.AddBot(name))
	}
	return w
}

// login starts the program of a user.
func (w *world) login(name, token string) *account {
	transport := &http.Transport{}
	if w.opts.InMemory {
		transport.DialContext = w.Dial
	}
	w.t.Cleanup(transport.CloseIdleConnections)
	a := &account{w: w, token: token, agent: "test/1", http: &http.Client{Transport: transport}}
	w.programs[name] = a
	return a
}

// fill fills in the values.
func (w *world) fill(text string) string {
	for name, value := range w.values {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// say has programs send requests, one a line, and checks the answers; it returns the last one.
// A line has the user, the method, the path, the form if there is one, and the answer's status
// and a part of its body. Without an answer {"ok":true} is expected; a path that does not begin
// with a slash is that of the game {id}.
//
//	zhbot POST /api/challenge/rival days=4 -> 400 "days"
//	White POST move/e2e4
func (w *world) say(text string) (got answer) {
	w.t.Helper()
	for line := range strings.Lines(w.fill(text)) {
		request, want, _ := strings.Cut(strings.TrimSpace(line), " -> ")
		fields := append(strings.Fields(request), "")
		if request == "" {
			continue
		}
		path := fields[2]
		if path[0] != '/' {
			path = w.fill("/api/bot/game/{id}/") + path
		}
		form, err := url.ParseQuery(fields[3])
		if err != nil {
			w.t.Fatal(err)
		}
		if got, err = w.programs[fields[0]].try(fields[1], path, form); err != nil {
			w.t.Fatal(err)
		}
		status, part, _ := strings.Cut(cmp.Or(want, `200 {"ok":true}`), " ")
		if fmt.Sprint(got.status) != status || !strings.Contains(got.body, part) {
			w.t.Errorf("%s: %d %s, want %s with %s", request, got.status, got.body, status, part)
		}
	}
	return got
}

// get returns the JSON object at a path.
func (w *world) get(name, path string) object {
	w.t.Helper()
	return parse(w.t, w.say(name+" GET "+path+" -> 200").body)
}

// offer makes one user challenge another, and begin has the challenge accepted by the other's
// program. Either sets {id}.
func (w *world) offer(from, to string, spec ChallengeSpec) string {
	w.values["id"] = w.Challenge(from, to, spec)
	return w.values["id"]
}

func (w *world) begin(from, to string, spec ChallengeSpec) string {
	w.t.Helper()
	w.offer(from, to, spec)
	w.say(to + " POST /api/challenge/{id}/accept")
	return w.values["id"]
}

// match starts a game between two new bots, White first.
func match(t *testing.T, o Options, spec ChallengeSpec) *world {
	t.Helper()
	w := start(t, o, "White", "Black")
	w.begin("White", "Black", withWhite(spec))
	return w
}

func withWhite(spec ChallengeSpec) ChallengeSpec {
	spec.Color = "white"
	return spec
}

// play plays moves of the game {id} by turns, White first.
func (w *world) play(moves string) {
	w.t.Helper()
	for i, move := range strings.Fields(moves) {
		w.say([]string{"White", "Black"}[i%2] + " POST move/" + move)
	}
}

// result returns the state of the game {id}.
func (w *world) result() Result {
	r, _ := w.Game(w.values["id"])
	return r
}

// events opens a user's event stream, and watch the stream of the game {id}.
func (w *world) events(name string) *stream {
	w.t.Helper()
	return w.programs[name].open("/api/stream/event")
}

func (w *world) watch(name string) *stream {
	w.t.Helper()
	return w.programs[name].open(w.fill("/api/bot/game/stream/{id}"))
}

var blitz = ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second}

// account is a user's program: plain HTTP with a token.
type account struct {
	w     *world
	token string
	agent string
	http  *http.Client
}

func (a *account) request(ctx context.Context, method, path string, form url.Values) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, a.w.URL()+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
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
	ctx, cancel := context.WithTimeout(a.w.t.Context(), patience)
	defer cancel()
	r, err := a.request(ctx, method, path, form)
	if err != nil {
		return answer{}, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return answer{r.StatusCode, r.Header, string(body)}, err
}

func parse(t *testing.T, text string) (o object) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return o
}

// at follows keys, with dots between them, into an object; the result is nil if there is no
// such thing.
func (o object) at(path string) any {
	var v any = map[string]any(o)
	for key := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// check compares values in an object with a text such as "status=mate winner=white".
func (o object) check(t *testing.T, what, values string) {
	t.Helper()
	for value := range strings.FieldsSeq(values) {
		path, want, _ := strings.Cut(value, "=")
		if got := fmt.Sprint(o.at(path)); got != want {
			t.Errorf("%s: %s is %s, want %s, in %v", what, path, got, want, o)
		}
	}
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
	t := a.w.t
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := a.request(ctx, "GET", path, nil)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	s := read(t, r, cancel)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("open %s: %d", path, r.StatusCode)
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
