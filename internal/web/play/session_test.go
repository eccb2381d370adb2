package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// scriptedEngine plays given moves, each after the same time, and then the first legal one.
type scriptedEngine struct {
	thinks time.Duration
	script string // moves in UCI notation
	score  engine.Score
	err    error
	next   atomic.Int32
	limits atomic.Pointer[engine.Limits] // of the last search
}

func (e *scriptedEngine) Search(ctx context.Context, g *rules.Game, l engine.Limits,
	report func(engine.Info)) (engine.Result, error) {
	e.limits.Store(&l)
	info := engine.Info{Depth: 1, Score: e.score, PV: g.Position().LegalMoves()[:1]}
	if report != nil {
		report(info)
	}
	select {
	case <-time.After(e.thinks):
	case <-ctx.Done():
	}
	m := info.PV[0]
	if script := strings.Fields(e.script); report == nil { // not an evaluation
		if i := int(e.next.Add(1)) - 1; i < len(script) {
			m, _ = g.Position().ParseUCI(script[i]) // an illegal one is none
		}
	}
	return engine.Result{Move: m, Info: info}, e.err
}

// newPage returns a page of a session with an engine.
func newPage(tb testing.TB, e Engine, settings Settings, archive func(*pgn.Game) error) *Page {
	tb.Helper()
	if settings.Start == (rules.Position{}) {
		settings.Start = rules.StartPosition()
	}
	p, err := New(Options{
		Listen: "127.0.0.1:8081", Engine: e, EngineName: "zhbot", About: "zhbot test", Archive: archive,
		MoveTime: 20 * time.Millisecond, EvaluationTime: 200 * time.Millisecond, Log: zerolog.Nop(),
	}, settings)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { p.Close() })
	return p
}

// game returns the game as the page is sent it.
func (p *Page) game() gamePart {
	state, _ := p.shown(true)
	return state.(pageState).Game
}

// describe describes the game as the page is sent it: its moves, what is going on, the seconds
// of the clocks, the end.
func (p *Page) describe() string {
	var words []string
	g := p.game()
	for _, step := range g.Steps {
		words = append(words, step.SAN)
	}
	say := func(is bool, word string) {
		if is {
			words = append(words, word)
		}
	}
	say(g.Thinking, "…")
	if c := g.Clock; c != nil {
		seconds := func(ms int64) string { return (time.Duration(ms) * time.Millisecond).Round(time.Second).String() }
		words = append(words, seconds(c.White)+"-"+seconds(c.Black))
		say(c.Running, "runs")
	}
	say(g.Over, g.Result+" ("+g.Score+")")
	return strings.Join(words, " ")
}

// send sends a command with fields of its JSON, and returns why it is refused, with the status.
func (p *Page) send(command, fields string) (refusal string) {
	w := post(p.Handler(), command, fmt.Sprintf(`{"revision":%d%s}`, p.game().Revision,
		strings.TrimRight(","+fields, ",")))
	var answer struct{ Error string }
	if w.Code == http.StatusNoContent || json.Unmarshal(w.Body.Bytes(), &answer) != nil {
		return ""
	}
	return fmt.Sprintf("%d %s", w.Code, answer.Error)
}

