package app

import (
	"crypto/sha256"
	"errors"
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

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/internal/logtest"
	"github.com/zhbot/zhbot/internal/waittest"
)

// write replaces a file as careful editors do.
func write(t *testing.T, path, text string) {
	t.Helper()
	filetest.Write(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// sendTo returns a prepare function that sends the settings to a channel.
func sendTo(applied chan<- *config.Config) func(*config.Config) func() {
	return func(c *config.Config) func() { return func() { applied <- c } }
}

func TestReloader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "games: {max: 2}\n")
	source := config.Source{File: path}
	c, err := config.Load(source)
	if err != nil {
		t.Fatal(err)
	}
	var log logtest.Log
	r := newReloader(source, c, make(chan os.Signal, 1), zerolog.New(&log))
	r.interval = 20 * time.Millisecond
	applied := make(chan *config.Config, 9)
	stop := r.start(t.Context(), sendTo(applied))
	defer stop()
	next := func(what string) *config.Config {
		t.Helper()
		select {
		case c := <-applied:
			return c
		case <-time.After(time.Minute):
			t.Fatalf("not reloaded: %s\n%s", what, &log)
			return nil
		}
	}

	write(t, path, "games: {max: 3}\n")
	if c := next("the file was replaced"); c.Games.Max != 3 {
		t.Errorf("games.max is %d, want 3", c.Games.Max)
	}
	filetest.Write(t, path, "games: {max: 4}\nengine: {hash_mb: 77, command: fairy-stockfish, max_nodes: 5}\nlichess: {url: https://example.org}\n")
	got := next("the file was written")
	want := config.Default()
	want.Games.Max, want.Engine.MaxNodes = 4, 5
	if diff := cmp.Diff(want, *got, cmp.Comparer(slices.Equal[[]string])); diff != "" {
		t.Errorf("the settings are others:\n%s", diff)
	}
	waittest.Until(t, "the log names the settings", func() bool {
		return log.Count(`"settings":["lichess.url","engine.hash_mb","engine.command"]`) == 1 && log.Count(`"changed":["games.max","engine.max_nodes"]`) == 1
	})

	for i, wrong := range []string{"games: {max: 0}\n", "games: {maxx: 3}\n", "games: [\n"} {
		write(t, path, wrong)
		waittest.Until(t, "the wrong settings are refused", func() bool { return log.Count("configuration not reloaded: the old one stays") == i+1 })
	}
	if r.hangups <- syscall.SIGHUP; len(applied) > 0 {
		t.Error("wrong settings are applied")
	}
	waittest.Until(t, "they are refused again", func() bool { return log.Count("configuration not reloaded") == 4 })
	if log.Count("did you mean games.max?") != 1 {
		t.Errorf("the log does not say what is wrong:\n%s", &log)
	}

	write(t, path, "games: {max: 5}\n")
	if c := next("the settings are right again"); c.Games.Max != 5 || c.Engine.MaxNodes != 0 {
		t.Errorf("games.max is %d, engine.max_nodes %d", c.Games.Max, c.Engine.MaxNodes)
	}
	r.hangups <- syscall.SIGHUP
	if c := next("SIGHUP"); c.Games.Max != 5 {
		t.Errorf("games.max is %d", c.Games.Max)
	}
	write(t, path, "games: {max: 7}\nlog: {level: debug}\n")
	done, err := r.reload(t.Context())
	if err != nil || !slices.Equal(done.Later, []string{"log.level"}) || next("a request").Games.Max != 7 {
		t.Errorf("the request: %+v, %v", done, err)
	}
	write(t, path, "games: {maxx: 7}\n")
	if _, err := r.reload(t.Context()); err == nil || !strings.Contains(err.Error(), "the old settings remain: configuration:") {
		t.Errorf("the request for wrong settings: %v", err)
	}
	for len(applied) > 0 {
		<-applied
	}
	stop()
	write(t, path, "games: {max: 6}\n")
	if len(applied) > 0 {
		t.Error("settings are applied after the end")
	}
}

// A missing file changes nothing until it is there.
func TestReloader_WithoutFile(t *testing.T) {
	var log logtest.Log
	c := config.Default()
	folder := filepath.Join(t.TempDir(), "none")
	path := filepath.Join(folder, "config.yaml")
	r := newReloader(config.Source{File: path}, &c, make(chan os.Signal, 1), zerolog.New(&log))
	r.interval = 20 * time.Millisecond
	applied := make(chan *config.Config, 9)
	stop := r.start(t.Context(), sendTo(applied))
	defer stop()
	r.hangups <- syscall.SIGHUP
	waittest.Until(t, "SIGHUP is heard", func() bool { return log.Count("configuration not reloaded") == 1 })
	if len(applied) > 0 {
		t.Error("a missing file is applied")
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, "games: {max: 3}\n")
	if c := <-applied; c.Games.Max != 3 {
		t.Errorf("games.max is %d, want 3", c.Games.Max)
	}
}

// A file that is lost while the bot runs changes nothing, although there need be none at the
// start; the same content again is no change.
func TestReloader_FileLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "config.yaml")
		const text = "challenges: {block: [pest]}\n"
		var log logtest.Log
		applied := make(chan *config.Config, 99)
		source := config.Source{File: path, Optional: true}
		r := &reloader{
			source: source, read: source.Read, config: new(config.Default()), log: zerolog.New(&log),
			interval: pollInterval, loadedSum: sha256.Sum256(nil),
		}
		defer r.start(t.Context(), sendTo(applied))()
		if _, err := r.reload(t.Context()); err != nil || len(applied) != 1 {
			t.Errorf("without a file from the start: %v", err)
		}
		write(t, path, text)
		time.Sleep(9 * pollInterval)
		if len(applied) != 2 {
			t.Fatalf("a new file is not read:\n%s", &log)
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
			time.Sleep(9 * pollInterval)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
		time.Sleep(9 * pollInterval)
		if len(applied) != 2 || log.Count("configuration not reloaded") != 8 {
			t.Errorf("%d reloads:\n%s", len(applied), &log)
		}
	})
}

// A file system that hangs ends neither reloading nor the wait for the reloader's end.
func TestReloader_ReadHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Log
		released := make(chan struct{})
		var reads atomic.Int32
		r := &reloader{
			log: zerolog.New(&log), hangups: make(chan os.Signal, 1), interval: pollInterval, config: new(config.Default()),
			read: func() ([]byte, error) {
				if n := reads.Add(1); n == 1 || n == 3 {
					<-released
				}
				return []byte("games: {max: 3}\n"), nil
			},
		}
		applied := make(chan *config.Config, 9)
		stop := r.start(t.Context(), sendTo(applied))
		time.Sleep(readTimeout + 10*pollInterval)
		if reads.Load() != 1 || log.Count("failed to check the configuration for changes") != 1 {
			t.Errorf("%d reads while one hangs:\n%s", reads.Load(), &log)
		}
		r.hangups <- syscall.SIGHUP
		if c := <-applied; c.Games.Max != 3 {
			t.Errorf("after SIGHUP, games.max is %d", c.Games.Max)
		}
		r.hangups <- syscall.SIGHUP
		synctest.Wait()
		before := time.Now()
		if stop(); time.Now() != before || reads.Load() != 3 {
			t.Errorf("after %d reads, the end takes %s", reads.Load(), time.Since(before))
		}
		close(released)
		if synctest.Wait(); len(applied) > 0 {
			t.Error("settings are applied after the end")
		}
	})
}
