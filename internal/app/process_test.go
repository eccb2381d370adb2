package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// newApp returns an App that plays on a server in memory with the token in a file.
func newApp(t *testing.T, s *lichesstest.Server, token, records string) *App {
	t.Helper()
	c := config.Default()
	c.Lichess.URL, c.Lichess.TokenFile, c.Records.Dir = s.URL(), token, records
	c.Engine.HashMB, c.Engine.Threads, c.Engine.MaxNodes, c.Engine.Book = 16, 1, 100, nil
	a, err := New(t.Context(), &c, Options{Log: zerolog.Nop(), Bot: func(o *bot.Options) {
		secret, err := c.Token()
		if err != nil {
			t.Error(err)
		}
		options, err := clientOptions(&c, secret)
		if err != nil {
			t.Error(err)
		}
		options.Connect = s.Dial
		if o.Client, err = lichess.New(options); err != nil {
			t.Error(err)
		}
		t.Cleanup(o.Client.Close)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// viewer is a viewer's connection, which takes all at once.
type viewer struct{ *httptest.ResponseRecorder }

func (viewer) SetWriteDeadline(time.Time) error { return nil }

// shown returns the state of an App's page.
func shown(t *testing.T, a *App) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	answer := viewer{httptest.NewRecorder()}
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/api/stream", nil)
	a.page.Handler().ServeHTTP(answer, request)
	_, state, found := strings.Cut(answer.Body.String(), `"state":`)
	if !found {
		t.Fatalf("no state: %s", answer.Body)
	}
	return state
}

// A token that is refused during two games and replaced later costs neither game its
// record, and no override of the operator's.
func TestApp_RefusedDuringGames(t *testing.T) { synctest.Test(t, refuseDuringGames) }

func refuseDuringGames(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{InMemory: true})
	dir := t.TempDir()
	token, records := filepath.Join(dir, "token"), filepath.Join(dir, "records")
	secret := s.AddBot("zhbot")
	write(t, token, secret)
	a := newApp(t, s, token, records)
	drained, ended := false, make(chan error, 1)
	play := func() {
		go func() {
			var err error
			drained, err = a.play(t.Context())
			ended <- err
		}()
		fixture.Until(t, "the bot is online", func() bool { return s.Online("zhbot") })
	}
	end := func() error {
		t.Helper()
		fixture.Until(t, "the bot ends", func() bool { return len(ended) == 1 })
		return <-ended
	}
	ids := map[string]string{} // of the games, by opponent
	moves := func(opponent string) []string {
		game, _ := s.Game(ids[opponent])
		return game.Moves
	}
	answer := func(opponent string) { // and wait for the bot's next move
		t.Helper()
		g := fixture.Game(t, moves(opponent)...)
		s.Perform(ids[opponent], opponent, lichesstest.Action{Move: g.Position().LegalMoves()[0]})
		fixture.Until(t, "the bot moves", func() bool { return len(moves(opponent)) == g.Ply()+2 })
	}
	written := func(path string) string {
		text, _ := os.ReadFile(path)
		return string(text)
	}

	play()
	for _, opponent := range []string{"alice", "bob"} {
		s.AddHuman(opponent, lichesstest.Idle())
		id := s.Challenge(opponent, "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Color: "black"})
		ids[opponent] = id
		fixture.Until(t, "the bot moves", func() bool { return len(moves(opponent)) == 1 })
		answer(opponent)
		fixture.Until(t, "both moves are saved", func() bool {
			return strings.Count(written(filepath.Join(records, "live.json")), `"eval"`) == 2*len(ids)
		})
		if !strings.Contains(shown(t, a), `"id":"`+id) {
			t.Error("the game is not on the page")
		}
	}
	a.invalid.Store(&bot.Fault{Since: time.Now(), Reason: "a typo"})
	if page := shown(t, a); !strings.Contains(page, "settings file is invalid") || strings.Contains(page, "typo") {
		t.Errorf("the fault of the settings is not on the page, or all of it: %s", page)
	}
	a.bot.Load().SetMatchmaking(true)
	s.Revoke(secret)
	s.Restart(0)
	if err := end(); !bot.IsRefused(err) || drained {
		t.Fatalf("ended with %v, drained: %t", err, drained)
	}
	if parts := shown(t, a); strings.Contains(parts, `"id":"`) || strings.Contains(parts, `"started":"0001`) ||
		!strings.Contains(parts, `"notices":["Lichess refuses the token`) {
		t.Errorf("games that nobody follows are on the page, or it does not say why none plays: %s", parts)
	}
	s.Perform(ids["alice"], "alice", lichesstest.Action{Resign: true})

	write(t, token, s.AddToken("zhbot", "bot:play", "challenge:read", "challenge:write"))
	play()
	if m := a.bot.Load().Status().Matchmaking; !m.On || !m.Operator {
		t.Errorf("the operator's override is now %+v", m)
	}
	fixture.Until(t, "the bot follows the game", func() bool {
		return strings.Contains(shown(t, a), `"id":"`+ids["bob"])
	})
	answer("bob")
	s.Perform(ids["bob"], "bob", lichesstest.Action{Resign: true})
	recorded := func() string {
		files, _ := filepath.Glob(filepath.Join(records, "*.pgn"))
		var all strings.Builder
		for _, f := range files {
			all.WriteString(written(f))
		}
		return all.String()
	}
	fixture.Until(t, "both games are recorded", func() bool { return strings.Count(recorded(), "[Event ") == 2 })
	a.bot.Load().Drain()
	if err := end(); err != nil || !drained {
		t.Errorf("ended with %v, drained: %t", err, drained)
	}
	if text := recorded(); strings.Count(text, "[%eval") != 2+3 || strings.Count(text, `[Result "1-0"]`) != 2 {
		t.Errorf("recorded\n%s", text)
	}
}

func TestRetryWhileRefused(t *testing.T) {
	refused := fmt.Errorf("start: %w", &bot.Refusal{})
	broken := errors.New("out of memory")
	for _, tt := range []struct {
		name    string
		retry   time.Duration
		ends    []error // of each try
		drained bool    // in the last try
		stopped bool    // while it waits for the next one
		want    error
		lasted  time.Duration
	}{
		{name: "played", retry: time.Hour, ends: []error{nil}},
		{name: "ends", ends: []error{refused}, want: refused},
		{name: "failed", retry: time.Hour, ends: []error{broken}, want: broken},
		{name: "again", retry: time.Hour, ends: []error{refused, refused, refused, nil}, lasted: 3 * time.Hour},
		{
			name: "drained", retry: time.Hour, ends: []error{refused, refused}, drained: true,
			want: refused, lasted: time.Hour,
		},
		{name: "stopped", retry: time.Hour, ends: []error{refused}, stopped: true, lasted: time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				if tt.stopped {
					time.AfterFunc(time.Minute, stop)
				}
				var log bytes.Buffer
				began, tries := time.Now(), 0
				err := retryWhileRefused(ctx, tt.retry, zerolog.New(&log), func() (bool, error) {
					tries++
					return tt.drained && tries == len(tt.ends), tt.ends[tries-1]
				})
				if !errors.Is(err, tt.want) || tries != len(tt.ends) || time.Since(began) != tt.lasted {
					t.Errorf("%d tries in %s, %v", tries, time.Since(began), err)
				}
				if n := strings.Count(log.String(), `"level":"error"`); n > 1 {
					t.Errorf("%d errors logged:\n%s", n, log.String())
				}
			})
		})
	}
}