// follow follows a script: in each line a command, "play" for several moves, "sleep" for a
// time, or "limits" of the engine's search; after an arrow what is shown then or, from "..."
// on, how that ends, or else why the command is refused, which changes nothing.
func (p *Page) follow(t *testing.T, e *scriptedEngine, script string) {
	for line := range strings.Lines(strings.TrimSpace(script)) {
		command, want, _ := strings.Cut(line, "=>")
		command, fields, _ := strings.Cut(strings.TrimSpace(command), " ")
		want = strings.TrimSpace(want)
		before, refusal := p.describe(), ""
		switch command {
		case "sleep":
			d, _ := time.ParseDuration(fields)
			time.Sleep(d)
		case "play":
			for move := range strings.FieldsSeq(fields) {
				refusal += p.send("move", `"move":"`+move+`"`)
				time.Sleep(time.Millisecond)
				synctest.Wait()
			}
		case "limits":
		default:
			refusal = p.send(command, fields)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		got := p.describe()
		end, isEnd := strings.CutPrefix(want, "...")
		switch {
		case command == "limits":
			l := e.limits.Load()
			if got = fmt.Sprintf("%s %s-%s+%s weakened %t", l.MoveTime, l.White, l.Black, l.WhiteInc,
				l.Strength != human.Strength{}); got != want {
				t.Errorf("%s: %s", strings.TrimSpace(line), got)
			}
		case refusal != "":
			if got != before || !strings.Contains(want, refusal[:3]) ||
				!strings.Contains(refusal, want[min(len(want), 4):]) {
				t.Errorf("%s: refused with %s, shown: %s", strings.TrimSpace(line), refusal, got)
			}
		case isEnd && strings.HasSuffix(got, end), got == want:
		default:
			t.Errorf("%s: shown: %s", strings.TrimSpace(line), got)
		}
	}
}

const longGame = "h4 g4 a4 Na3 f4 e4 d4 c4 b4 h5 h6 g5 g6 f5 f6 e5" // against the first legal moves

// Commands do what the game allows, and else say why not.
func TestSession(t *testing.T) {
	for name, tt := range map[string]struct {
		engine *scriptedEngine
		script string
	}{
		"commands that the person's turn does not allow": {&scriptedEngine{}, `
			move "move":"e2e5"                          => 422 "e2e5": not legal in this position
			move "move":"N@f7"                          => 422 "N@f7": not legal in this position
			move "move":"<b>"                           => 422 "<b>": not a move; write it as in e4, Nf3, O-O, N@f7, e8=Q or e2e4
			move                                        => 422 "": not a move
			move "revision":0,"move":"e4"               => 422 the game has changed in the meantime
			resign "revision":2                         => 422 the game has changed in the meantime
			takeback                                    => 422 there is no move of yours to take back
			evaluate "ply":1                            => 422 the game has changed in the meantime
			evaluate "ply":-1                           => 422 the game has changed in the meantime
			draw                                        => 422 zhbot plays on
			new "side":"red","level":3,"clock":"none"   => 422 side "red": want white, black or random
			new "side":"white","level":21,"clock":"none"  => 422 from 0 to 20
			new "side":"white","level":399,"clock":"none" => 422 a rating of 400 or more
			new "side":"white","level":3,"clock":"180+2"  => 422 needs a unit; write 3+2 for 180 seconds
			new "side":"white","clock":"none","fen":"8/8/8/8/8/8/8/8 w - -" => 422 no king
			new "side":"white","clock":"none","fen":"R5k1/5ppp/8/8/8/8/8/6K1 b - -" => 422 the game is over in this position`},
		"commands that the engine's turn does not allow": {&scriptedEngine{thinks: time.Hour}, `
			new "side":"black","level":20,"clock":"½+3" => … 30s-30s
			move "move":"e4"                            => 422 it is not your turn
			takeback                                    => 422 there is no move of yours to take back
			draw                                        => 422 it is not your turn
			evaluate "ply":0                            => 422 the engine is thinking
			resign                                      => 30s-30s White won by resignation (loss)`},
		"commands after the end": {&scriptedEngine{}, `
			resign              => Black won by resignation (loss)
			move "move":"e4"    => 422 the game is over
			resign              => 422 the game is over
			draw                => 422 the game is over
			takeback            => 422 there is no move of yours to take back`},
		"moves": {&scriptedEngine{}, `
			new "side":"white","clock":"none","fen":"4k3/P7/8/8/8/2N3N1/8/4K3/n w - - 0 1" =>
			move "move":"Ne4"  => 422 "Ne4": ambiguous; name the square that the piece comes from, as in Nbd2
			move "move":"a8=N" => ...a8=N Kd7`},
		"takebacks": {&scriptedEngine{thinks: time.Second, script: "e7e5 d7d5 b8c6"}, `
			play e4             => e4 …
			sleep 1s            => e4 e5
			takeback            =>
			play d4             => d4 …
			takeback            =>
			sleep 2s            =>
			play d4             => d4 …
			sleep 1s            => d4 Nc6`},
		"mate, and a takeback of it": {&scriptedEngine{script: "h7h6"}, `
			new "side":"white","clock":"none","fen":"6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1" =>
			play R@a8           => R@a8# White won by checkmate (win)
			evaluate "ply":1    => 422 the game is over
			takeback            =>
			play R@a1           => R@a1 h6`},
		"repetition": {&scriptedEngine{script: "g8f6 f6g8 g8f6 f6g8"}, `
			play Nf3 Ng1 Nf3    => Nf3 Nf6 Ng1 Ng8 Nf3 Nf6
			play Ng1            => Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Drawn by threefold repetition (draw)`},
		"a draw that is offered early": {&scriptedEngine{score: -100}, `
			play Nf3 Nc3 Ng1 Nb1 Nf3 Nc3 => ...
			draw                => 422 zhbot plays on`},
		"a draw that is offered to a better engine": {&scriptedEngine{score: 30}, `
			play ` + longGame + ` => ...
			draw                => 422 zhbot plays on`},
		"a draw that is offered in time": {&scriptedEngine{}, `
			play ` + longGame + ` => ...
			draw                => ...Drawn by agreement (draw)`},
		"an engine that fails, and plays nonsense": {&scriptedEngine{err: errors.New("panic"), script: "e2e4"}, `
			play e4             => e4 Na6
			play d4             => e4 Na6 d4 Nb4`},
		"clocks": {&scriptedEngine{thinks: 3 * time.Second, script: "e7e5 b8c6 g8f6"}, `
			new "side":"white","level":20,"clock":"1+2" => 1m0s-1m0s
			sleep 10s           => 1m0s-1m0s
			play e4             => e4 … 1m0s-1m0s
			limits              => 0s 1m0s-1m0s+2s weakened true
			sleep 3s            => e4 e5 1m0s-1m0s runs
			sleep 5s            => e4 e5 1m0s-1m0s runs
			play Nf3            => e4 e5 Nf3 … 57s-1m0s runs
			sleep 3s            => e4 e5 Nf3 Nc6 57s-59s runs
			sleep 1s            => e4 e5 Nf3 Nc6 57s-59s runs
			takeback            => e4 e5 55s-1m0s runs`},
		"the person's time is up": {&scriptedEngine{thinks: time.Second, script: "e7e5"}, `
			new "side":"white","clock":"1+0" => 1m0s-1m0s
			play e4             => e4 … 1m0s-1m0s
			sleep 59s           => e4 e5 1m0s-1m0s runs
			sleep 3s            => e4 e5 0s-1m0s Black won on time (loss)
			play d4             => 422 the game is over`},
		"the engine's time is up": {&scriptedEngine{thinks: 70 * time.Second, script: "e7e5"}, `
			new "side":"white","clock":"1+0" => 1m0s-1m0s
			play e4             => e4 … 1m0s-1m0s
			sleep 70s           => e4 e5 1m0s-1m0s runs
			play d4             => e4 e5 d4 … 1m0s-1m0s runs
			sleep 59s           => e4 e5 d4 … 1m0s-1m0s runs
			sleep 1s            => e4 e5 d4 1m0s-0s White won on time (win)`},
		"the time for a forced reply, and for another": {&scriptedEngine{}, `
			new "side":"black","clock":"none","fen":"rnb1kbnr/pppp1ppp/4p3/8/7q/P4P2/1PPPP1PP/RNBQKBNR w KQkq -" => g3
			limits              => 1ms 0s-0s+0s weakened true
			play Qh5            => ...
			limits              => 20ms 0s-0s+0s weakened true
			evaluate "ply":0    => ...
			limits              => 200ms 0s-0s+0s weakened false`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				newPage(t, tt.engine, Settings{}, nil).follow(t, tt.engine, tt.script)
			})
		})
	}
}

