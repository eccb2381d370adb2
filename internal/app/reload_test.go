package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
)

// write replaces a file as careful editors do.
func write(t *testing.T, path, text string) {
	t.Helper()
	fixture.Write(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// testReloader is a reloader of a file, and what it has done.
type testReloader struct {
	*reloader
	path    string
	log     fixture.Log
	applied chan *config.Config
}

func newTestReloader(t *testing.T, path string, optional bool) *testReloader {
	t.Helper()
	r := &testReloader{path: path, applied: make(chan *config.Config, 99)}
	source := config.Source{File: path, Optional: optional}
	text, _ := source.Read()
	c, err := config.Parse(source, text)
	if err != nil {
		t.Fatal(err)
	}
	apply := func(c *config.Config) (func(), error) {
		var err error
		if slices.Contains(c.Engine.Book, "none.bin") {
			err = errors.New("engine.book: none.bin is missing")
		}
		return func() { r.applied <- c }, err
	}
	r.reloader = newReloader(source, text, c, apply, new(atomic.Pointer[bot.Fault]), make(chan os.Signal, 1),
		zerolog.New(&r.log))
	return r
}

// wait waits for a change of the file to be noticed, and returns the settings that were
// applied last, nil if none were.
func (r *testReloader) wait() (last *config.Config) {
	time.Sleep(9 * pollInterval)
	for len(r.applied) > 0 {
		last = <-r.applied
	}
	return last
}

func TestReloader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "games: {max: 2}\n")
	synctest.Test(t, func(t *testing.T) {
		r := newTestReloader(t, path, false)
		stop := startLoop(r.run)
		defer stop()
		if c := r.wait(); c != nil {
			t.Error("settings that have not changed are applied")
		}
		write(t, path, "games: {max: 3}\n")
		if c := r.wait(); c == nil || c.Games.Max != 3 {
			t.Errorf("the file was replaced: %+v\n%s", c, &r.log)
		}
		fixture.Write(t, path, "games: {max: 4}\nlichess: {url: https://example.org}\n"+
			"engine: {hash_mb: 77, command: fairy-stockfish, max_nodes: 5}\n")
		want := config.Default()
		want.Games.Max, want.Engine.MaxNodes = 4, 5
		if diff := cmp.Diff(&want, r.wait(), cmp.Comparer(slices.Equal[[]string])); diff != "" {
			t.Errorf("the settings are others:\n%s", diff)
		}
		if r.log.Count(`"settings":["lichess.url","engine.hash_mb","engine.command"]`) != 1 ||
			r.log.Count(`"changed":["games.max","engine.max_nodes"]`) != 1 {
			t.Errorf("the log does not name the settings:\n%s", &r.log)
		}

		for i, wrong := range []string{"games: {max: 0}\n", "games: {maxx: 3}\n",
			"engine: {book: [none.bin]}\n", "games: [\n"} {
			write(t, path, wrong)
			if c := r.wait(); c != nil || r.log.Count("configuration not reloaded: the old one stays") != i+1 {
				t.Errorf("wrong settings: %+v\n%s", c, &r.log)
			}
			if f := r.invalid.Load(); f == nil || time.Since(f.Since) > 9*pollInterval || f.Reason == "" {
				t.Errorf("wrong settings are shown as %+v", f)
			}
		}
		r.hangups <- syscall.SIGHUP
		c := r.wait()
		if c != nil || r.log.Count("configuration not reloaded") != 5 || r.log.Count("did you mean games.max?") != 1 {
			t.Errorf("SIGHUP with wrong settings: %+v\n%s", c, &r.log)
		}
		_, err := r.reload(t.Context())
		if !strings.HasPrefix(fmt.Sprint(err), "the old settings remain: configuration:") {
			t.Errorf("a request with wrong settings: %v", err)
		}

		write(t, path, "games: {max: 5}\n")
		if c := r.wait(); c == nil || c.Games.Max != 5 || c.Engine.MaxNodes != 0 {
			t.Errorf("the settings are right again: %+v", c)
		}
		if f := r.invalid.Load(); f != nil {
			t.Errorf("the settings are right again, but shown as %+v", f)
		}
		r.hangups <- syscall.SIGHUP
		if c := r.wait(); c == nil || c.Games.Max != 5 {
			t.Errorf("SIGHUP: %+v", c)
		}
		write(t, path, "games: {max: 7}\nlog: {level: debug}\n")
		done, err := r.reload(t.Context())
		if c := r.wait(); err != nil || !slices.Equal(done.Later, []string{"log.level"}) || c.Games.Max != 7 {
			t.Errorf("a request: %+v, %v", done, err)
		}
		stop()
		write(t, path, "games: {max: 6}\n")
		if c := r.wait(); c != nil {
			t.Error("settings are applied after the end")
		}
	})
}

