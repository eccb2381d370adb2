package app

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"
)

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
	ended, end := context.WithCancel(context.WithoutCancel(ctx))
	hangups := make(chan os.Signal, 1)
	var following sync.WaitGroup
	following.Go(func() {
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
		select {
		case <-time.After(stopTimeout):
			exit()
		case <-ended.Done():
		}
	})
	return signals{hangups, draining, stopping, func() {
		end()
		following.Wait()
		drain()
		stop()
	}}
}
