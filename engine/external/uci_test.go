package external

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// newFake returns a fake engine, over CECP if its behaviour says so, in a new game.
func newFake(t *testing.T, behavior string) *Engine {
	t.Helper()
	config := Config{}
	if strings.HasPrefix(behavior, "cecp-") {
		config.Protocol = CECP
	}
	c, err := New(t.Context(), startFake(t, behavior), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.NewGame(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

var oneMinute = engine.Limits{White: time.Minute, Black: time.Minute}

// A search by another process finds the same as one in this process with the same options, in
// each game anew.
func TestEngine_Search(t *testing.T) {
	t.Parallel()
	o := Config{Options: []Option{{"hash", "2"}, {"Threads", "1"}}, Preferred: []Option{{"Contempt", "1"}}}
	c, err := New(t.Context(), startFake(t, "zhbot"), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !strings.Contains(c.Name(), "zhbot") {
		t.Errorf("Name() = %q", c.Name())
	}
	limits := engine.Limits{Nodes: 3000}
	for range 2 {
		if err := c.NewGame(t.Context()); err != nil {
			t.Fatal(err)
		}
		local := engine.New(engine.Options{Threads: 1, HashMB: 2})
		// Black to move after castling and a capture
		g := fixture.Game(t, "e2e4 e7e5 g1f3 d7d6 f1c4 a7a6 e1g1 b7b6 d2d4 e5d4")
		for range 5 {
			want, err := local.Search(t.Context(), g, limits, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.Search(t.Context(), g, limits)
			if i := r.Info; err != nil || r.Move != want.Move || i.Nodes != want.Info.Nodes ||
				i.Score != want.Info.Score ||
				i.Depth != want.Info.Depth || i.Time <= 0 || i.NPS == 0 {
				t.Fatalf("ply %d: %+v, %v, want %+v", g.Ply(), r, err, want)
			}
			fixture.Play(t, g, g.Position().UCI(want.Move))
		}
	}
}

// pipes joins the ends of two pipes.
type pipes struct {
	io.Reader
	io.WriteCloser
}

func TestEngine_garbage(t *testing.T) {
	t.Parallel()
	r, err := newFake(t, "garbage").Search(t.Context(), fixture.Game(t), engine.Limits{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if i := r.Info; r.Move.String() != "e2e4" || i.Depth != 7 || i.Nodes != 90 || i.Score != 12 {
		t.Errorf("Search returned %+v", r)
	}
}

func TestNew_refuses(t *testing.T) {
	t.Parallel()
	for behavior, want := range map[string]string{
		"chess":        "does not play crazyhouse",
		"garbage":      `zhbot fake garbage has no option "Contempt"`,
		"silent":       "UCI handshake: the engine does not answer",
		"cecp-chess":   "does not play crazyhouse",
		"cecp-san":     "wants moves in SAN",
		"cecp-no-ping": "does not support ping",
		"cecp-plays":   `Fake 1.0 has no option "Contempt"`,
	} {
		config := Config{Options: []Option{{"Contempt", "1"}}}
		if strings.HasPrefix(behavior, "cecp-") {
			config.Protocol = CECP
		}
		if behavior == "silent" {
			config.StartTimeout = 50 * time.Millisecond
		}
		if _, err := New(t.Context(), startFake(t, behavior), config); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: New returned %v, want %q", behavior, err, want)
		}
	}
}

// answers are those of an engine to the lines of a handshake.
var answers = map[string]string{
	"uci": "option name UCI_Variant type combo default chess var crazyhouse\nuciok\n", "isready": "readyok\n",
}

// flooding is an engine that floods at once, or after it was ready.
func flooding(kind string, idle bool) pipes {
	in, toEngine := io.Pipe()
	fromEngine, out := io.Pipe()
	go func() {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			if idle {
				_, _ = io.WriteString(out, answers[lines.Text()])
			}
			if !idle || lines.Text() == "isready" {
				flood(kind, in, out)
			}
		}
	}()
	return pipes{fromEngine, toEngine}
}

// What an engine may write is limited whatever it writes, during the handshake and while it
// is idle.
func TestNew_flood(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"blank", "word", "lines", "long", "options", "names"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			patient := Config{StartTimeout: time.Hour}
			if _, err := New(t.Context(), flooding(kind, false), patient); !errors.Is(err, ErrFlood) {
				t.Errorf("New returned %v, want %v", err, ErrFlood)
			}
			if kind == "names" {
				return // they are few
			}
			u, err := New(t.Context(), flooding(kind, true), Config{})
			if err == nil { // it may flood before its last answer is read
				defer u.Close()
				<-u.Done()
				err = u.Err()
			}
			if !errors.Is(err, ErrFlood) {
				t.Errorf("it ended with %v, want %v", err, ErrFlood)
			}
		})
	}
	floods := Config{Protocol: CECP, StartTimeout: time.Hour}
	if _, err := New(t.Context(), flooding("feature", false), floods); !errors.Is(err, ErrFlood) {
		t.Errorf("New returned %v, want %v", err, ErrFlood)
	}
}

// A handshake has a limit in all, however many answers it takes, also if the engine reads
// nothing.
func TestNew_slowly(t *testing.T) {
	t.Parallel()
	for pause, want := range map[time.Duration]error{30 * time.Second: nil, 58 * time.Second: ErrTimeout} {
		synctest.Test(t, func(t *testing.T) {
			fromEngine, out := io.Pipe()
			in, toEngine := io.Pipe()
			go func() {
				defer out.Close()
				for lines := bufio.NewScanner(in); lines.Scan(); {
					if strings.HasPrefix(lines.Text(), "setoption") {
						time.Sleep(pause)
						continue
					}
					time.Sleep(3 * time.Second)
					fmt.Fprintln(out, answers[lines.Text()])
				}
			}()
			e, err := New(t.Context(), pipes{fromEngine, toEngine}, Config{})
			if !errors.Is(err, want) {
				t.Errorf("after a pause of %v: %v, want %v", pause, err, want)
			}
			if err == nil {
				_ = e.Close()
			}
		})
	}
}

// A program that ignores its input is killed at its end, at once when it is told so, and
// after an interrupt.
func TestProcess_kill(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Process, context.CancelFunc){
		"close":     func(p *Process, _ context.CancelFunc) {},
		"kill":      func(p *Process, _ context.CancelFunc) { p.Kill(); <-p.Done() },
		"interrupt": func(p *Process, cancel context.CancelFunc) { cancel(); <-p.Done() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := startFakeFor(ctx, t, "ignores-input")
			if _, err := p.Read(make([]byte, 100)); err != nil { // it is running
				t.Fatal(err)
			}
			end(p, cancel)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if err := p.ExitError(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Errorf("exit error %v, want it killed", err)
			}
		})
	}
}