// waitFor waits until the page shows what fulfils a condition.
func (p *Page) waitFor(t *testing.T, what string, holds func(gamePart, *Evaluation) bool) gamePart {
	t.Helper()
	for deadline := time.After(5 * time.Minute); ; {
		state, changed := p.shown(true)
		g, e := state.(pageState).Game, state.(pageState).Evaluation
		if holds(g, e) {
			return g
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("not within five minutes: %s; shown: %s, evaluation %+v", what, p.describe(), e)
		}
	}
}

// A person who moves at random plays the real engine to the end, as both sides: it is a
// game by the rules, and the person never has the last word.
func TestSession_WholeGames(t *testing.T) {
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	for _, side := range []rules.Color{rules.White, rules.Black} {
		p, random := newPage(t, e, Settings{Side: side, Level: 12}, nil), rand.New(rand.NewPCG(1, uint64(side)))
		for over := false; !over; {
			g := p.waitFor(t, "the person is to move",
				func(g gamePart, _ *Evaluation) bool { return g.Over || len(g.Legal) > 0 })
			if over = g.Over; !over {
				p.send("move", `"move":"`+g.Legal[random.IntN(len(g.Legal))]+`"`)
			} else if o := p.state.game.Outcome(rules.Threefold); o.Result() != p.state.ending.Result ||
				g.Score == "win" {
				t.Errorf("%s; on the board it is %s", p.describe(), o.Result())
			}
		}
	}
}

