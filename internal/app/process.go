package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/lichess"
)

// Run plays with the settings of a source until the bot ends, and logs to a writer. Of the
// process's signals, SIGHUP reloads the settings, as does a change of the file; the first
// SIGINT or SIGTERM drains the bot, as does the end of ctx, and the second one stops it at
// once. If the bot hangs, the process ends, so that it is restarted.
func Run(ctx context.Context, source config.Source, signals <-chan os.Signal, logTo io.Writer) (err error) {
	c, err := config.Load(source)
	if err != nil {
		return err
	}
	lines, err := newBackground(c.Log, logTo)
	if err != nil {
		return err
	}
	defer lines.Flush()
	log := lines.Logger
	s := followSignals(ctx, signals, func() {
		log.Error().Msgf("exiting %s after the second signal, although not everything is closed", stopTimeout)
		lines.Flush()
		os.Exit(1)
	})
	defer s.end()
	for _, warning := range source.Warnings(c, os.Environ()) {
		log.Warn().Msg(warning)
	}
	if err := mover.LimitHeap(c.HashSize(mover.Memory(), mover.Cores())); err != nil {
		log.Warn().Err(err).Msg("Go's heap may grow past the memory")
	}
	text, _ := source.Read() // nil if it has been removed since c was loaded
	a, err := New(s.draining, c, Options{Log: log})
	if err != nil {
		return err
	}
	defer func() {
		a.Close()
		err = errors.Join(err, a.unsaved)
	}()
	watchdog := newWatchdog(a.checkLiveness, a.mover.Kill, log, lines.Flush)
	defer watchdog.start(s.draining)()
	reloads := newReloader(source, text, c, a.Prepare, &a.invalid, s.hangups, log)
	defer startLoop(reloads.run)()
	operator := a.operator(reloads.reload)
	if a.page != nil {
		a.page.Metrics.CountDroppedLines(lines.dropped.Load)
		a.page.CheckHealth, a.page.Operator = watchdog.healthy, operator
	}
	if _, err := a.servePage(s.draining); err != nil {
		log.Warn().Err(err).Msg("no live page: the bot plays without it")
	}
	defer control.Start(s.draining, c, operator, log)()
	defer context.AfterFunc(s.draining, func() {
		log.Info().Msg("a second signal stops at once")
		a.Drain()
	})()
	running, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(s.stopping, func() {
		if games := a.running(); len(games) > 0 {
			stop(fmt.Errorf("%w: %s", errUnfinished, strings.Join(games, ", ")))
		}
		stop(nil)
	})()
	err = a.Run(running)
	switch stopped := context.Cause(running); {
	case errors.Is(stopped, errUnfinished):
		return stopped
	case stopped != nil:
		return nil
	}
	return err
}

var errUnfinished = errors.New("stopped at once; games still in progress, resumed at the next start")

// advise adds advice to the error with which a bot ended. url is the server's.
func advise(err error, url string) error {
	if errors.Is(err, lichess.ErrUnauthorized) {
		err = fmt.Errorf("stopped: Lichess does not accept the token (any more), or the account is closed: "+
			"create a new one at %s: %w", url+config.TokenPath, err)
	}
	return fmt.Errorf("%w; \"zhbot check\" explains what is wrong and what to do", err)
}

