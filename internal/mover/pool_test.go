package mover

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/fixture"
)

// quick is a timing for tests.
var quick = timing{answer: 2 * time.Second, pause: 10 * time.Millisecond, longRun: time.Minute}

// testPool is a pool of a fake engine.
type testPool struct {
	*pool
	*testing.T
	log *fixture.Log

	startedMu sync.Mutex
	started   []*external.Process
}

func (p *testPool) start(c external.Command) (Process, error) {
	process, err := c.Start()
	if err == nil {
		p.startedMu.Lock()
		defer p.startedMu.Unlock()
		p.started = append(p.started, process)
	}
	return process, err
}

// starts returns all processes that were started.
func (p *testPool) starts() []*external.Process {
	p.startedMu.Lock()
	defer p.startedMu.Unlock()
	return slices.Clone(p.started)
}

// openPool opens a pool, and sees to it that none of its processes is left.
func openPool(t *testing.T, behavior string, places int, change ...func(*config.Engine, *timing)) *testPool {
	t.Helper()
	p, timing := &testPool{T: t, log: new(fixture.Log)}, quick
	e := config.Engine{Command: enginetest.Command(t, behavior), Threads: places, HashMB: 2 * places}
	for _, change := range change {
		change(&e, &timing)
	}
	p.pool = newPool(t.Context(), e, places, Options{Log: zerolog.New(p.log), StartProgram: p.start})
	p.timing = timing
	p.Start()
	if err := p.AwaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		for _, process := range p.starts() {
			select {
			case <-process.Done():
			default:
				t.Errorf("process %d is left", process.Pid())
			}
		}
		if t.Failed() {
			t.Logf("the log:\n%s", p.log)
		}
	})
	return p
}

// awaitRunning waits until some processes can be searched with, and none ends.
func (p *testPool) awaitRunning(want int) {
	p.Helper()
	fixture.Until(p, "processes run", func() bool {
		running := 0
		for _, process := range p.starts() {
			select {
			case <-process.Done():
			default:
				running++
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, s := range p.places {
			if s.process == nil || len(s.process.busy) > 0 || len(s.process.failed) > 0 {
				return false
			}
		}
		return running == want && len(p.places) == want
	})
}

// search searches the start position, undisturbed.
func (p *testPool) search(game string) error {
	l := engine.Limits{White: time.Minute, Black: time.Minute, Nodes: 500}
	_, err := p.Search(p.Context(), game, fixture.Game(p), l, time.Second, nil)
	return err
}

// play fails the test if a search does not end with an error, nil for a move.
func (p *testPool) play(game string, want error) {
	p.Helper()
	if err := p.search(game); !errors.Is(err, want) {
		p.Errorf("a search in game %s: %v, want %v", game, err, want)
	}
}

// games returns the games of the places, sorted.
func (p *testPool) games() (ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.places {
		ids = append(ids, s.game)
	}
	slices.Sort(ids)
	return ids
}

// Each game has a process of its own from its first move to its end. One that is too many
// has none, even later.
func TestPool_Search(t *testing.T) {
	t.Parallel()
	p := openPool(t, "ok", 2)
	if !strings.HasPrefix(p.Name(), "zhbot") {
		t.Errorf("the program is %q", p.Name())
	}
	for range 2 {
		p.play("a", nil)
		p.play("b", nil)
		p.play("c", errBusy)
	}
	p.EndGame("a")
	p.play("d", nil)
	p.play("c", errBusy)
	if games := p.games(); !slices.Equal(games, []string{"b", "d"}) {
		t.Errorf("the places belong to %q", games)
	}
	reports, g := 0, fixture.Game(t)
	r, err := p.Search(t.Context(), "b", g, engine.Limits{Nodes: 500}, time.Second, func(engine.Info) { reports++ })
	if err != nil || !g.Position().IsLegal(r.Move) || r.Info.PV[0] != r.Move || r.Info.Depth == 0 || reports == 0 {
		t.Errorf("%+v, %v, %d reports", r, err, reports)
	}
	if n := len(p.starts()); n != 2 {
		t.Errorf("%d processes were started", n)
	}
}

// A reload adds processes, and ends or replaces others after their games: they divide
// threads and memory anew, unless the options say otherwise.
func TestPool_Resize(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "commands")
	p := openPool(t, "records:"+file, 1, func(e *config.Engine, _ *timing) {
		e.Threads, e.HashMB, e.Options = 3, 16, []config.Option{{Name: "threads", Value: "2"}}
	})
	p.play("a", nil)
	p.Resize(2)
	p.awaitRunning(2)
	p.play("b", nil)
	p.Resize(1)
	p.play("a", nil)
	p.play("b", nil)
	p.play("c", errBusy)
	p.EndGame("a")
	p.awaitRunning(1)
	p.play("b", nil)
	p.play("c", errBusy)
	p.EndGame("b")
	p.awaitRunning(1)
	p.play("c", nil)
	var settings []string
	for line := range strings.Lines(fixture.Read(t, file)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " value "); ok &&
			name != "setoption name UCI_Variant" {
			settings = append(settings, strings.TrimPrefix(name, "setoption name ")+"="+value)
		}
	}
	if want := []string{"Hash=16", "threads=2", "Hash=8", "threads=2", "Hash=16",
		"threads=2"}; !slices.Equal(settings, want) {
		t.Errorf("the processes were told %q, want %q", settings, want)
	}
}

