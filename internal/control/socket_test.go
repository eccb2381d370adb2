package control

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file/filetest"
)

// recorder is an operator that notes what it is to do.
type recorder struct {
	mu      sync.Mutex
	origins []string
	answer  func(ctx context.Context, r Request) (Result, error) // nil repeats the command
}

func (o *recorder) Execute(ctx context.Context, origin string, r Request) (Result, error) {
	o.mu.Lock()
	o.origins = append(o.origins, origin)
	o.mu.Unlock()
	if o.answer != nil {
		return o.answer(ctx, r)
	}
	return Result{Message: strings.Join(append([]string{r.Command}, r.Args...), " ")}, nil
}

// settings are those of a bot with a folder of records of its own.
func settings(t *testing.T, listen string) *config.Config {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctl") // shorter than t.TempDir's, as a socket's path must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := config.Default()
	c.Records.Dir, c.Ctl.Listen = dir, listen
	return &c
}

// listens are the ways to be controlled.
var listens = []string{config.CtlAuto, "127.0.0.1:0"}

func skipWithoutSockets(t *testing.T, listen string) {
	t.Helper()
	if runtime.GOOS == "windows" && listen != "127.0.0.1:0" {
		t.Skip("no sockets with permissions")
	}
}

func TestSend(t *testing.T) {
	for _, listen := range listens {
		t.Run(listen, func(t *testing.T) {
			c := settings(t, listen)
			var log bytes.Buffer
			o := new(recorder)
			stop := Start(t.Context(), c, o, zerolog.New(&log))
			defer stop()
			result, err := Send(t.Context(), c, Request{Command: "say", Args: []string{"abcd", "Ünïcode", "—"}})
			if err != nil || result.Message != "say abcd Ünïcode —" {
				t.Errorf("%+v, %v; the log: %s", result, err, &log)
			}
			if !strings.HasPrefix(o.origins[0], "ctl (") {
				t.Errorf("origin %q", o.origins[0])
			}
			place, err := PlaceOf(c)
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Lstat(place.String()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("the file: %v, %v", info, err)
			}
			if left, _ := filepath.Glob(filepath.Join(c.Records.Dir, ".ctl-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}

			o.answer = func(context.Context, Request) (Result, error) {
				return Result{}, errors.New("game abcd1234: it is over")
			}
			if _, err := Send(t.Context(), c, Request{Command: "resign"}); err == nil || err.Error() != "game abcd1234: it is over" {
				t.Errorf("a refusal: %v", err)
			}
			o.answer = func(_ context.Context, r Request) (Result, error) { return Result{}, r.Check() }
			var usage *UsageError
			if _, err := Send(t.Context(), c, Request{Command: "dance"}); !errors.As(err, &usage) || err.Error() != `unknown command "dance"` {
				t.Errorf("an unknown command: %v", err)
			}

			stop()
			if _, err := Send(t.Context(), c, Request{Command: "status"}); !errors.Is(err, ErrNotRunning) || !strings.Contains(err.Error(), place.String()) {
				t.Errorf("after the end: %v", err)
			}
			if _, err := os.Lstat(place.String()); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the file is still there: %v", err)
			}
		})
	}
}

// What a bot that was killed has left behind is replaced; a bot that runs keeps its place.
func TestStart_Stale(t *testing.T) {
	for _, listen := range listens {
		t.Run(listen, func(t *testing.T) {
			skipWithoutSockets(t, listen)
			c := settings(t, listen)
			place, err := PlaceOf(c)
			if err != nil {
				t.Fatal(err)
			}
			l, _, err := place.listen(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			l.Close() // as by a kill, which removes nothing
			if _, err := os.Lstat(place.String()); err != nil {
				t.Fatal(err)
			}
			if _, err := Send(t.Context(), c, Request{Command: "status"}); !errors.Is(err, ErrNotRunning) {
				t.Errorf("of a dead bot: %v", err)
			}

			defer Start(t.Context(), c, new(recorder), zerolog.Nop())()
			if _, err := Send(t.Context(), c, Request{Command: "status"}); err != nil {
				t.Errorf("of the next bot: %v", err)
			}
			var log bytes.Buffer
			Start(t.Context(), c, new(recorder), zerolog.New(&log))()
			if !strings.Contains(log.String(), ErrInUse.Error()) {
				t.Errorf("of a second bot: %s", &log)
			}
			if _, err := Send(t.Context(), c, Request{Command: "status"}); err != nil {
				t.Errorf("after the second bot: %v", err)
			}
		})
	}
}

// A file that is not a socket is never replaced.
func TestStart_OtherFile(t *testing.T) {
	skipWithoutSockets(t, config.CtlAuto)
	c := settings(t, "")
	c.Ctl.Listen = filepath.Join(c.Records.Dir, "notes.txt")
	filetest.Write(t, c.Ctl.Listen, "precious")
	var log bytes.Buffer
	Start(t.Context(), c, new(recorder), zerolog.New(&log))()
	if text, err := os.ReadFile(c.Ctl.Listen); string(text) != "precious" || !strings.Contains(log.String(), "exists and is not a socket") {
		t.Errorf("the file: %q, %v; the log: %s", text, err, &log)
	}
}

func TestStart_Off(t *testing.T) {
	c := settings(t, "")
	Start(t.Context(), c, nil, zerolog.Nop())()
	if _, err := Send(t.Context(), c, Request{Command: "status"}); !errors.Is(err, ErrOff) {
		t.Errorf("error %v", err)
	}
}

// A port is for those who can read the secret.
func TestStart_Secret(t *testing.T) {
	c := settings(t, "127.0.0.1:0")
	o := new(recorder)
	defer Start(t.Context(), c, o, zerolog.Nop())()
	place, err := PlaceOf(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := readSecrets(place.path)
	if err != nil || len(s.Secret) < 20 {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, header := range []string{"", "Bearer ", "Bearer wrong", s.Secret} {
		for _, path := range []string{commandPath, pingPath, "/"} {
			r, err := http.NewRequest(http.MethodPost, "http://"+s.Address+path, strings.NewReader(`{"command":"drain"}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", header)
			answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s with %q: %s", path, header, answer.Status)
			}
		}
	}
	if len(o.origins) != 0 {
		t.Errorf("executed for %v", o.origins)
	}
	other := filepath.Join(c.Records.Dir, "other")
	filetest.Write(t, other, `{"address":"192.0.2.1:80","secret":"x"}`)
	if _, err := readSecrets(other); err == nil || !strings.Contains(err.Error(), "not an address of this machine") {
		t.Errorf("error %v", err)
	}
}

// Requests that are no commands, too long or too many do no harm.
func TestStart_Bounds(t *testing.T) {
	skipWithoutSockets(t, config.CtlAuto)
	c := settings(t, config.CtlAuto)
	o := new(recorder)
	defer Start(t.Context(), c, o, zerolog.Nop())()
	place, err := PlaceOf(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodGet, commandPath, "", http.StatusMethodNotAllowed},
		{http.MethodPut, commandPath, "{}", http.StatusMethodNotAllowed},
		{http.MethodPost, "/", "{}", http.StatusNotFound},
		{http.MethodPost, commandPath, "", http.StatusBadRequest},
		{http.MethodPost, commandPath, strings.Repeat("[", 1<<20), http.StatusBadRequest},
	} {
		answer, err := place.send(t.Context(), tt.method, tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != tt.status || err != nil || len(text) > 200 {
			t.Errorf("%s %s %.20q: %s, %.300q, %v", tt.method, tt.path, tt.body, answer.Status, text, err)
		}
	}
	if len(o.origins) != 0 {
		t.Errorf("executed for %v", o.origins)
	}
	for range 200 { // that say nothing
		conn, err := net.Dial("unix", place.path)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	if _, err := Send(t.Context(), c, Request{Command: "status"}); err != nil {
		t.Errorf("among idle clients: %v", err)
	}
}

// A command is cancelled when its client disconnects, or when the bot ends; it may take
// longer than a request may take to be sent.
func TestStart_Cancels(t *testing.T) {
	for _, listen := range listens {
		t.Run(listen, func(t *testing.T) {
			c := settings(t, listen)
			began, ended := make(chan bool), make(chan error, 1)
			o := &recorder{answer: func(ctx context.Context, _ Request) (Result, error) {
				began <- true
				<-ctx.Done()
				ended <- ctx.Err()
				return Result{}, ctx.Err()
			}}
			stop := Start(t.Context(), c, o, zerolog.Nop())
			defer stop()
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			ask := func(ctx context.Context) {
				_, err := Send(ctx, c, Request{Command: "status"})
				failed <- err
			}
			go ask(ctx)
			<-began
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
			<-ended
			go ask(t.Context())
			<-began
			stop()
			if err := <-failed; err == nil {
				t.Error("no error although the bot has ended")
			}
			<-ended
		})
	}
}

// In a folder that others can enter nothing is served, nor is anybody asked there.
func TestStart_OpenFolder(t *testing.T) {
	skipWithoutSockets(t, config.CtlAuto)
	runtimeDir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
	c := settings(t, config.CtlAuto)
	c.Records.Dir = ""
	stop := Start(t.Context(), c, new(recorder), zerolog.Nop())
	if _, err := Send(t.Context(), c, Request{Command: "status"}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(runtimeDir, "zhbot")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
	if err := os.Chmod(filepath.Join(runtimeDir, "zhbot"), 0o755); err != nil {
		t.Fatal(err)
	}
	const want = "should be a folder that only its owner can open"
	if _, err := Send(t.Context(), c, Request{Command: "status"}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
	stop()
	var log bytes.Buffer
	Start(t.Context(), c, new(recorder), zerolog.New(&log))()
	if !strings.Contains(log.String(), want) {
		t.Errorf("the log: %s", &log)
	}
}

// Answers that are no answers are errors.
func TestReadAnswer(t *testing.T) {
	for body, want := range map[string]string{
		"200 ":                    "was not understood",
		"200 []":                  "was not understood",
		"502 bad gateway":         "the bot answers 502 Bad Gateway: bad gateway",
		`409 {"error":""}`:        "the bot answers 409 Conflict",
		`409 {"error":"no game"}`: "no game",
	} {
		status, text, _ := strings.Cut(body, " ")
		w := httptest.NewRecorder()
		w.Code, _ = strconv.Atoi(status)
		w.Body.WriteString(text)
		if _, err := readAnswer(w.Result()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
}
