package daemon

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
)

// reloader applies changed settings while the bot runs: on SIGHUP, and when the
// file changes. Invalid ones change nothing.
type reloader struct {
	source  config.Source
	config  config.Config // in force
	apply   func(*config.Reloadable)
	log     zerolog.Logger
	hangups chan os.Signal

	loadedSum [sha256.Size]byte // of the file, when it was last loaded
}

// reloadDebounce is how long a file must be left alone before it is read: editors
// write it in several steps.
const reloadDebounce = 300 * time.Millisecond

// newReloader returns a reloader of the settings that c was loaded from. From
// now on SIGHUP does not end the program.
func newReloader(s config.Source, c *config.Config, log zerolog.Logger) *reloader {
	r := &reloader{source: s, config: *c, log: log, hangups: make(chan os.Signal, 1)}
	r.loadedSum, _ = r.fileSum()
	signal.Notify(r.hangups, syscall.SIGHUP)
	return r
}

// start watches until stop is called. apply gets the settings whenever they
// may have changed.
func (r *reloader) start(ctx context.Context, apply func(*config.Reloadable)) (stop func()) {
	r.apply = apply
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { r.run(ctx) })
	return func() {
		cancel()
		watching.Wait()
		signal.Stop(r.hangups)
	}
}

func (r *reloader) run(ctx context.Context) {
	watcher, err := r.watch()
	if err != nil {
		r.warnUnwatched(err)
		watcher = new(fsnotify.Watcher) // whose channels are silent
	} else {
		defer func() { _ = watcher.Close() }()
	}
	debounce := time.NewTimer(reloadDebounce) // the file may have changed before it was watched
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.hangups:
			r.reload()
		case <-watcher.Events:
			debounce.Reset(reloadDebounce)
		case err := <-watcher.Errors:
			r.warnUnwatched(err)
			debounce.Reset(reloadDebounce)
		case <-debounce.C:
			if sum, ok := r.fileSum(); ok && sum != r.loadedSum {
				r.reload()
			}
		}
	}
}

func (r *reloader) warnUnwatched(err error) {
	r.log.Warn().Err(err).Msg("configuration file not watched: send SIGHUP after a change")
}

// watch watches the file's folder, and that of its target if it is a link: the
// file itself may be replaced.
func (r *reloader) watch() (*fsnotify.Watcher, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	dirs := []string{filepath.Dir(r.source.File)}
	if target, err := filepath.EvalSymlinks(r.source.File); err == nil && filepath.Dir(target) != dirs[0] {
		dirs = append(dirs, filepath.Dir(target))
	}
	for _, dir := range dirs {
		if err := watcher.Add(dir); err != nil {
			return nil, errors.Join(fmt.Errorf("watch %s: %w", dir, err), watcher.Close())
		}
	}
	return watcher, nil
}

// fileSum returns a checksum of the file's content. It is not ok while the file is
// empty: writing in place truncates it first.
func (r *reloader) fileSum() (fileSum [sha256.Size]byte, ok bool) {
	text, err := os.ReadFile(r.source.File)
	return sha256.Sum256(text), err == nil && len(text) > 0
}

// reload loads the settings again and applies them, or leaves all as it is.
func (r *reloader) reload() {
	r.loadedSum, _ = r.fileSum()
	next, err := config.Load(r.source)
	if err != nil {
		r.log.Error().Err(err).Msg("configuration not reloaded: the old one stays")
		return
	}
	for _, warning := range r.source.Warnings(next, os.Environ()) {
		r.log.Warn().Msg(warning)
	}
	inForce := config.Config{Startup: r.config.Startup, Reloadable: next.Reloadable}
	if later := config.Diff(next, &inForce); len(later) > 0 {
		r.log.Warn().Strs("settings", later).Msg("these take effect at the next start")
	}
	changed := config.Diff(&r.config, &inForce)
	r.config = inForce
	r.apply(&next.Reloadable)
	r.log.Info().Strs("changed", changed).Msg("configuration reloaded") // only now: whoever reads this may rely on it
}
