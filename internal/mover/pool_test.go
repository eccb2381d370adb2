package mover

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/internal/logtest"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// quick is a timing for tests.
var quick = timing{
	answer: 2 * time.Second, start: time.Minute, newGame: time.Minute,
	pause: 10 * time.Millisecond, maxPause: 80 * time.Millisecond, longRun: time.Minute,
}

// starts counts the processes of a pool.
type starts struct {
	mu   sync.Mutex
	list []*external.Process
}

func (s *starts) start(c external.Command) (Process, error) {
	p, err := c.Start()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, p)
	return p, nil
}

func (s *starts) all() []*external.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// openPool opens a pool of a fake engine, and sees to it that none of its processes is left.
func openPool(t *testing.T, behavior string, processes int, timing timing) (*Pool, *starts, *logtest.Log) {
	t.Helper()
	return openPoolOf(t, config.Engine{Command: command(t, behavior), Processes: processes}, timing)
}

func openPoolOf(t *testing.T, e config.Engine, timing timing) (*Pool, *starts, *logtest.Log) {
	t.Helper()
	s, out := new(starts), new(logtest.Log)
	e.Threads, e.HashMB = e.Processes, 2*e.Processes
	p := newPool(t.Context(), e, Options{Log: zerolog.New(out), StartProgram: s.start}, timing)
	p.Start()
	if err := p.AwaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		for _, process := range s.all() {
			select {
			case <-process.Done():
			default:
				t.Errorf("process %d is left", process.Pid())
			}
		}
		if t.Failed() {
			t.Logf("the log:\n%s", out)
		}
	})
	return p, s, out
}

// someTime is for searches that nothing disturbs.
var someTime = engine.Limits{White: time.Minute, Black: time.Minute, Nodes: 500}

// Each game has a process of its own while there are enough, and keeps it.
func TestPool_Search(t *testing.T) {
	t.Parallel()
	p, s, _ := openPool(t, "ok", 2, quick)
	if !strings.HasPrefix(p.Name(), "zhbot") || len(p.workers) != 2 {
		t.Errorf("%d processes of %q", len(p.workers), p.Name())
	}
	waittest.Until(t, "both processes run", func() bool { return len(s.all()) == 2 && p.alive() == 2 })
	g := rulestest.Game(t)
	reports := 0
	for range 3 {
		for _, game := range []string{"a", "b"} {
			r, err := p.Search(t.Context(), game, g, someTime, time.Second, func(engine.Info) { reports++ })
			if err != nil || !g.Position().IsLegal(r.Move) || r.Info.PV[0] != r.Move || r.Info.Depth == 0 {
				t.Fatalf("%+v, %v", r, err)
			}
		}
	}
	if reports == 0 { // a result that is there does not wait for its report
		t.Error("no search was reported")
	}
	if games := p.games(); !slices.Equal(games, []string{"a", "b"}) {
		t.Errorf("the processes belong to %q", games)
	}
	p.EndGame("a")
	if _, err := p.Search(t.Context(), "c", g, someTime, time.Second, nil); err != nil {
		t.Fatal(err)
	}
	if games := p.games(); !slices.Equal(games, []string{"b", "c"}) {
		t.Errorf("after the end of a game the processes belong to %q", games)
	}
	if _, err := p.Search(t.Context(), "d", g, someTime, time.Second, nil); err != nil { // takes the one idle for longest
		t.Fatal(err)
	}
	if games := p.games(); !slices.Equal(games, []string{"c", "d"}) {
		t.Errorf("with more games the processes belong to %q", games)
	}
}

// alive returns how many processes can be searched with.
func (p *Pool) alive() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.workers {
		if s.running != nil {
			n++
		}
	}
	return n
}

// games returns the games of the workers, sorted.
func (p *Pool) games() (ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.workers {
		ids = append(ids, s.game)
	}
	slices.Sort(ids)
	return ids
}

