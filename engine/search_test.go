package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq - 0 1"

// richPockets is a middlegame with full pockets and hundreds of moves.
const richPockets = "r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1/NNBBQnnbbq w - - 0 1"

// newGame returns a game with some moves from a position.
func newGame(t testing.TB, fen string, moves ...string) *rules.Game {
	t.Helper()
	g := rules.NewGame(fixture.Position(t, fen))
	fixture.Play(t, g, moves...)
	return g
}

// mustSearch fails the test unless the search returns a legal move.
func mustSearch(t testing.TB, e *Engine, g *rules.Game, l Limits) Result {
	t.Helper()
	r, err := e.Search(context.Background(), g, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !g.Position().IsLegal(r.Move) {
		t.Fatalf("%s: illegal move %s", g.Position().FEN(), r.Move)
	}
	return r
}

func newTestEngine() *Engine { return New(Options{Threads: 1, HashMB: 4}) }

func TestSearch_BeingMated(t *testing.T) {
	r := mustSearch(t, newTestEngine(), newGame(t, "7k/R7/1R6/8/8/8/8/K7/ b - - 0 1"), Limits{Depth: 5})
	if got := r.Info.Score.String(); got != "mate -1" {
		t.Errorf("score %s, want mate -1", got)
	}
}

func TestSearch_MateLimitEndsSearch(t *testing.T) {
	g := newGame(t, "6rk/6pp/8/8/8/8/8/K7/N w - - 0 1")
	r := mustSearch(t, newTestEngine(), g, Limits{Mate: 1})
	if r.Move.String() != "N@f7" {
		t.Errorf("move %s, want N@f7", r.Move)
	}
}

func TestSearch_GameOver(t *testing.T) {
	for name, fen := range map[string]string{
		"checkmate": "6rk/5Npp/8/8/8/8/8/K7/ b - - 0 1",
		"stalemate": "7k/5Q2/6K1/8/8/8/8/8/ b - - 0 1",
	} {
		_, err := newTestEngine().Search(context.Background(), newGame(t, fen), Limits{Depth: 1}, nil)
		if !errors.Is(err, ErrGameOver) {
			t.Errorf("%s: error %v, want ErrGameOver", name, err)
		}
	}
}

// White is a queen down, but can repeat the position for the third time.
func TestSearch_PlaysForThirdRepetition(t *testing.T) {
	const fen = "7k/8/8/8/8/5q2/8/K7/ w - - 0 1"
	shuffle := []string{"a1b1", "h8g8", "b1a1", "g8h8"}
	twice := slices.Concat(shuffle, shuffle, shuffle[:2])
	r := mustSearch(t, newTestEngine(), newGame(t, fen, twice...), Limits{Depth: 5})
	if r.Move.String() != "b1a1" || r.Info.Score != drawScore {
		t.Errorf("move %s, score %s, want b1a1 and a draw", r.Move, r.Info.Score)
	}
	once := slices.Concat(shuffle, shuffle[:2])
	if r := mustSearch(t, newTestEngine(), newGame(t, fen, once...), Limits{Depth: 2}); r.Info.Score >= drawScore {
		t.Errorf("score %s when the position would occur only twice", r.Info.Score)
	}
}

func TestRepeatedKeys(t *testing.T) {
	if got := repeatedKeys([]uint64{5, 3, 5, 1, 3, 5}); !slices.Equal(got, []uint64{3, 5}) {
		t.Errorf("repeated = %v, want [3 5]", got)
	}
	if got := repeatedKeys([]uint64{1, 2, 3}); got != nil {
		t.Errorf("repeated = %v, want none", got)
	}
}

func TestSearch_DoneContextStillMoves(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := New(Options{Threads: 2, HashMB: 4})
	for _, fen := range []string{start, richPockets} {
		g := newGame(t, fen)
		for _, l := range []Limits{{}, {Infinite: true}, {Ponder: true}, {White: time.Minute, Black: time.Minute},
			{Depth: 20}} {
			r, err := e.Search(ctx, g, l, nil)
			if err != nil || !g.Position().IsLegal(r.Move) {
				t.Errorf("%+v: move %s, error %v", l, r.Move, err)
			}
		}
	}
}

func TestSearch_OneLegalMoveTakesNoTime(t *testing.T) {
	// In check from the rook, Black can only move the king.
	g := newGame(t, "R5k1/5p1p/6p1/8/8/8/8/K7/ b - - 0 1")
	if n := g.Position().CountMoves(); n != 1 {
		t.Fatalf("%d legal moves, want 1", n)
	}
	r := mustSearch(t, newTestEngine(), g, Limits{White: time.Hour, Black: time.Hour, MultiPV: 5})
	if r.Info.Nodes != 0 || r.Move.String() != "g8g7" || r.Info.MultiPV != 1 {
		t.Errorf("move %s of line %d after %d nodes, want g8g7 of line 1 after none",
			r.Move, r.Info.MultiPV, r.Info.Nodes)
	}
	// A fixed time is for an evaluation, which only a search gives.
	r = mustSearch(t, newTestEngine(), g, Limits{MoveTime: time.Minute, Depth: 3})
	if r.Info.Depth != 3 || r.Move.String() != "g8g7" {
		t.Errorf("move %s at depth %d, want g8g7 at depth 3", r.Move, r.Info.Depth)
	}
}

// With all moves allowed, the search is the same.
func TestSearch_AllMovesAllowed(t *testing.T) {
	g := newGame(t, richPockets)
	l := Limits{Depth: 6}
	want := mustSearch(t, newTestEngine(), g, l)
	l.SearchMoves = g.Position().LegalMoves()
	if got := mustSearch(t, newTestEngine(), g, l); got.Info.Nodes != want.Info.Nodes || got.Move != want.Move {
		t.Errorf("%s in %d nodes, want %s in %d", got.Move, got.Info.Nodes, want.Move, want.Info.Nodes)
	}
}

func TestSearch_SearchMoves(t *testing.T) {
	g := newGame(t, "6rk/6pp/8/8/8/8/8/K7/N w - - 0 1")
	only := rules.NewMove(rules.A1, rules.B1)
	r := mustSearch(t, newTestEngine(), g, Limits{Depth: 3, SearchMoves: []rules.Move{only}})
	if r.Move != only {
		t.Errorf("move %s, want %s", r.Move, only)
	}
}

func TestSearch_NodeLimitIsExact(t *testing.T) {
	for _, nodes := range []uint64{1, 100, 5000} {
		r := mustSearch(t, New(Options{Threads: 4, HashMB: 4}), newGame(t, start), Limits{Nodes: nodes})
		if r.Info.Nodes > nodes+1 || r.Info.Nodes < nodes {
			t.Errorf("searched %d nodes, want %d", r.Info.Nodes, nodes)
		}
	}
}

// A search without an end reports all its lines, and returns when its context is done.
func TestSearch_EndsWithItsContext(t *testing.T) {
	// A mate in one: the search itself has nothing left to do soon.
	g := newGame(t, "6rk/6pp/8/8/8/8/8/K7/N w - - 0 1")
	for _, l := range []Limits{{Infinite: true}, {Ponder: true, MultiPV: 3}} {
		ctx, cancel := context.WithCancel(t.Context())
		most := 0
		r, err := New(Options{Threads: 2, HashMB: 4}).Search(ctx, g, l, func(i Info) {
			most = max(most, i.MultiPV)
			if i.Depth == 5 && i.MultiPV == l.MultiPV {
				cancel()
			}
		})
		cancel()
		if err != nil || r.Info.Depth < 5 || most != l.MultiPV {
			t.Errorf("%+v: %d lines at depth %d, %v", l, most, r.Info.Depth, err)
		}
	}
}

// Many games on few threads all get their moves while another search ponders. Run it with
// the race detector.
func TestSearch_GamesAtOnce(t *testing.T) {
	e := New(Options{Threads: 2, HashMB: 4})
	ctx, cancel := context.WithCancel(context.Background())
	var games, pondering sync.WaitGroup
	pondering.Go(func() {
		if _, err := e.Search(ctx, newGame(t, start), Limits{Ponder: true}, nil); err != nil {
			t.Error(err)
		}
	})
	for range 6 {
		games.Go(func() {
			g := newGame(t, richPockets)
			for range 4 {
				r, err := e.Search(ctx, g, Limits{White: time.Second, Black: time.Second}, nil)
				if errors.Is(err, ErrGameOver) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				if err := g.Play(r.Move); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	games.Wait()
	cancel()
	pondering.Wait()
	e.helpers.Wait()
	if e.sched.free != 2 || e.running != 0 {
		t.Errorf("at the end %d threads are free and %d searches run, want 2 and 0", e.sched.free, e.running)
	}
}

// startWorker returns a worker that is ready for a search.
func startWorker(e *Engine, g *rules.Game, l Limits) *worker {
	w, s := e.acquireWorker(nil), e.newSearch(g, l)
	w.start(s, newClaim(mainClass, s.time.Deadline()))
	return w
}

// deepen searches on a thread until finished returns true after a depth, or a limit.
func deepen(w *worker, finished func(depth int) bool) {
	w.sched.acquire(w.claim, nil)
	w.iterativeDeepening(1, 1, finished)
	w.sched.release(w.claim)
}

func TestSearch_AllocatesNothing(t *testing.T) {
	e := newTestEngine()
	w := startWorker(e, newGame(t, richPockets), Limits{Nodes: 3000})
	claim := testing.AllocsPerRun(5, func() {
		c := newClaim(mainClass, time.Time{})
		e.sched.acquire(c, nil)
		e.sched.release(c)
	})
	allocs := testing.AllocsPerRun(5, func() {
		w.start(w.search, newClaim(mainClass, time.Time{}))
		deepen(w, func(int) bool { return false })
	})
	if allocs > claim {
		t.Errorf("a search of 3,000 nodes allocates %v times, its claim %v", allocs, claim)
	}
}
