package soak

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// run plays games, and fails unless the report has a match for each pattern.
func run(t *testing.T, o Options, patterns ...string) {
	t.Helper()
	o.Control, o.Every, o.Seed, o.Progress = lichess.Clock{Initial: 5 * time.Minute}, time.Second, 1, io.Discard
	var out strings.Builder
	if err := Run(t.Context(), o, &out); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	text := regexp.MustCompile(" +").ReplaceAllString(out.String(), " ")
	for _, want := range append(patterns, `\nmoves doubled, illegal, out of turn 0, 0, 0\n`) {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// The table of an interrupted soak has the games so far.
func TestRun_Interrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var out fixture.Log
	ended := make(chan error, 1)
	o := Options{Games: 1000, Concurrent: 1, Control: lichess.Clock{Initial: time.Hour}, Engine: testEngine(100, 1)}
	o.Progress, o.Every = io.Discard, time.Hour
	go func() { ended <- Run(ctx, o, &out) }()
	fixture.Until(t, "a game has ended", func() bool { return out.Count("game 1/1000") == 1 })
	interrupt()
	table := regexp.MustCompile(`(?m)^games +[1-9]`)
	if err := <-ended; !errors.Is(err, context.Canceled) || !table.MatchString(out.String()) {
		t.Errorf("ended with %v, printed\n%s", err, &out)
	}
}

func testEngine(nodes, hashMB int) config.Engine {
	e := config.Default().Engine
	e.Threads, e.MaxNodes, e.HashMB = 1, nodes, hashMB
	return e
}

// Faults that withhold nothing cost no game, and the report says so.
func TestRun(t *testing.T) {
	mild, err := ParseFaults("mild")
	if err != nil {
		t.Fatal(err)
	}
	run(t, Options{Games: 3, Concurrent: 3, Faults: mild, Engine: testEngine(100, 1)},
		`3 games at 5\+0, 3 at once, faults mild, seed 1\n`, `\ngame 3/3 `, `\ngames 3\n`,
		`\nmoves lost 0 games missing or wrong in the records\n`, `\nfaults chunk:`)
}

// TestMain makes the test binary an engine program that crashes in every third search.
func TestMain(m *testing.M) {
	enginetest.Serve(func(_, _, _ string, searches int) (pass bool) {
		if searches == 3 {
			enginetest.Crash("out of luck")
		}
		return true
	})
	os.Exit(m.Run())
}

// Another program searches, and crashes again and again: our own search plays on, and is
// counted.
func TestRun_EngineProgram(t *testing.T) {
	program := testEngine(1000, 8)
	program.Command = enginetest.Command(t, "crash")
	run(t, Options{Games: 4, Concurrent: 2, Engine: program},
		`\nlost by anything other than chess 0\n`, `\nmoves by the engine program [1-9]`,
		`\nfallbacks to our own search .*crashed:[1-9]`)
}

// Each fault hits a process that is running.
func TestPrograms(t *testing.T) {
	s, rng := new(soak), rand.New(rand.NewPCG(1, 2))
	p, killOne := &s.programs, s.harm(kill)
	killOne(&lichesstest.Injection{Rand: rng}) // there is none
	process, err := p.start(external.Command{Line: enginetest.Command(t, "crash")})
	if err != nil {
		t.Fatal(err)
	}
	f := p.pick(rng)
	for range 5 {
		freeze(f, rng)
	}
	if f.hasExited() {
		t.Fatal("the process has exited")
	}
	for f.corruption.Load() == nil || f.corruption.Load().flood == "" {
		corrupt(f, rng)
	}
	b := make([]byte, 1000)
	if n, err := process.Read(b); n != len(b) || err != nil {
		t.Errorf("a flood of %d bytes, %v", n, err)
	}
	killOne(&lichesstest.Injection{Rand: rng})
	<-f.Done()
	if n, err := process.Read(b); n != 0 || err == nil {
		t.Errorf("after the end %d bytes, %v", n, err)
	}
	if p.pick(rng) != nil {
		t.Error("a dead process is picked")
	}
	if err := process.Close(); err != nil {
		t.Error(err)
	}
}

// What the faults make of the output of a program.
func TestFaultyOutput(t *testing.T) {
	b := []byte("info depth 3\nbestmove e2e4 ponder e7e5\n")
	if makeMoveIllegal(b); string(b) != "info depth 3\nbestmove a1a1 ponder e7e5\n" {
		t.Errorf("illegal: %q", b)
	}
	b = []byte("info depth 3\n")
	if makeMoveIllegal(b); string(b) != "info depth 3\n" {
		t.Errorf("without a move: %q", b)
	}
}

func TestParseFaults(t *testing.T) {
	for text, want := range map[string]string{
		"none": ".", "cut,disk": "cut,disk.", "kill,mild": "fail,stray,", "engine": "kill,freeze,corrupt.",
		"mild": "fail,stray,token,switch,",
	} {
		f, err := ParseFaults(text)
		if names := strings.Join(f.names, ","); err != nil || f.String() != text ||
			!strings.HasPrefix(names+".", want) {
			t.Errorf("%q: %s, %v", text, names, err)
		}
	}
	if _, err := ParseFaults("cut,rain"); err == nil || !strings.Contains(err.Error(), `"rain" is not one of all, `) {
		t.Errorf("unknown fault: %v", err)
	}
}

func TestOptions_CannotHappen(t *testing.T) {
	for _, tt := range []struct {
		faults, command string
		child, want     bool
	}{
		{"none", "", false, false}, {"all", "", false, false}, {"all", "", true, false},
		{"engine", "", false, true}, {"kill,cut", "", false, false}, {"kill,freeze", "program", false, false},
		{"engine", "program", true, true}, {"crash,start", "", false, true}, {"crash", "", true, false},
		{"disk,panic", "", true, true}, {"disk", "", false, false},
	} {
		faults, err := ParseFaults(tt.faults)
		o := Options{Engine: config.Engine{Command: tt.command}, Child: tt.child, Faults: faults}
		if err != nil || o.CannotHappen() != tt.want {
			t.Errorf("%+v: %t, %v", tt, !tt.want, err)
		}
	}
}