// Whatever the program does, the search ends in time, and the process is replaced.
func TestPool_Search_fails(t *testing.T) {
	t.Parallel()
	is := func(targets ...error) func(error) bool {
		return func(err error) bool {
			return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
		}
	}
	var illegal *external.IllegalMoveError
	for behavior, want := range map[string]func(error) bool{
		"crash":   is(external.ErrExited),
		"illegal": func(err error) bool { return errors.As(err, &illegal) },
		"hang":    is(ErrLate),
		"flood":   is(external.ErrFlood, ErrLate),
	} {
		t.Run(behavior, func(t *testing.T) {
			t.Parallel()
			timing := quick
			timing.answer = 200 * time.Millisecond
			p, s, _ := openPool(t, behavior, 1, timing)
			l, grace := engine.Limits{MoveTime: 400 * time.Millisecond}, 100*time.Millisecond
			var err error
			began := time.Now()
			waittest.Until(t, "the process runs", func() bool {
				_, err = p.Search(t.Context(), "a", rulestest.Game(t), l, grace, nil)
				return !errors.Is(err, ErrNotRunning) && !errors.Is(err, ErrBusy)
			})
			if took := time.Since(began); !want(err) || took > 30*time.Second {
				t.Errorf("after %s: %v", took, err)
			}
			waittest.Until(t, "the process is replaced", func() bool { return len(s.all()) > 1 })
		})
	}
}

// An answer that comes late does not count, but its process goes on.
func TestPool_Search_lateAnswer(t *testing.T) {
	t.Parallel()
	p, s, _ := openPool(t, "late", 1, quick)
	began := time.Now()
	_, err := p.Search(t.Context(), "a", rulestest.Game(t), engine.Limits{MoveTime: 50 * time.Millisecond}, 50*time.Millisecond, nil)
	if !errors.Is(err, ErrLate) {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
	if _, err := p.Search(t.Context(), "a", rulestest.Game(t), engine.Limits{MoveTime: time.Hour}, time.Second, nil); !errors.Is(err, ErrNotRunning) {
		t.Errorf("the next search, until then: %v", err)
	}
	waittest.Until(t, "it is idle again", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.workers[0].request == nil
	})
	if n := len(s.all()); n != 1 {
		t.Errorf("%d processes were started", n)
	}
}

// A search that is given up just as it ends has its result, and the next search in its
// worker is not late.
func TestRequest_giveUpAtItsEnd(t *testing.T) {
	t.Parallel()
	p := &Pool{changed: make(chan struct{})}
	s := &worker{pool: p}
	c := &request{pool: p, worker: s, running: new(running), done: make(chan struct{}), result: engine.Result{Info: engine.Info{Depth: 3}}}
	c.release()
	s.request = &request{pool: p, worker: s}
	if r, err := c.giveUp(); err != nil || r.Info.Depth != 3 || s.request.late {
		t.Errorf("%+v, %v; the next search is late: %t", r, err, s.request.late)
	}
}

// With the context done the best move so far counts.
func TestPool_Search_contextDone(t *testing.T) {
	t.Parallel()
	p, _, _ := openPool(t, "hang", 1, quick)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := p.Search(ctx, "a", rulestest.Game(t), engine.Limits{Infinite: true}, time.Second, func(engine.Info) { cancel() })
	if err != nil || r.Move.String() != "e2e4" || r.Info.Depth != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A panic of whoever gets the reports leaves the process usable.
func TestPool_Search_panicInReport(t *testing.T) {
	t.Parallel()
	p, s, _ := openPool(t, "ok", 1, quick)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_, _ = p.Search(t.Context(), "a", rulestest.Game(t), someTime, time.Second, func(engine.Info) { panic("x") })
	}()
	if _, err := p.Search(t.Context(), "a", rulestest.Game(t), someTime, time.Second, nil); err != nil || len(s.all()) != 1 {
		t.Errorf("%v, %d processes", err, len(s.all()))
	}
}

