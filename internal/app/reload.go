package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/control"
)

// reloader applies changed settings while the bot runs: on SIGHUP, when the file changes,
// and on request. Invalid ones change nothing.
type reloader struct {
	source  config.Source
	read    func() ([]byte, error) // the file
	prepare func(*config.Config) (apply func(), err error)
	invalid *atomic.Pointer[bot.Fault] // why the file cannot be loaded; nil if it can
	log     zerolog.Logger
	hangups chan os.Signal
	reading atomic.Int32 // calls that read files and have not returned

	mu        sync.Mutex        // held during a reload; guards the fields below
	config    *config.Config    // in force
	loadedSum [sha256.Size]byte // of the file, when it was last loaded; see sumOf
}

const (
	// pollInterval is how often the file is looked at.
	pollInterval = time.Second
	// readTimeout is how long files may take to read: a network mount may hang.
	readTimeout = 30 * time.Second
)

var errReadHangs = fmt.Errorf("reading a file takes longer than %s: does its file system hang?", readTimeout)

// newReloader returns a reloader of settings that were parsed from a text. prepare gets
// changed settings, and returns a function that puts them in force; it may read files. invalid
// is set while the file cannot be loaded.
func newReloader(s config.Source, text []byte, c *config.Config,
	prepare func(*config.Config) (apply func(), err error), invalid *atomic.Pointer[bot.Fault],
	hangups chan os.Signal, log zerolog.Logger,
) *reloader {
	return &reloader{
		source: s, read: s.Read, prepare: prepare, invalid: invalid, config: c, loadedSum: sumOf(text),
		log: log, hangups: hangups,
	}
}

// run reloads the file when it has changed and is then left alone for an interval:
// editors write it in several steps.
func (r *reloader) run(ctx context.Context) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for seen := [sha256.Size]byte{}; ; {
		select {
		case <-ctx.Done():
			return
		case <-r.hangups:
			_, _ = r.reload(ctx) // the log has its error
		case <-tick.C:
			sum, ok := r.fileSum(ctx)
			if ok && sum == seen && !r.isLoaded(sum) {
				_, _ = r.reload(ctx)
			}
			seen = sum
		}
	}
}

// fileSum returns a checksum of the file's content. It is not ok while the file is empty
// (writing in place truncates it first) or an earlier read has not returned.
func (r *reloader) fileSum(ctx context.Context) (sum [sha256.Size]byte, ok bool) {
	if r.reading.Load() > 0 {
		return sum, false
	}
	text, err := readFiles(ctx, &r.reading, r.read)
	if errors.Is(err, errReadHangs) {
		r.log.Warn().Err(err).Str("file", r.source.File).
			Msg("failed to check the configuration for changes: send SIGHUP to try again")
	}
	sum = sumOf(text)
	return sum, err == nil && sum != sumOf(nil)
}

// sumOf returns a checksum of a file's content, the same one for a missing and a blank file.
func sumOf(text []byte) [sha256.Size]byte { return sha256.Sum256(bytes.TrimSpace(text)) }

// readFiles calls read in a goroutine, and returns without it after readTimeout or at the end of
// ctx, because the process must be able to exit while a file system hangs.
func readFiles[T any](ctx context.Context, reading *atomic.Int32, read func() (T, error)) (result T, err error) {
	type returned struct {
		result T
		err    error
	}
	done := make(chan returned, 1)
	reading.Add(1)
	go func() {
		defer reading.Add(-1)
		result, err := read()
		done <- returned{result, err}
	}()
	select {
	case r := <-done:
		return r.result, r.err
	case <-ctx.Done():
		return result, ctx.Err()
	case <-time.After(readTimeout):
		return result, errReadHangs
	}
}

// isLoaded reports whether the content with a checksum is what was last loaded.
func (r *reloader) isLoaded(sum [sha256.Size]byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return sum == r.loadedSum
}

// loaded are settings that were read.
type loaded struct {
	control.Reloaded

	sum      [sha256.Size]byte // of the file; zero if it was not read
	config   *config.Config    // with those that cannot change yet as they were
	warnings []string
	apply    func()
}

// load reads the settings, in place of those in force, and the files that they name.
func (r *reloader) load(inForce *config.Config) (l loaded, err error) {
	text, err := r.read()
	if err != nil {
		return l, err
	}
	l.sum = sumOf(text)
	next, err := config.Parse(r.source, text)
	if err != nil {
		return l, err
	}
	l.warnings = r.source.Warnings(next, os.Environ())
	l.config, l.Changed, l.Later = inForce.Reload(next)
	l.apply, err = r.prepare(l.config)
	return l, err
}

// reload loads the settings and applies them; on an error, nothing changes. It returns which
// changed.
func (r *reloader) reload(ctx context.Context) (done control.Reloaded, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	inForce := r.config // load may go on after its time is over
	next, err := readFiles(ctx, &r.reading, func() (loaded, error) { return r.load(inForce) })
	switch blank := sumOf(nil); {
	case next.sum == blank && r.loadedSum != blank: // hardly on purpose
		err = fmt.Errorf("%s is missing or empty, which it was not before; to use the defaults, restart", r.source.File)
	case next.sum != (loaded{}).sum:
		r.loadedSum = next.sum
		r.invalid.Store(nil)
		if err != nil {
			r.invalid.Store(&bot.Fault{Since: time.Now().UTC(), Reason: err.Error()})
		}
	}
	if err != nil {
		r.log.Error().Err(err).Msg("configuration not reloaded: the old one stays")
		return done, fmt.Errorf("the old settings remain: %w", err)
	}
	for _, warning := range next.warnings {
		r.log.Warn().Msg(warning)
	}
	if len(next.Later) > 0 {
		r.log.Warn().Strs("settings", next.Later).Msg("these take effect at the next start")
	}
	r.config = next.config
	next.apply()
	// Only now: readers of the log may rely on it.
	r.log.Info().Strs("changed", next.Changed).Msg("configuration reloaded")
	return next.Reloaded, nil
}
