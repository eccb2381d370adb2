package daemon

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/control"
	"github.com/zhbot/zhbot/config"
)

// reloader applies changed settings while the bot runs: on SIGHUP, and when the
// file changes. Invalid ones change nothing. Its goroutine owns what changes.
type reloader struct {
	source   config.Source
	apply    func(*config.Reloadable)
	log      zerolog.Logger
	hangups  chan os.Signal
	requests chan chan<- reloadResult
	interval time.Duration // between looks at the file

	config    config.Config     // in force
	loadedSum [sha256.Size]byte // of the file, when it was last loaded
}

// pollInterval is how often the file is looked at.
const pollInterval = time.Second

// newReloader returns a reloader of the settings that c was loaded from. From
// now on SIGHUP does not end the program.
func newReloader(s config.Source, c *config.Config, log zerolog.Logger) *reloader {
	r := &reloader{source: s, config: *c, log: log, hangups: make(chan os.Signal, 1), requests: make(chan chan<- reloadResult), interval: pollInterval}
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

// run reloads the file when it has changed and is then left alone for an interval:
// editors write it in several steps.
func (r *reloader) run(ctx context.Context) {
	tick := time.NewTicker(r.interval)
	defer tick.Stop()
	for seen := r.loadedSum; ; {
		select {
		case <-ctx.Done():
			return
		case <-r.hangups:
			r.reload()
		case reply := <-r.requests:
			reply <- r.reload()
		case <-tick.C:
			sum, ok := r.fileSum()
			if ok && sum == seen && sum != r.loadedSum {
				r.reload()
			}
			seen = sum
		}
	}
}

// fileSum returns a checksum of the file's content. It is not ok while the file is
// empty: writing in place truncates it first.
func (r *reloader) fileSum() (fileSum [sha256.Size]byte, ok bool) {
	text, err := os.ReadFile(r.source.File)
	return sha256.Sum256(text), err == nil && len(text) > 0
}

// reloadResult is what a reload has changed, or why it changed nothing.
type reloadResult struct {
	control.Reloaded
	err error
}

// request has the settings loaded again, and returns what that has changed.
func (r *reloader) request(ctx context.Context) (control.Reloaded, error) {
	reply := make(chan reloadResult, 1)
	select {
	case r.requests <- reply:
		result := <-reply
		return result.Reloaded, result.err
	case <-ctx.Done():
		return control.Reloaded{}, ctx.Err()
	}
}

// reload loads the settings again and applies them, or leaves all as it is.
func (r *reloader) reload() reloadResult {
	r.loadedSum, _ = r.fileSum()
	next, err := config.Load(r.source)
	if err != nil {
		r.log.Error().Err(err).Msg("configuration not reloaded: the old one stays")
		return reloadResult{err: fmt.Errorf("the old settings remain: %w", err)}
	}
	for _, warning := range r.source.Warnings(next, os.Environ()) {
		r.log.Warn().Msg(warning)
	}
	inForce := config.Config{Startup: r.config.Startup, Reloadable: next.Reloadable}
	later := config.Diff(next, &inForce)
	if len(later) > 0 {
		r.log.Warn().Strs("settings", later).Msg("these take effect at the next start")
	}
	changed := config.Diff(&r.config, &inForce)
	r.config = inForce
	r.apply(&next.Reloadable)
	r.log.Info().Strs("changed", changed).Msg("configuration reloaded") // only now: readers of the log may rely on it
	return reloadResult{Reloaded: control.Reloaded{Changed: changed, Later: later}}
}
