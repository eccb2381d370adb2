package control

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// executorFunc is an operator.
type executorFunc func(ctx context.Context, origin string, r Request) (Result, error)

func (f executorFunc) Execute(ctx context.Context, origin string, r Request) (Result, error) {
	return f(ctx, origin, r)
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

func skipWithoutSockets(t *testing.T, listen string) {
	t.Helper()
	if runtime.GOOS == "windows" && listen != "127.0.0.1:0" {
		t.Skip("no sockets with permissions")
	}
}

var statusRequest = Request{Command: "status"}

// The place of a bot that was killed is used again, that of a running one is not. A command
// is cancelled when its client disconnects, or when the bot ends.
func TestSocket(t *testing.T) {
	for _, listen := range []string{config.CtlAuto, "127.0.0.1:0"} {
		t.Run(listen, func(t *testing.T) {
			skipWithoutSockets(t, listen)
			c := settings(t, listen)
			place, err := PlaceOf(c)
			if err != nil {
				t.Fatal(err)
			}
			checkNone := func(when string) {
				t.Helper()
				_, err := Send(t.Context(), c, statusRequest)
				want := "no bot runs with these settings (nothing at " + place.String()
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v", when, err)
				}
			}
			checkNone("without a bot")
			l, _, err := place.listen(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			l.Close() // as by a kill, which removes nothing
			checkNone("after a kill")

			began, ended := make(chan bool), make(chan bool)
			operator := executorFunc(func(ctx context.Context, origin string, r Request) (Result, error) {
				switch r.Command {
				case "say":
					return Result{Message: origin + " " + r.Text}, nil
				case "resign":
					return Result{}, errors.New("it is over")
				case "abort":
					return Result{}, usageErrorf("no such command")
				}
				began <- true
				<-ctx.Done()
				ended <- true
				return Result{}, ctx.Err()
			})
			var log bytes.Buffer
			stop := Start(t.Context(), c, operator, zerolog.New(&log))
			defer stop()
			info, err := os.Lstat(place.String())
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("the file: %v, %v", info, err)
			}
			if left, _ := filepath.Glob(filepath.Join(c.Records.Dir, ".ctl-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if listen == config.CtlAuto {
				Start(t.Context(), c, operator, zerolog.New(&log))()
				if !strings.Contains(log.String(), "another bot listens there") {
					t.Errorf("of a second bot: %s", &log)
				}
			}
			result, err := Send(t.Context(), c, Request{Command: "say", Game: "abcd", Text: "Ünïcode —"})
			text := result.Message
			if err != nil || !strings.HasPrefix(text, "ctl (") || !strings.HasSuffix(text, ") Ünïcode —") {
				t.Errorf("%+v, %v", result, err)
			}
			_, err = Send(t.Context(), c, Request{Command: "resign", Game: "abcd"})
			if err == nil || err.Error() != "it is over" {
				t.Errorf("a refusal: %v", err)
			}
			for _, command := range []string{"abort", "dance"} { // found by the bot and before
				_, err := Send(t.Context(), c, Request{Command: command, Game: "abcd"})
				if !errors.As(err, new(*UsageError)) {
					t.Errorf("%s: %v", command, err)
				}
			}

			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			ask := func(ctx context.Context) {
				_, err := Send(ctx, c, statusRequest)
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
			stopped := make(chan bool)
			go func() {
				stop()
				close(stopped)
			}()
			<-ended
			<-stopped
			if err := <-failed; err == nil {
				t.Error("no error although the bot has ended")
			}
			checkNone("after the end")
			if _, err := os.Lstat(place.String()); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the file is still there: %v", err)
			}
		})
	}
}

// A port is for those who can read the secret.
func TestStart_Secret(t *testing.T) {
	c := settings(t, "127.0.0.1:0")
	defer Start(t.Context(), c, nil, zerolog.Nop())()
	place, err := PlaceOf(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := readSecrets(place.path)
	if err != nil || len(s.Secret) < 20 {
		t.Fatalf("%+v, %v", s, err)
	}
	h := newHandler(nil, s.Secret)
	for _, header := range []string{"", "Bearer ", "Bearer wrong", s.Secret} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Authorization", header)
		if h.ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
			t.Errorf("%q: status %d", header, w.Code)
		}
	}
	other := filepath.Join(c.Records.Dir, "other")
	fixture.Write(t, other, `{"address":"192.0.2.1:80","secret":"x"}`)
	if _, err := readSecrets(other); err == nil || !strings.Contains(err.Error(), "not an address of this machine") {
		t.Errorf("error %v", err)
	}
}

// A file that is not a socket is never replaced, and nothing is served without a place.
func TestStart_NoPlace(t *testing.T) {
	skipWithoutSockets(t, config.CtlAuto)
	var log bytes.Buffer
	c := settings(t, "")
	Start(t.Context(), c, nil, zerolog.New(&log))()
	if _, err := Send(t.Context(), c, statusRequest); !errors.Is(err, ErrOff) || log.Len() > 0 {
		t.Errorf("off: %v; the log: %s", err, &log)
	}

	c.Ctl.Listen = filepath.Join(c.Records.Dir, "notes.txt")
	fixture.Write(t, c.Ctl.Listen, "precious")
	Start(t.Context(), c, nil, zerolog.New(&log))()
	text := fixture.Read(t, c.Ctl.Listen)
	if text != "precious" || !strings.Contains(log.String(), "exists and is not a socket") {
		t.Errorf("the file: %q; the log: %s", text, &log)
	}

	c.Ctl.Listen, c.Records.Dir = config.CtlAuto, ""
	Start(t.Context(), c, nil, zerolog.New(&log))()
	if !strings.Contains(log.String(), "there is no folder of records") {
		t.Errorf("the log: %s", &log)
	}
}

// Answers that are no answers are errors.
func TestReadAnswer(t *testing.T) {
	for body, want := range map[string]string{
		"200 []":                  "was not understood",
		"502 bad gateway":         "the bot's answer, 502 Bad Gateway, was not understood",
		`409 {"error":""}`:        "409 Conflict",
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
