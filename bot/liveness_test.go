package bot

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// checkLiveness asks a bot whether it goes on, and gives it a moment.
func checkLiveness(t *testing.T, b *runningBot, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return b.CheckLiveness(ctx)
}

// A bot whose games go on is alive, server or not; one with a game that hangs, or
// with a lock that nobody gives back, is not.
func TestBot_CheckLiveness(t *testing.T) {
	t.Parallel()
	r := newRig(t, lichesstest.Options{})
	blocked, free := make(chan struct{}), make(chan struct{})
	b := r.start(func(b *Bot) {
		b.opts.Engine = &fakeEngine{peace: 1000}
		b.opts.Observe = func(e event.Event) {
			if _, ok := e.(event.Moved); ok {
				close(blocked)
				<-free
			}
		}
	})
	o := r.challengeAsBot(withColor(blitz, "black"))
	<-blocked // in the goroutine of the game
	if err := checkLiveness(t, b, 200*time.Millisecond); err == nil || !strings.Contains(err.Error(), "game "+o.id) {
		t.Errorf("a game hangs: %v", err)
	}
	close(free)
	if err := checkLiveness(t, b, patience); err != nil {
		t.Errorf("the game goes on: %v", err)
	}
	r.Faults.Inject("down", lichesstest.When{For: time.Hour})
	if err := checkLiveness(t, b, patience); err != nil {
		t.Errorf("the server is down: %v", err)
	}
	r.Faults.Clear()
	var err error
	b.opts.State.View(func(*record.State) { err = checkLiveness(t, b, 200*time.Millisecond) })
	if err == nil || !strings.Contains(err.Error(), "lock") {
		t.Errorf("a lock is held: %v", err)
	}
	o.resign()
	waittest.Until(t, "the game is over", func() bool { return !b.games.Has(o.id) })
	if err := checkLiveness(t, b, patience); err != nil {
		t.Errorf("no game is in progress: %v", err)
	}
	if n := b.liveness.Len(); n != 0 {
		t.Errorf("%d things are still watched", n)
	}
}

// No goroutine outlives its game, however the game was disturbed: what runs when
// all games are over ran after the first. (A cut of the event stream costs 2 s.)
func TestGames_LeaveNoGoroutine(t *testing.T) {
	r := newRig(t, lichesstest.Options{Seed: 3})
	r.AddHuman("alice", lichesstest.Greedy(1))
	b := r.start(nil)
	first := r.Challenge("alice", botName, blitz)
	r.finished(first)
	waittest.Until(t, "the first game is left", func() bool { return len(r.archive.saved()) == 1 && !b.games.Has(first) })
	before := goleak.IgnoreCurrent()
	r.Faults.Inject("cut", lichesstest.When{Class: "game", Chance: 0.04})
	r.Faults.Inject("duplicate", lichesstest.When{Chance: 0.1})
	r.Faults.Inject("odd", lichesstest.When{Chance: 0.1})
	r.Faults.Inject("fail", lichesstest.When{Chance: 0.02})
	r.Faults.Inject("lose", lichesstest.When{Chance: 0.02})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	plan := lichesstest.Schedule{
		Bot: botName, Opponents: []string{"alice"}, Games: 12, Concurrency: 4,
		Spec: func(int) lichesstest.ChallengeSpec { return blitz },
	}
	if err := r.RunGames(ctx, plan, func(lichesstest.Result) {}); err != nil {
		t.Fatal(err)
	}
	r.Faults.Clear()
	waittest.Until(t, "all games are archived", func() bool { return len(r.archive.saved()) > plan.Games })
	// Connections that are kept for the next request are no game's, nor is what
	// serves them; and the event stream may have been opened again.
	connections := []goleak.Option{
		before,
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
		goleak.IgnoreAnyFunction("net/http.(*conn).serve"),
		goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead"),
		goleak.IgnoreAnyFunction("github.com/zhbot/zhbot/bot.(*Bot).followEvents"),
		goleak.IgnoreAnyFunction("github.com/zhbot/zhbot/bot.(*eventStream).checkOnline"),
	}
	if err := goleak.Find(connections...); err != nil {
		t.Error(err)
	}
}

// resourceUse is what a process holds on to while no game is in progress.
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
	s := lichesstest.NewServer(b, lichesstest.Options{AnyClock: true})
	s.AddHuman("alice", peaceful(6, 0))
	client := s.Client(b, s.AddBot(botName))
	archive, err := record.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	bot := New(Options{
		Client: client, Engine: &fakeEngine{peace: 6}, Archive: archive, Site: s.URL(),
	}, &config.Config{Challenges: openChallenges(), Games: config.Games{Max: atOnce}})
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
