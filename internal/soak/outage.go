package soak

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// longOutage is one restart of the server that takes long, while all games are in
// progress. The goroutine of run alone writes it.
type longOutage struct {
	from, to time.Time // zero before it has begun
}

// outageAfter is how long all games must be in progress before the outage begins.
const outageAfter = time.Second

// run waits until the given number of games is in progress, then takes the server down
// for the given time.
func (o *longOutage) run(ctx context.Context, s *lichesstest.Server, games int, long time.Duration) {
	for since := time.Now(); time.Since(since) < outageAfter; {
		if len(s.Playing(app.SandboxBot)) < games {
			since = time.Now()
		}
		if lichess.Sleep(ctx, 100*time.Millisecond) != nil {
			return
		}
	}
	o.from = time.Now()
	o.to = o.from.Add(long)
	s.Restart(long)
}

// requests returns the requests of each minute of the outage, in words.
func (o *longOutage) requests(t *lichesstest.Traffic) string {
	var minutes []string
	for from := o.from; from.Before(o.to); from = from.Add(time.Minute) {
		minutes = append(minutes, fmt.Sprint(t.Between(from, from.Add(time.Minute))))
	}
	return strings.Join(minutes, ", ")
}

// busiestMinute returns the most requests in 60 seconds.
func busiestMinute(t *lichesstest.Traffic) (busiest int) {
	sum := 0
	for i, n := range t.PerSecond {
		if sum += n; i >= 60 {
			sum -= t.PerSecond[i-60]
		}
		busiest = max(busiest, sum)
	}
	return busiest
}