// With the context done the program is told to move.
func TestPool_Search_contextDone(t *testing.T) {
	t.Parallel()
	p := openPool(t, "ok", 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g := fixture.Game(t)
	r, err := p.Search(ctx, "a", g, engine.Limits{Infinite: true}, time.Second, func(engine.Info) { cancel() })
	if err != nil || !g.Position().IsLegal(r.Move) {
		t.Errorf("%+v, %v", r, err)
	}
}

// ponder ponders until the function returned is called, which waits for the end.
func (p *testPool) ponder(game string) (stop func() error) {
	p.Helper()
	ctx, cancel := context.WithCancel(p.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Search(ctx, game, fixture.Game(p, "e2e4"), engine.Limits{Ponder: true}, 0, nil)
		ended <- err
	}()
	awaitSearching(p, p.pool, true)
	return func() error { cancel(); return <-ended }
}

// awaitSearching waits until a process of a pool is searching, or until none is.
func awaitSearching(t testing.TB, p *pool, want bool) {
	t.Helper()
	fixture.Until(t, fmt.Sprintf("searching %t", want), func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.searching) > 0 == want
	})
}

// A process ponders in its game, and yields the threads to the move of another one.
func TestPool_ponder(t *testing.T) {
	t.Parallel()
	p := openPool(t, "ok", 2, func(e *config.Engine, _ *timing) { e.Threads = 1 })
	p.play("a", nil)
	stop := p.ponder("a")
	if _, err := p.Search(t.Context(), "b", fixture.Game(t), engine.Limits{Ponder: true}, 0, nil); !errors.Is(err,
		errNoPondering) {
		t.Errorf("pondering in two games on one thread: %v", err)
	}
	p.play("b", nil)
	awaitSearching(t, p.pool, false) // the process no longer ponders
	if err := stop(); err != nil {
		t.Errorf("pondering: %v", err)
	}
	stop = p.ponder("a")
	played := make(chan error, 1)
	go func() { played <- p.search("a") }()
	select {
	case err := <-played:
		t.Fatalf("a search does not wait for the end of pondering: %v", err)
	case <-time.After(10 * time.Millisecond):
	}
	if err := errors.Join(stop(), <-played); err != nil {
		t.Errorf("pondering, and a search after it: %v", err)
	}
	if n := len(p.starts()); n != 2 {
		t.Errorf("%d processes were started", n)
	}
}

// A child sees what it needs, and no token, in whatever variable that is.
func TestPool_environment(t *testing.T) {
	for _, name := range []string{"ZHBOT_LICHESS_TOKEN", "LICHESS_TOKEN", "TOKEN", "CREDENTIALS_DIRECTORY"} {
		t.Setenv(name, "lip_verysecret")
	}
	file := filepath.Join(t.TempDir(), "environment")
	openPool(t, "environment:"+file, 1)
	text := fixture.Read(t, file)
	if strings.Contains(text, "verysecret") || !strings.Contains(text, "PATH=") {
		t.Errorf("the child sees\n%s", text)
	}
}

// Kill does not wait for a pool that hangs.
func TestPool_Kill(t *testing.T) {
	t.Parallel()
	p := openPool(t, "ok", 2)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Kill()
	for _, process := range p.starts() {
		<-process.Done()
	}
}

func TestTryProgram(t *testing.T) {
	t.Parallel()
	for behavior, want := range map[string]string{"ok": "", "illegal": "search: illegal move",
		"crash": "segmentation fault", "chess": "does not play crazyhouse", "hang": "does not answer",
		"xboard:" + filepath.Join(t.TempDir(), "commands"): "where a drop mates"} {
		e := config.Engine{Command: enginetest.Command(t, behavior), Threads: 1, HashMB: 1}
		if strings.HasPrefix(behavior, config.XBoard) {
			e.Protocol = config.XBoard
		}
		name, move, err := TryProgram(t.Context(), e, 1, Options{})
		switch {
		case err == nil && want == "" && strings.HasPrefix(name, "zhbot") && strings.HasSuffix(move, "#"):
		case err == nil || want == "" || !strings.Contains(err.Error(), want):
			t.Errorf("%s: %q plays %q, %v", behavior, name, move, err)
		}
	}
}
