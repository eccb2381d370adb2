package bot

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// resourceUse is what a process holds on to while no game is on.
type resourceUse struct {
	heap       int64
	goroutines int
	files      int // descriptors; 0 where the system does not tell
}

func measureResources() resourceUse {
	runtime.GC()
	runtime.GC() // what the first has found to be unused
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd") // nothing elsewhere
	return resourceUse{int64(m.HeapAlloc), runtime.NumGoroutine(), len(files)}
}

// BenchmarkGames_StayFlat plays games, 16 at once, with records, and fails if more
// is held after them all than after the first quarter: with -benchtime 2000x, after
// 2,000 games as after 500. Server and opponents are in the same process.
func BenchmarkGames_StayFlat(b *testing.B) {
	const atOnce = 16
	s, err := lichesstest.Start(lichesstest.Options{AnyClock: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	s.AddHuman("alice", peaceful(6, 0))
	secret, err := lichess.NewToken(s.AddBot(botName))
	if err != nil {
		b.Fatal(err)
	}
	client, err := lichess.New(lichess.Options{Token: secret, URL: s.URL()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	archive, err := record.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	bot := New(Options{
		Client: client, Engine: &fakeEngine{peace: 6}, Archive: archive, Site: s.URL(),
	}, Settings{Policy: openPolicy(), Slots: slots.Limits{Max: atOnce}})
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	play := func(games int) resourceUse {
		plan := lichesstest.Schedule{
			Bot: botName, Opponents: []string{"alice"}, Games: games, Concurrency: atOnce,
			Spec: func(int) lichesstest.ChallengeSpec { return blitz },
		}
		if err := s.RunGames(ctx, plan, func(lichesstest.Result) {}); err != nil {
			b.Error(err)
		}
		return measureResources()
	}
	b.ResetTimer()
	warm := b.N/4 + 1
	first := play(warm)
	last := play(b.N - warm + atOnce)
	b.StopTimer()
	stop()
	<-ended
	if err := archive.Close(); err != nil {
		b.Error(err)
	}
	b.ReportMetric(float64(first.heap)/(1<<20), "MiB-first")
	b.ReportMetric(float64(last.heap)/(1<<20), "MiB-last")
	b.ReportMetric(float64(last.goroutines-first.goroutines), "goroutines-more")
	b.ReportMetric(float64(last.files-first.files), "files-more")
	const remembered = 1 << 10 // a game in the memory of opponents, and on the server
	if b.N < 20*atOnce {
		return // the connections that are kept are not all made yet
	}
	if last.heap-first.heap > int64(b.N)*remembered+2<<20 || last.goroutines > first.goroutines+2*atOnce || last.files > first.files+2*atOnce {
		b.Errorf("held at first %+v, after %d games %+v", first, b.N, last)
	}
}