func TestStartProcess_errors(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"":           "names no program",
		"  ":         "names no program",
		"x 'lip_y":   "a quote ' is not closed",
		"/no/e lip_": `"/no/e"`,
		"none lip_":  `"none"`,
	} {
		_, err := StartProcess(t.Context(), command)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "lip_") {
			t.Errorf("StartProcess(%q) = %v, want %q", command, err, want)
		}
	}
}

func TestSplitWords(t *testing.T) {
	t.Parallel()
	got, err := splitWords(`"my engine"  -x='a b' "" c`)
	if want := []string{"my engine", "-x=a b", "", "c"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("splitWords = %q, %v, want %q", got, err, want)
	}
}

func TestParseOption(t *testing.T) {
	t.Parallel()
	if o, err := ParseOption("Move Overhead = 10"); err != nil || o != (Option{"Move Overhead", "10"}) {
		t.Errorf("ParseOption = %v, %v", o, err)
	}
	if o, err := ParseOption("Clear Hash="); err != nil || o != (Option{"Clear Hash", ""}) {
		t.Errorf("ParseOption = %v, %v", o, err)
	}
	for _, bad := range []string{"", "Hash", "=3", "Hash=1\nquit"} {
		if o, err := ParseOption(bad); err == nil {
			t.Errorf("ParseOption(%q) = %v, want an error", bad, o)
		}
	}
}

func TestParseInfo(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]engine.Info{
		"depth 5 seldepth 9 multipv 1 score cp -31 nodes 821 nps 2 hashfull 3 time 3 pv e7e5": {Depth: 5,
			Score: -31, Nodes: 821},
		"depth 5 score mate 3 lowerbound nodes 7": {Depth: 5,
			Score: engine.MateScore(3), Nodes: 7},
		"score mate -2":              {Score: engine.MateScore(-2)},
		"score cp 99999999":          {Score: 30000},
		"multipv 2 depth 5":          {},
		"string depth 5 score cp 3":  {},
		"currmove e2e4 depth 5":      {Depth: 5},
		"depth -4 nodes -5 score cp": {},
		"":                           {},
	} {
		var got engine.Info
		if parseInfo(&got, line); !reflect.DeepEqual(got, want) {
			t.Errorf("parseInfo(%q) = %+v, want %+v", line, got, want)
		}
	}
}