// An evaluation is made by the real engine at full strength, of any position of the game,
// and ends with the next move.
func TestSession_Evaluate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // whose clock stands still while the engine searches
		p := newPage(t, engine.New(engine.Options{Threads: 1, HashMB: 1}), Settings{}, nil)
		p.send("new", `"side":"white","clock":"none","fen":"6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1"`)
		none := func(_ gamePart, e *Evaluation) bool { return e == nil }
		revision := p.game().Revision
		p.send("evaluate", `"ply":0`)
		p.waitFor(t, "the mate is found", func(g gamePart, e *Evaluation) bool {
			return e != nil && !e.Searching && e.Mate == 1 && e.Best != "" && strings.HasSuffix(e.Line, "8#") &&
				g.Revision == revision
		})
		p.send("move", `"move":"h3"`)
		p.waitFor(t, "after a move there is none", none)
		p.waitFor(t, "the engine has moved", func(g gamePart, _ *Evaluation) bool { return len(g.Legal) > 0 })
		p.send("evaluate", `"ply":1`)
		p.waitFor(t, "there is one", func(_ gamePart, e *Evaluation) bool {
			return e != nil && e.Depth > 0 &&
				e.Ply == 1
		})
		p.send("evaluate", `"ply":2`) // instead of the other one
		p.send("resign", "")
		p.waitFor(t, "after the end there is none", none)
	})
}