// SIGHUP reloads; the first signal to end drains, and the next one ends the bot at once.
func TestRun_Signals(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	t.Setenv("ZHBOT_LICHESS_TOKEN", s.AddBot("zhbot"))
	s.AddHuman("alice", lichesstest.Idle())
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "lichess: {url: "+s.URL()+"}\nrecords: {dir: ''}\nweb: {listen: ''}\nctl: {listen: ''}\n"+
		"engine: {hash_mb: 1, threads: 1, book: [], max_nodes: 100}\n")
	for _, again := range []bool{false, true} {
		var log fixture.Log
		signals := make(chan os.Signal, 4)
		signals <- syscall.SIGHUP // before anybody listens
		ended := make(chan error, 1)
		go func() { ended <- Run(t.Context(), config.Source{File: path, Env: true}, signals, &log) }()
		fixture.Until(t, "the settings are reloaded", func() bool { return log.Count("configuration reloaded") == 1 })
		id := s.Challenge("alice", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Color: "black"})
		fixture.Until(t, "the bot moves", func() bool { game, _ := s.Game(id); return game.Plies == 1 })
		signals <- syscall.SIGTERM
		if again {
			signals <- os.Interrupt // at once
		} else {
			fixture.Until(t, "the bot drains", func() bool {
				return log.Count("draining: games") == 1 && log.Count("a second signal stops at once") == 1
			})
			s.Perform(id, "alice", lichesstest.Action{Resign: true})
		}
		fixture.Until(t, "the bot ends", func() bool { return len(ended) == 1 })
		switch err := <-ended; {
		case !again && err != nil:
			t.Errorf("after a drain: %v", err)
		case again && !strings.HasSuffix(fmt.Sprint(err), "games still in progress, resumed at the next start: "+id):
			t.Errorf("after a second signal: %v", err)
		}
	}
}