// One process for two games: the second one does not wait longer than a part of its time,
// and pondering never keeps a search from a process.
func TestPool_busy(t *testing.T) {
	t.Parallel()
	p, _, _ := openPool(t, "ok", 1, quick)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	searching := make(chan struct{})
	wg.Go(func() {
		report := sync.OnceFunc(func() { close(searching) })
		if _, err := p.Search(ctx, "a", rulestest.Game(t), engine.Limits{Infinite: true}, time.Second, func(engine.Info) { report() }); err != nil {
			t.Error(err)
		}
	})
	<-searching
	if _, err := p.Search(t.Context(), "b", rulestest.Game(t), engine.Limits{MoveTime: 20 * time.Millisecond}, time.Second, nil); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	ponder := engine.Limits{Ponder: true}
	if _, err := p.Search(t.Context(), "b", rulestest.Game(t), ponder, 0, nil); !errors.Is(err, errNoPondering) {
		t.Errorf("pondering with another game's process: %v", err)
	}
	cancel()
	wg.Wait()

	waittest.Until(t, "the process is idle", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.workers[0].request == nil
	})
	wg.Go(func() {
		if _, err := p.Search(t.Context(), "a", rulestest.Game(t, "e2e4"), ponder, 0, nil); err != nil {
			t.Errorf("pondering: %v", err)
		}
	})
	waittest.Until(t, "the process ponders", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.workers[0].request != nil
	})
	if _, err := p.Search(t.Context(), "b", rulestest.Game(t), someTime, time.Second, nil); err != nil {
		t.Errorf("a search while the process ponders: %v", err)
	}
	wg.Wait()
}

// A child sees what it needs, and no token, in whatever variable that is.
func TestPool_environment(t *testing.T) {
	for _, name := range []string{"ZHBOT_LICHESS_TOKEN", "LICHESS_TOKEN", "TOKEN", "CREDENTIALS_DIRECTORY"} {
		t.Setenv(name, "lip_verysecret")
	}
	file := filepath.Join(t.TempDir(), "environment")
	openPool(t, "environment:"+file, 1, quick)
	text := filetest.Read(t, file)
	if strings.Contains(text, "verysecret") || !strings.Contains(text, "PATH=") {
		t.Errorf("the child sees\n%s", text)
	}
}

// Kill does not wait for a pool that hangs.
func TestPool_Kill(t *testing.T) {
	t.Parallel()
	p, s, _ := openPool(t, "ok", 2, quick)
	waittest.Until(t, "both processes run", func() bool { return p.alive() == 2 })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Kill()
	for _, process := range s.all() {
		<-process.Done()
	}
}

// Threads and memory are shared out, unless the options say otherwise.
func TestPool_resources(t *testing.T) {
	t.Parallel()
	p := &Pool{engine: config.Engine{Processes: 3, Threads: 8, HashMB: 100}}
	if got := p.resources(); got[0].Value != "2" || got[1].Value != "33" || p.maxSearching() != 4 {
		t.Errorf("%v, %d at once", got, p.maxSearching())
	}
	p = &Pool{engine: config.Engine{Processes: 4, Threads: 2, HashMB: 2}}
	if got := p.resources(); got[0].Value != "1" || got[1].Value != "1" || p.maxSearching() != 2 {
		t.Errorf("%v, %d at once", got, p.maxSearching())
	}
}

func TestTryProgram(t *testing.T) {
	t.Parallel()
	name, move, err := TryProgram(t.Context(), config.Engine{Command: command(t, "ok"), Threads: 1, HashMB: 1}, Options{})
	if err != nil || !strings.HasPrefix(name, "zhbot") || !strings.HasSuffix(move, "#") {
		t.Errorf("%q plays %q, %v", name, move, err)
	}
	for behavior, want := range map[string]string{"illegal": "search: illegal move", "crash": "segmentation fault", "chess": "does not play crazyhouse"} {
		if _, _, err := TryProgram(t.Context(), config.Engine{Command: command(t, behavior), Threads: 1, HashMB: 1}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", behavior, err, want)
		}
	}
}

func TestStderrLog(t *testing.T) {
	t.Parallel()
	var out logtest.Log
	w := newStderrLog(zerolog.New(&out))
	long := strings.Repeat("x", 5000)
	for _, part := range []string{"loading ", "network\n", long, long + "\nbad \xff\n", strings.Repeat("again\n", 1000)} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	text := out.String()
	if !strings.Contains(text, `"text":"loading network"`) || strings.Contains(text, strings.Repeat("x", maxStderrLine+1)) || !strings.Contains(text, `"text":"bad ?"`) {
		t.Errorf("the log says %.1000s", text)
	}
	if n := strings.Count(text, "\n"); n > stderrBurst {
		t.Errorf("%d lines were logged", n)
	}
}