// The PGN has names and clocks on the right sides, whoever begins.
func TestSession_PGN(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{`
			new "side":"white","level":5,"clock":"1+1" => 1m0s-1m0s
			play e4             => e4 … 1m0s-1m0s
			sleep 2s            => e4 d5 1m0s-1m0s runs
			play exd5           => e4 d5 exd5 … 1m1s-1m0s runs
			sleep 2s            => e4 d5 exd5 Qxd5 1m1s-59s runs
			resign              => ...Black won by resignation (loss)`, `
			[White "Player"] [Black "zhbot, level 5"] [Result "0-1"] [Variant "Crazyhouse"]
			[TimeControl "60+1"] [Termination "normal"]
			1. e4 { [%clk 0:01:00] } 1... d5 { [%clk 0:01:00] } 2. exd5 { [%clk 0:01:00.9] } 2... Qxd5 { [%clk 0:00:59] } 0-1`},
		{`
			new "side":"white","clock":"none","fen":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1" => …
			sleep 2s            => d5`, `
			[White "Player"] [Result "*"] [TimeControl "-"] [Termination "unterminated"] [SetUp "1"] 1... d5 *`},
		{`
			new "side":"black","level":20,"clock":"½+0","fen":"6k1/5ppp/8/8/8/8/5PPP/6K1/rr b - - 0 1" => 30s-30s
			play R@a1           => R@a1# 30s-30s Black won by checkmate (win)`, `
			[Black "Player"] [Termination "normal"] 1... R@a1# { [%clk 0:00:30] } 0-1`},
		{`
			new "side":"white","level":20,"clock":"1+0" => 1m0s-1m0s
			play e4             => e4 … 1m0s-1m0s
			sleep 63s           => e4 d5 0s-1m0s Black won on time (loss)`, `[Termination "time forfeit"]`},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := &scriptedEngine{thinks: 2 * time.Second, script: "d7d5 d8d5"}
			p := newPage(t, e, Settings{}, nil)
			p.follow(t, e, tt.script)
			w := get(p, "/api/game.pgn")
			text := strings.Join(strings.Fields(w.Body.String()), " ")
			for want := range strings.SplitSeq(strings.Join(strings.Fields(tt.want), " "), "] ") {
				if !strings.Contains(text, want) {
					t.Errorf("no %s in %s", want, text)
				}
			}
			if name := w.Header().Get("Content-Disposition"); name != `attachment; filename="zhbot-2000-01-01-0000.pgn"` {
				t.Errorf("saved as %s", name)
			}
		})
	}
}

// Each game is appended to a file, once, at its end or when it is left; one that cannot be saved
// is not left, and one that is resumed is another. After Close there is none.
func TestSession_Archive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "games.pgn")
		add, err := AppendTo(path)
		if err != nil {
			t.Fatal(err)
		}
		var full error
		e := &scriptedEngine{script: "e7e5 d7d5 c7c5"}
		p := newPage(t, e, Settings{}, func(g *pgn.Game) error {
			if full != nil {
				return full
			}
			return add(g)
		})
		p.follow(t, e, `
			new "side":"white","clock":"none" =>
			play e4             => e4 e5`)
		full = errors.New("no space left")
		p.follow(t, e, `new "side":"white","clock":"none" => 422 the game cannot be saved: no space left`)
		p.follow(t, e, `resign => ...Black won by resignation (loss)`)
		full = nil
		var games []string
		read := func(want ...string) {
			t.Helper()
			games = append(games, want...)
			text, err := os.ReadFile(path)
			if got := regexp.MustCompile(`(?m)^1\. .*`).FindAllString(string(text), -1); err != nil ||
				!slices.Equal(got, games) {
				t.Errorf("%v, the file has %q, want %q", err, got, games)
			}
		}
		read()
		p.follow(t, e, `
			new "side":"white","clock":"none" =>
			play d4 c4          => d4 d5 c4 c5
			resign              => ...Black won by resignation (loss)`)
		read("1. e4 e5 0-1", "1. d4 d5 2. c4 c5 0-1")
		p.follow(t, e, `takeback => d4 d5`)
		if err := errors.Join(p.Close(), p.Close()); err != nil {
			t.Error(err)
		}
		read("1. d4 d5 *")
		p.follow(t, e, `play e3 => 422 the program is shutting down`)
		if n := len(p.PGN().Moves); n != 2 {
			t.Errorf("the last game has %d moves", n)
		}
		if _, err := AppendTo(t.TempDir()); err == nil {
			t.Error("a folder is no file")
		}
	})
}
