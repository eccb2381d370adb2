package external

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// watch searches a position and returns what was reported, each as depth, score and PV.
func watch(t *testing.T, behavior string, l engine.Limits) (engine.Result, []string, error) {
	t.Helper()
	var lines []string
	r, err := newFake(t, behavior).SearchAndReport(t.Context(), fixture.Game(t), l, func(i engine.Info) {
		lines = append(lines, i.Score.String()+" "+pvOf(i))
	})
	return r, lines, err
}

func pvOf(i engine.Info) string {
	var words []string
	for _, m := range i.PV {
		words = append(words, m.String())
	}
	return strings.Join(words, " ")
}

// Only lines with an exact score and legal moves are reported, as far as these go.
func TestEngine_SearchAndReport(t *testing.T) {
	t.Parallel()
	r, lines, err := watch(t, "lines", engine.Limits{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"cp 10 d2d4", "cp 12 e2e4 e7e5"}; !slices.Equal(lines, want) {
		t.Errorf("reported %q, want %q", lines, want)
	}
	if r.Move.String() != "e2e4" || r.Ponder.String() != "e7e5" || r.Info.Depth != 2 || r.Info.Score != 12 ||
		pvOf(r.Info) != "e2e4 e7e5" || r.Info.Nodes != 70 {
		t.Errorf("returned %+v", r)
	}
}

// A PV that begins with another move than the one that is made is not returned.
func TestEngine_SearchAndReport_otherMove(t *testing.T) {
	t.Parallel()
	r, _, err := watch(t, "other-move", engine.Limits{Nodes: 1})
	if err != nil || r.Move.String() != "e2e4" || r.Ponder != rules.NoMove || pvOf(r.Info) != "e2e4" {
		t.Errorf("returned %+v, %v", r, err)
	}
}

func TestEngine_SearchAndReport_fails(t *testing.T) {
	t.Parallel()
	var illegal *IllegalMoveError
	start := rules.StartPosition()
	a3 := fixture.Move(t, &start, "a2a3")
	for behavior, as := range map[string]func(error) bool{
		"illegal": func(err error) bool { return errors.As(err, &illegal) },
		"lines":   func(err error) bool { return errors.As(err, &illegal) && illegal.Move == "e2e4" },
		"crash":   func(err error) bool { return errors.Is(err, ErrExited) },
		"flood":   func(err error) bool { return errors.Is(err, ErrFlood) },
	} {
		t.Run(behavior, func(t *testing.T) {
			t.Parallel()
			if _, _, err := watch(t, behavior, engine.Limits{Nodes: 1, SearchMoves: []rules.Move{a3}}); !as(err) {
				t.Error(err)
			}
		})
	}
}

// Letters of promotions and drops may be in either case. Over CECP some engines move in SAN.
func TestProtocol_handle(t *testing.T) {
	t.Parallel()
	root := fixture.Position(t, "4k3/1P6/8/8/8/8/8/4K2N[P] w - - 0 1")
	for line, want := range map[string]string{
		"bestmove p@e4":  "P@e4",
		"bestmove b7b8N": "b7b8n",
		"bestmove b7b8":  "b7b8q",
		"move p@e4":      "P@e4",
		"move b7b8N":     "b7b8n",
		"move Nf2":       "h1f2",
		"move b8=R+":     "b7b8r",
	} {
		s, protocol := search{root: &root}, protocol(&uciProtocol{})
		if strings.HasPrefix(line, "move") {
			protocol = &cecpProtocol{}
		}
		if done, err := protocol.handle(&s, line); !done || err != nil || s.move.String() != want {
			t.Errorf("%q is read as %s, %t, %v, want %s", line, s.move, done, err, want)
		}
	}
}

// The report may end the search.
func TestEngine_SearchAndReport_stops(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	g := fixture.Game(t)
	r, err := newFake(t, "zhbot").SearchAndReport(ctx, g, engine.Limits{Infinite: true}, func(i engine.Info) {
		if i.Depth >= 3 {
			stop()
		}
	})
	if err != nil || !g.Position().IsLegal(r.Move) || r.Info.Depth < 3 || r.Info.PV[0] != r.Move {
		t.Errorf("returned %+v, %v", r, err)
	}
}

// An engine does not see the settings of this program.
func TestStartProcess_environment(t *testing.T) {
	t.Setenv("ZHBOT_LICHESS_TOKEN", "lip_verysecret")
	t.Setenv("zhbot_web_password", "lip_verysecret")
	p := startFake(t, "environment")
	var out bytes.Buffer
	_, err := out.ReadFrom(p)
	if err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if strings.Contains(out.String(), "verysecret") || !strings.Contains(out.String(), "PATH=") {
		t.Errorf("the engine sees %q", &out)
	}
}

func TestCommand_Start(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	p, err := Command{Line: enginetest.Command(t, "crash"), Env: []string{"A=b"}, Stderr: &stderr}.Start()
	if err != nil {
		t.Fatal(err)
	}
	u, err := New(t.Context(), p, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Search(t.Context(), fixture.Game(t), engine.Limits{}); !errors.Is(err, ErrExited) {
		t.Errorf("Search returned %v", err)
	}
	<-p.Done()
	if err := u.Close(); err != nil {
		t.Error(err)
	}
	var exit *exec.ExitError
	if err := p.ExitError(); !errors.As(err, &exit) || !strings.Contains(err.Error(), "out of luck") ||
		!strings.Contains(stderr.String(), "out of luck") {
		t.Errorf("exit error %v, standard error %q", err, &stderr)
	}
}

// Whatever an engine writes, what comes of it is legal.
func FuzzSearch(f *testing.F) {
	f.Add("info depth 5 seldepth 9 multipv 1 score cp -31 nodes 821 pv e2e4 e7e5\nbestmove e2e4 ponder e7e5")
	f.Add("info depth 5 score mate 3 pv P@e4\ninfo pv\nbestmove")
	f.Add("bestmove P@e4")
	f.Add("bestmove 0000 ponder\nbestmove d2d4 ponder d2d4")
	f.Fuzz(func(t *testing.T, text string) {
		root := rules.StartPosition()
		check := func(pv []rules.Move) {
			p := root
			for _, m := range pv {
				if !p.IsLegal(m) {
					t.Fatalf("%q: illegal line %v", text, pv)
				}
				p = p.After(m)
			}
		}
		protocol := &uciProtocol{}
		s := search{root: &root, report: func(i engine.Info) { check(i.PV) }}
		for line := range strings.Lines(text) {
			if done, err := protocol.handle(&s, strings.TrimSpace(line)); err != nil || done && !root.IsLegal(s.move) {
				if err == nil {
					t.Errorf("%q: illegal move %s", text, s.move)
				}
				return
			} else if done {
				r := s.result()
				check(r.Info.PV)
				check([]rules.Move{r.Move})
				if r.Info.PV[0] != r.Move || r.Info.Depth < 0 {
					t.Errorf("%q: %+v", text, r)
				}
				return
			}
		}
	})
}

// An engine that does not answer is not waited for once its search is aborted.
func TestEngine_Abort(t *testing.T) {
	t.Parallel()
	u, reason := newFake(t, "hang"), errors.New("too late")
	for range 2 {
		_, err := u.SearchAndReport(t.Context(), fixture.Game(t), engine.Limits{}, func(engine.Info) { u.Abort(reason) })
		if !errors.Is(err, reason) {
			t.Errorf("the search returned %v, want %v", err, reason)
		}
	}
}