func TestParseThinking(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		" 9.    -31   12  4321  e4 e5":            "9 cp -31 4321 [e4 e5]",
		"12 35 100 20000 18 500000 0\t e2e4 e7e5": "12 cp 35 20000 [e2e4 e7e5]",
		"13 100003 100 20000 18 500000 0\t e2e4":  "13 mate 3 20000 [e2e4]",
		"13 -100002 100 20000 18 500000 0\t e2e4": "13 mate -2 20000 [e2e4]",
		"0 -100000 0 1 0 0 0\t":                   "0 mate 0 1 []",
		"13 99999 100 20000":                      "13 cp 30000 20000 []",
		"13 35 100 e2e4":                          "0 cp 0 0 []",
	} {
		var i engine.Info
		pv, ok := parseThinking(&i, line)
		if got := fmt.Sprint(i.Depth, " ", i.Score, " ", i.Nodes, " ", pv); got != want || ok != (i.Nodes > 0) {
			t.Errorf("parseThinking(%q) = %q, %t, want %q", line, got, ok, want)
		}
	}
}

func TestGoLine(t *testing.T) {
	t.Parallel()
	start := rules.StartPosition()
	only := []rules.Move{rules.NewMove(8, 16), rules.NewMove(9, 25)}
	for want, l := range map[string]engine.Limits{
		"go":                               {},
		"go nodes 5000":                    {Nodes: 5000},
		"go movetime 20 depth 9":           {MoveTime: 20 * time.Millisecond, Depth: 9},
		"go movetime 1":                    {MoveTime: 500 * time.Microsecond},
		"go wtime 3000 btime 1 winc 30":    {White: 3 * time.Second, WhiteInc: 30 * time.Millisecond},
		"go wtime 1 btime 9 movestogo 4":   {Black: 9 * time.Millisecond, MovesToGo: 4},
		"go infinite":                      {Ponder: true, White: time.Second},
		"go nodes 9 searchmoves a2a3 b2b4": {Nodes: 9, SearchMoves: only},
	} {
		if got := goLine(&start, l); got != want {
			t.Errorf("goLine(%+v) = %q, want %q", l, got, want)
		}
	}
}

func TestPositionLine(t *testing.T) {
	t.Parallel()
	g := fixture.Game(t, "e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1h1")
	if got, want := positionLine(g), "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1"; got != want {
		t.Errorf("positionLine = %q, want %q", got, want)
	}
	p := *g.Position()
	if got, want := positionLine(rules.NewGame(p)), "position fen "+p.FEN(); got != want {
		t.Errorf("positionLine = %q, want %q", got, want)
	}
}

func FuzzParseInfo(f *testing.F) {
	f.Add("depth 5 seldepth 9 multipv 1 score cp -31 nodes 821 nps 2 hashfull 3 time 3 pv e7e5")
	f.Add("score mate -9223372036854775808 nodes 18446744073709551615")
	f.Fuzz(func(t *testing.T, line string) {
		var i engine.Info
		parseInfo(&i, line)
		parseThinking(&i, line)
		if moves, ok := i.Score.MateIn(); ok && (moves < -64 || moves > 64) || i.Depth < 0 || int64(i.Nodes) < 0 {
			t.Errorf("%q was read as %+v", line, i)
		}
	})
}

// What becomes of a search with a bad engine. One that hangs or is slow is told to stop.
func TestEngine_badEngines(t *testing.T) {
	t.Parallel()
	for behavior, want := range map[string]string{
		"crash":              "the engine ended: exit status 3 (it said \"out of luck\")",
		"exit":               "the engine ended",
		"illegal":            "illegal move Q@e4",
		"no-move":            "a move is missing",
		"hang":               "the engine does not answer",
		"slow":               "",
		"cecp-crash":         "the engine ended: exit status 1 (it said \"bus error\")",
		"cecp-resigns":       "the engine resigned",
		"cecp-reports-loss":  "the engine resigned",
		"cecp-claims-draw":   "the engine claims that the game is over: 1/2-1/2 {50 move rule}",
		"cecp-illegal":       "illegal move N@f6",
		"cecp-rejects-moves": "the engine rejects a legal move of its opponent",
		"cecp-hang":          "the engine does not answer",
		"cecp-slow":          "",
	} {
		t.Run(behavior, func(t *testing.T) {
			t.Parallel()
			fake, ctx := newFake(t, behavior), t.Context()
			if strings.HasSuffix(behavior, "hang") || want == "" {
				fake.timeout = 100 * time.Millisecond
				if want == "" {
					fake.timeout = time.Minute
				}
				done, cancel := context.WithCancel(ctx)
				cancel()
				ctx = done
			}
			g := fixture.Game(t, "e2e4", "e7e5")
			r, err := fake.Search(ctx, g, oneMinute)
			if want == "" && (err != nil || !g.Position().IsLegal(r.Move)) ||
				want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("Search returned %s, %v, want %q", r.Move, err, want)
			}
			if isIllegal := errors.As(err, new(*IllegalMoveError)); isIllegal != strings.Contains(fmt.Sprint(err),
				"illegal move") {
				t.Errorf("%v: an illegal move is %t", err, isIllegal)
			}
		})
	}
}
