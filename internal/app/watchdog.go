package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"
)

// watchdog checks the bot's liveness at intervals. It notifies systemd of success,
// and on failure kills the engine programs and exits the process, so that the supervisor
// restarts it.
type watchdog struct {
	check    func(context.Context) error
	interval time.Duration
	timeout  time.Duration // with one check
	notify   func(state string)
	exit     func(error) // the process

	mu     sync.Mutex
	lastOK time.Time // when a check last succeeded
}

// How often the bot's liveness is checked, and how long one check may take.
const (
	WatchInterval = 10 * time.Second
	WatchTimeout  = time.Minute
)

// maxStackBytes bounds the stacks in the log.
const maxStackBytes = 1 << 20

func newWatchdog(check func(context.Context) error, killPrograms func(), log zerolog.Logger, flush func()) *watchdog {
	return &watchdog{
		check: check, interval: WatchInterval, timeout: WatchTimeout, lastOK: time.Now(),
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
}

// start watches until stop is called. To systemd the bot is ready now, whether
// Lichess can be reached or not.
func (w *watchdog) start(ctx context.Context) (stop func()) {
	stopping := sync.OnceFunc(func() { w.notify(daemon.SdNotifyStopping) })
	unhook := context.AfterFunc(ctx, stopping)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w.notify(daemon.SdNotifyReady)
	var watching sync.WaitGroup
	watching.Go(func() { w.run(ctx) })
	return func() {
		unhook()
		cancel()
		watching.Wait()
		stopping() // unless it was told when ctx ended
	}
}

func (w *watchdog) run(ctx context.Context) {
	tick := time.NewTicker(w.interval)
	defer tick.Stop()
	for {
		err := w.checkOnce(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.exit(err)
			return
		}
		w.mu.Lock()
		w.lastOK = time.Now()
		w.mu.Unlock()
		w.notify(daemon.SdNotifyWatchdog)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// checkOnce runs one check, which may itself hang.
func (w *watchdog) checkOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- w.check(ctx) }()
	select {
	case err := <-answer:
		return err
	case <-time.After(w.timeout + w.interval):
		return errors.New("the check of the bot does not end")
	}
}

// healthy returns why the process is not alive, nil if it is.
func (w *watchdog) healthy() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if age := time.Since(w.lastOK); age > w.interval+w.timeout {
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