// startLoop runs a loop in a goroutine. Stop ends its context, and waits for its end.
func startLoop(loop func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { loop(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// stopTimeout is how long the process may take to end after the second signal.
const stopTimeout = 15 * time.Second

// signals are what the signals to the process ask for.
type signals struct {
	hangups  chan os.Signal  // SIGHUP: to reload
	draining context.Context // done by the first SIGINT or SIGTERM
	stopping context.Context // done by the second
	end      func()
}

// followSignals counts signals until end is called. The end of ctx counts as the first. It
// calls exit if end is not called in time after the second.
func followSignals(ctx context.Context, incoming <-chan os.Signal, exit func()) signals {
	draining, drain := context.WithCancel(ctx)
	stopping, stop := context.WithCancel(context.WithoutCancel(ctx))
	hangups := make(chan os.Signal, 1)
	end := startLoop(func(ended context.Context) {
		for stopping.Err() == nil {
			select {
			case s := <-incoming:
				switch {
				case s != syscall.SIGHUP && draining.Err() == nil:
					drain()
				case s != syscall.SIGHUP:
					stop()
				case len(hangups) == 0: // else a reload is due anyway
					hangups <- s
				}
			case <-ended.Done():
				return
			}
		}
		if lichess.Sleep(ended, stopTimeout) == nil {
			exit()
		}
	})
	return signals{hangups, draining, stopping, func() {
		end()
		drain()
		stop()
	}}
}

// watchdog checks the bot's liveness at intervals. It notifies systemd of success,
// and on failure kills the engine programs and exits the process, so that the supervisor
// restarts it.
type watchdog struct {
	check  func(context.Context) error
	notify func(state string)
	exit   func(error)               // the process
	lastOK atomic.Pointer[time.Time] // when a check last succeeded
}

// How often the bot's liveness is checked, and how long one check may take.
const (
	WatchInterval = 10 * time.Second
	WatchTimeout  = time.Minute
)

// maxStackBytes bounds the stacks in the log.
const maxStackBytes = 1 << 20

func newWatchdog(check func(context.Context) error, killPrograms func(), log zerolog.Logger, flush func()) *watchdog {
	w := &watchdog{
		check: check,
		notify: func(state string) {
			if _, err := daemon.SdNotify(false, state); err != nil {
				log.Debug().Err(err).Msg("systemd not notified")
			}
		},
		exit: func(err error) {
			logStacks(log, err)
			killPrograms()
			flush()
			os.Exit(1)
		},
	}
	w.lastOK.Store(new(time.Now()))
	return w
}

// start watches until stop is called, and tells systemd when ctx ends. To systemd the bot
// is ready now, whether Lichess can be reached or not.
func (w *watchdog) start(ctx context.Context) (stop func()) {
	stopping := sync.OnceFunc(func() { w.notify(daemon.SdNotifyStopping) })
	unhook := context.AfterFunc(ctx, stopping)
	w.notify(daemon.SdNotifyReady)
	end := startLoop(w.run)
	return func() {
		unhook()
		end()
		stopping() // unless it was told when ctx ended
	}
}

func (w *watchdog) run(ctx context.Context) {
	for wait := time.Duration(0); lichess.Sleep(ctx, wait) == nil; wait = WatchInterval {
		err := w.checkOnce(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.exit(err)
			return
		}
		w.lastOK.Store(new(time.Now()))
		w.notify(daemon.SdNotifyWatchdog)
	}
}

// checkOnce runs one check, which may itself hang.
func (w *watchdog) checkOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, WatchTimeout)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- w.check(ctx) }()
	select {
	case err := <-answer:
		return err
	case <-time.After(WatchTimeout + WatchInterval):
		return errors.New("the check of the bot does not end")
	}
}

// healthy returns why the process is not alive, nil if it is.
func (w *watchdog) healthy() error {
	if age := time.Since(*w.lastOK.Load()); age > WatchInterval+WatchTimeout {
		return fmt.Errorf("the bot's last successful liveness check was %s ago", age.Round(time.Second))
	}
	return nil
}

// logStacks logs why the process ends, with the stacks of all goroutines.
func logStacks(log zerolog.Logger, err error) {
	stacks := make([]byte, maxStackBytes)
	stacks = stacks[:runtime.Stack(stacks, true)]
	log.Error().Err(err).Bytes("stacks", stacks).Msg("the bot hangs: exiting, so that it is restarted")
}

// Release builds set these variables by the linker's option -X.
var release, commit string

// Version returns the release, or the version recorded by the Go toolchain.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); release == "" && ok {
		return cmp.Or(strings.TrimPrefix(info.Main.Version, "(devel)"), "devel")
	}
	return cmp.Or(release, "unknown")
}

// userAgent returns how requests over HTTP name this program.
func userAgent() string { return "zhbot/" + Version() }

// VersionLine returns name, number and, if the build recorded it, commit, such as "zhbot
// v1.2.3 0123456789ab (changed)".
func VersionLine() string {
	name, changed := "zhbot "+Version(), ""
	if commit != "" {
		return name + " " + commit
	}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return name
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			name += " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " (changed)"
		}
	}
	return name + changed
}