// A missing file changes nothing until it is there, and nothing if it is lost while the bot
// runs, although there need be none at the start. The same content again is no change.
func TestReloader_FileLost(t *testing.T) {
	for _, optional := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		synctest.Test(t, func(t *testing.T) {
			r := newTestReloader(t, path, true)
			r.source.Optional = optional
			r.read = r.source.Read
			defer startLoop(r.run)()
			if _, err := r.reload(t.Context()); (err == nil) != optional || (r.wait() != nil) != optional {
				t.Errorf("without a file from the start: %v", err)
			}
			const text = "challenges: {block: [pest]}\n"
			write(t, path, text)
			if r.wait() == nil {
				t.Fatalf("a new file is not read:\n%s", &r.log)
			}
			for name, lose := range map[string]func() error{
				"removed":  func() error { return nil },
				"a folder": func() error { return os.Mkdir(path, 0o700) },
				"empty":    func() error { return os.WriteFile(path, nil, 0o600) },
				"blank":    func() error { return os.WriteFile(path, []byte(" \n\n"), 0o600) },
			} {
				if err := errors.Join(os.RemoveAll(path), lose()); err != nil {
					t.Fatal(err)
				}
				for range 2 { // the first failure does not make it the file that was loaded
					if _, err := r.reload(t.Context()); err == nil || !strings.Contains(err.Error(), path) {
						t.Errorf("%s: %v", name, err)
					}
				}
				if r.wait() != nil {
					t.Errorf("%s: it is applied", name)
				}
			}
			failed := r.log.Count("configuration not reloaded")
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			write(t, path, text)
			if r.wait() != nil || r.log.Count("configuration not reloaded") != failed {
				t.Errorf("the same file counts as another:\n%s", &r.log)
			}
		})
	}
}

// A file system that hangs ends neither reloading nor the wait for the reloader's end.
func TestReloader_ReadHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestReloader(t, "", false)
		released := make(chan struct{})
		var reads atomic.Int32
		r.read = func() ([]byte, error) {
			if n := reads.Add(1); n == 1 || n == 3 {
				<-released
			}
			return []byte("games: {max: 3}\n"), nil
		}
		stop := startLoop(r.run)
		time.Sleep(readTimeout + 10*pollInterval)
		if reads.Load() != 1 || r.log.Count("failed to check the configuration for changes") != 1 {
			t.Errorf("%d reads while one hangs:\n%s", reads.Load(), &r.log)
		}
		r.hangups <- syscall.SIGHUP
		if c := <-r.applied; c.Games.Max != 3 {
			t.Errorf("after SIGHUP, games.max is %d", c.Games.Max)
		}
		r.hangups <- syscall.SIGHUP
		synctest.Wait()
		before := time.Now()
		if stop(); time.Now() != before || reads.Load() != 3 {
			t.Errorf("after %d reads, the end takes %s", reads.Load(), time.Since(before))
		}
		close(released)
		if synctest.Wait(); len(r.applied) > 0 {
			t.Error("settings are applied after the end")
		}
	})
}