// If what is left to close hangs after the second signal, the process ends all the same; later
// signals change nothing.
func TestFollowSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, closes := range []bool{true, false} {
			var exits atomic.Int32
			incoming := make(chan os.Signal, 4)
			s := followSignals(t.Context(), incoming, func() { exits.Add(1) })
			incoming <- syscall.SIGTERM
			incoming <- syscall.SIGHUP
			synctest.Wait()
			if s.draining.Err() == nil || s.stopping.Err() != nil || len(s.hangups) != 1 {
				t.Errorf("after one signal: %v, %v, %d reloads", s.draining.Err(), s.stopping.Err(), len(s.hangups))
			}
			incoming <- syscall.SIGTERM
			incoming <- syscall.SIGTERM
			time.Sleep(stopTimeout - 1)
			if s.stopping.Err() == nil || exits.Load() != 0 {
				t.Errorf("after two signals: %v, %d exits", s.stopping.Err(), exits.Load())
			}
			if closes {
				s.end()
			}
			time.Sleep(time.Second)
			if s.end(); (exits.Load() == 0) != closes {
				t.Errorf("closes: %t, %d exits", closes, exits.Load())
			}
		}
	})
}

// The watchdog says that all is well for as long as it is, and ends the process
// when a check fails or hangs.
func TestWatchdog(t *testing.T) {
	hangs := errors.New("game abc does not answer")
	for name, tt := range map[string]struct {
		check func(end <-chan struct{}) error // the third one
		want  string
	}{
		"a check fails": {func(<-chan struct{}) error { return hangs }, hangs.Error()},
		"a check hangs": {func(end <-chan struct{}) error { <-end; return nil }, "does not end"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				end := make(chan struct{})
				defer close(end)
				var states []string
				var ended []error
				n := 0
				w := newWatchdog(func(context.Context) error {
					if n++; n > 2 {
						return tt.check(end)
					}
					return nil
				}, func() {}, zerolog.Nop(), func() {})
				w.notify = func(s string) { states = append(states, s) }
				w.exit = func(err error) { ended = append(ended, err) }
				stop := w.start(t.Context())
				time.Sleep(2*WatchInterval + WatchTimeout)
				if err := w.healthy(); err != nil {
					t.Errorf("unhealthy too early: %v", err)
				}
				time.Sleep(WatchInterval)
				if w.healthy() == nil {
					t.Error("it is still healthy")
				}
				synctest.Wait()
				stop()
				if want := []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"}; !slices.Equal(states, want) {
					t.Errorf("told %q, want %q", states, want)
				}
				if len(ended) != 1 || !strings.Contains(ended[0].Error(), tt.want) {
					t.Errorf("ended %v", ended)
				}
			})
		})
	}
}

// Before the process ends, the stacks of all goroutines are logged, the engine programs are
// killed and the log is written.
func TestWatchdog_exit(t *testing.T) {
	if os.Getenv("WATCHDOG_EXITS") != "" {
		log := zerolog.New(os.Stdout)
		w := newWatchdog(nil, func() { log.Log().Msg("killed") }, log, func() { log.Log().Msg("flushed") })
		w.exit(errors.New("it hangs"))
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWatchdog_exit$")
	cmd.Env = append(os.Environ(), "WATCHDOG_EXITS=1")
	out, err := cmd.Output()
	wanted := regexp.MustCompile(`(?s)it hangs.*TestWatchdog_exit.*killed.*flushed`)
	if !wanted.Match(out) || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("printed %q and ended with %v", out, err)
	}
}
