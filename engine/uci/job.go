package uci

import "context"

// job is work that goes on while commands are read: a search, a perft or a
// benchmark. At most one runs at a time.
type job struct {
	cancel  context.CancelFunc
	done    chan struct{}
	search  *searchJob // nil if it is none
	endless bool       // it only ends when it is cancelled
}

// start runs the work on its own goroutine, which ends when the work does.
func (c *session) start(ctx context.Context, j *job, work func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	j.cancel, j.done = cancel, make(chan struct{})
	c.job = j
	go func() {
		defer close(j.done)
		defer cancel()
		work(ctx)
	}()
}

// finished is closed when the job has ended, and never without one.
func (j *job) finished() <-chan struct{} {
	if j == nil {
		return nil
	}
	return j.done
}

func (j *job) isSearch() bool { return j != nil && j.search != nil }
