package lichesstest

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Player chooses the actions of a scripted user. It is called on the user's turn,
// from one goroutine per game, and may block while its clock runs. The context ends
// when the game ends or changes, for example by a takeback.
type Player func(ctx context.Context, t Turn) Action

// Turn is the state passed to a player.
type Turn struct {
	Game *rules.Game   // a copy
	Left time.Duration // on the player's clock
}

// Action is what a player does. The zero value does nothing until the game changes.
type Action struct {
	Move        rules.Move
	OfferDraw   bool // with the move; accepts an offer
	Resign      bool
	Abort       bool
	AskTakeback bool          // instead of a move
	Chat        string        // in the player room
	Leave       time.Duration // leave for this long, then choose again
}

// wakePlayer starts the scripted player whose turn it is. The caller holds the lock.
func (g *game) wakePlayer() {
	g.thinking()
	side := g.turn()
	u := g.players[side]
	if u.player == nil || g.over() || g.presence[side].left {
		return
	}
	ctx, cancel := context.WithCancel(g.ctx)
	g.thinking = cancel
	t := Turn{Game: g.rules.Clone(), Left: g.clock.timeLeft(side, time.Now())}
	s := g.server
	s.spawn(func() {
		action := u.player(ctx, t)
		s.mu.Lock()
		defer s.mu.Unlock()
		if ctx.Err() == nil {
			g.perform(side, action)
		}
	})
}

// perform executes an action. The caller holds the lock.
func (g *game) perform(side int, a Action) {
	if a.Chat != "" {
		g.postLine(g.players[side], "player", a.Chat)
	}
	switch {
	case a.Abort && g.abortable():
		g.end("aborted", "")
	case a.Resign:
		g.resign(side)
	case a.Leave > 0:
		g.leaveFor(side, a.Leave)
	case a.AskTakeback:
		g.proposeTakeback(side)
	case a.Move == rules.NoMove:
	case g.play(side, a.Move.String(), a.OfferDraw) != "":
		g.resign(side) // a scripted player that plays an illegal move resigns
	}
}

// leaveFor makes a player leave and choose again on its return.
func (g *game) leaveFor(side int, d time.Duration) {
	s, p := g.server, &g.presence[side]
	if p.left {
		return
	}
	p.left = true
	if p.offline.IsZero() {
		p.offline = time.Now()
	}
	if g.turn() == side {
		g.thinking() // it does not move while away
	}
	s.spawn(func() {
		_ = lichess.Sleep(g.ctx, d)
		s.mu.Lock()
		defer s.mu.Unlock()
		if g.ctx.Err() != nil {
			return
		}
		g.rejoin(side)
		g.wakePlayer()
	})
}

// Random returns a player of random legal moves.
func Random(seed uint64) Player {
	shuffled := newShuffler(seed)
	return func(_ context.Context, t Turn) Action { return Action{Move: shuffled(t.Game.Position())[0]} }
}

// Greedy returns a player who captures the most valuable piece, and otherwise moves at random.
func Greedy(seed uint64) Player {
	shuffled := newShuffler(seed)
	return func(_ context.Context, t Turn) Action {
		p := t.Game.Position()
		return Action{Move: slices.MaxFunc(shuffled(p), func(a, b rules.Move) int {
			return cmp.Compare(p.Captured(a), p.Captured(b))
		})}
	}
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

// After returns a player that is first for the given number of moves, and then is
// then.
func After(moves int, first, then Player) Player {
	return func(ctx context.Context, t Turn) Action {
		if t.Game.Ply()/2 < moves {
			return first(ctx, t)
		}
		return then(ctx, t)
	}
}

// Slow returns a player that pauses before each move.
func Slow(p Player, pause time.Duration) Player {
	return func(ctx context.Context, t Turn) Action {
		_ = lichess.Sleep(ctx, pause)
		return p(ctx, t)
	}
}

// newShuffler returns a function that returns the legal moves of a position in random order. It
// is safe for concurrent use: a player may be in several games.
func newShuffler(seed uint64) func(*rules.Position) []rules.Move {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 960))
	return func(p *rules.Position) []rules.Move {
		mu.Lock()
		defer mu.Unlock()
		moves := p.LegalMoves()
		rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		return moves
	}
}

// Perform makes a player of a game act at any time, as a person does on the
// website. An action that is impossible at the moment is ignored; an illegal move
// resigns.
func (s *Server) Perform(id, name string, a Action) {
	s.do(func() {
		g, u := s.games[id], s.mustUser(name)
		if g != nil && g.has(u) && !g.over() {
			g.perform(g.side(u), a)
		}
	})
}

// Say posts a line to a chat room of a game, for any user.
func (s *Server) Say(id, name, room, text string) {
	s.do(func() {
		if g := s.games[id]; g != nil {
			g.postLine(s.mustUser(name), room, text)
		}
	})
}
