package mover

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// newMover returns a mover with a small engine.
func newMover(o *openings) *Mover {
	own := &searcher{engine: engine.New(engine.Options{Threads: 1, HashMB: 1}), network: nnue.Default()}
	return &Mover{searcher: own, openings: o}
}

// The mover hands limits down and scores up, mates in moves.
func TestMover(t *testing.T) {
	t.Parallel()
	position := fixture.Position(t, "6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1")
	p := newMover(openBooks(t))
	var reports []engine.Info
	r, err := p.Search(t.Context(), rules.NewGame(position), game.SearchLimits{Limits: engine.Limits{Nodes: 2000}},
		func(i engine.Info) { reports = append(reports, i) })
	if err != nil {
		t.Fatal(err)
	}
	if r.Info.Score != engine.MateScore(1) || r.Info.Nodes == 0 || r.Info.Nodes > 4000 || len(r.Info.PV) == 0 ||
		r.Info.PV[0] != r.Move {
		t.Errorf("result %+v, want a mate in 1 within the nodes", r)
	}
	if len(reports) == 0 {
		t.Error("nothing was reported")
	}
}

func TestSubtractElapsed(t *testing.T) {
	t.Parallel()
	l := engine.Limits{White: time.Minute, Black: time.Minute, MoveTime: time.Second}
	want := engine.Limits{White: time.Minute, Black: 58 * time.Second, MoveTime: time.Millisecond}
	if got := subtractElapsed(l, rules.Black, 2*time.Second); got.White != want.White || got.Black != want.Black ||
		got.MoveTime != want.MoveTime {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := subtractElapsed(engine.Limits{}, rules.White, time.Second); got.White != 0 || got.MoveTime != 0 {
		t.Errorf("%+v: what has no limit gets one", got)
	}
}

// A game is analysed by our own engine, whose table it leaves alone.
func TestMover_Analyse(t *testing.T) {
	t.Parallel()
	g, err := pgn.NewReader(strings.NewReader("1. f3 e5 2. g4 Qh4# 0-1")).Next()
	if err != nil {
		t.Fatal(err)
	}
	a, err := newMover(openBooks(t)).Analyse(t.Context(), g)
	if err != nil || len(a.Positions) != 5 || a.Positions[3].Eval.Mate != -1 || g.Moves[2].NAG != pgn.Blunder {
		t.Errorf("analysis %+v, %v of %s", a, err, g)
	}
}
