package lichesstest

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// Player decides for a user who plays by itself. It is called when it is the
// user's turn, from one goroutine per game, and may take its time: its clock
// runs. The context ends when the game does or changes, as by a takeback.
type Player func(ctx context.Context, t Turn) Action

// Turn is what a player sees.
type Turn struct {
	Game      *rules.Game // a copy
	Side      rules.Color
	Left      time.Duration // own clock
	Increment time.Duration
	DrawOffer bool // the opponent offers a draw
	Refused   bool // the opponent declined the takeback the player asked for
}

// Action is what a player does. The zero value waits: the player does nothing
// until the game changes.
type Action struct {
	Move        rules.Move
	OfferDraw   bool // with the move; accepts an offer
	Resign      bool
	Abort       bool
	AskTakeback bool          // instead of a move
	Chat        string        // said in the players' room
	Leave       time.Duration // go away for so long, then decide again
}

// wakePlayer lets the side to move think, if it plays by itself. The caller
// holds the lock.
func (g *game) wakePlayer() {
	if g.thinking != nil {
		g.thinking()
		g.thinking = nil
	}
	side := g.turn()
	u := g.players[side]
	if u.player == nil || g.over() || g.presence[side].left {
		return
	}
	ctx, cancel := context.WithCancel(g.ctx)
	g.thinking = cancel
	t := Turn{
		Game: g.rules.Clone(), Side: rules.Color(side), Left: g.clock.left(side, time.Now()),
		Increment: g.clock.increment, DrawOffer: g.drawOffer[1-side], Refused: g.refused,
	}
	s := g.server
	s.start(func() {
		action := u.player(ctx, t)
		s.mu.Lock()
		defer s.mu.Unlock()
		if ctx.Err() == nil {
			s.act(g, side, action)
		}
	})
}

// act does what a player decided. The caller holds the lock.
func (s *Server) act(g *game, side int, a Action) {
	if a.Chat != "" {
		s.say(g, g.players[side], "player", a.Chat)
	}
	switch {
	case a.Abort && g.abortable():
		s.endGame(g, "aborted", "")
	case a.Resign:
		s.resignGame(g, side)
	case a.Leave > 0:
		g.goAway(side, a.Leave)
	case a.AskTakeback:
		s.answerTakeback(g, side, true)
	case a.Move == rules.NoMove:
	case s.move(g, side, a.Move.String(), a.OfferDraw, time.Now()) != "":
		s.resignGame(g, side) // a scripted player that errs has lost
	}
}

// goAway lets a player leave, and decide again when it is back.
func (g *game) goAway(side int, d time.Duration) {
	s := g.server
	if g.presence[side].left {
		return
	}
	g.leave(side, time.Now())
	if g.turn() == side && g.thinking != nil { // it does not move from afar
		g.thinking()
		g.thinking = nil
	}
	s.start(func() {
		wait(g.ctx, d)
		s.mu.Lock()
		defer s.mu.Unlock()
		if g.ctx.Err() != nil {
			return
		}
		g.enter(side, time.Now())
		g.wakePlayer()
	})
}

// Random returns a player of random legal moves.
func Random(seed uint64) Player {
	pick := newPicker(seed)
	return func(_ context.Context, t Turn) Action { return Action{Move: pick(legalMoves(t.Game.Position()))} }
}

// Greedy returns a player who mates in one if it can, else captures the most
// valuable piece, else moves at random.
func Greedy(seed uint64) Player {
	pick := newPicker(seed)
	return func(_ context.Context, t Turn) Action {
		p := t.Game.Position()
		var best []rules.Move
		most := -1
		for _, m := range legalMoves(p) {
			worth := worthOf(p, m)
			if worth > most {
				best, most = best[:0], worth
			}
			if worth == most {
				best = append(best, m)
			}
		}
		return Action{Move: pick(best)}
	}
}

// worthOf is what a greedy player sees in a move.
func worthOf(p *rules.Position, m rules.Move) int {
	var next rules.Position
	p.PlayInto(m, &next)
	if next.InCheck() && !next.HasLegalMove() {
		return 1000
	}
	return [...]int{0, 1, 3, 3, 5, 9, 0}[p.Captured(m)] + [...]int{0, 0, 2, 2, 4, 8, 0}[m.Promotion()]
}

// Searching returns a player whose moves come from an engine.
func Searching(search func(ctx context.Context, t Turn) (rules.Move, error)) Player {
	return func(ctx context.Context, t Turn) Action {
		m, err := search(ctx, t)
		if err != nil {
			return Action{Resign: true}
		}
		return Action{Move: m}
	}
}

// Idle returns a player who does nothing at all.
func Idle() Player { return func(context.Context, Turn) Action { return Action{} } }

// After lets one player make so many moves, and then another.
func After(moves int, first, then Player) Player {
	return func(ctx context.Context, t Turn) Action {
		if t.Game.Ply()/2 < moves {
			return first(ctx, t)
		}
		return then(ctx, t)
	}
}

// Modify returns a player whose every action is changed before it is performed.
func Modify(p Player, change func(*Action)) Player {
	return func(ctx context.Context, t Turn) Action {
		a := p(ctx, t)
		change(&a)
		return a
	}
}

// Slow lets a player wait before each move.
func Slow(p Player, pause time.Duration) Player {
	return func(ctx context.Context, t Turn) Action {
		wait(ctx, pause)
		return p(ctx, t)
	}
}

// wait lasts a time, or as long as the context.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func legalMoves(p *rules.Position) []rules.Move {
	var l rules.MoveList
	p.Generate(&l, rules.All)
	return append([]rules.Move(nil), l.Moves()...)
}

// newPicker returns a function that draws from a list. A player may be in many
// games at once.
func newPicker(seed uint64) func([]rules.Move) rules.Move {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 960))
	return func(moves []rules.Move) rules.Move {
		mu.Lock()
		defer mu.Unlock()
		return moves[rng.IntN(len(moves))]
	}
}
