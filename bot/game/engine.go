package game

import (
	"context"
	"slices"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Engine finds moves. It is called concurrently, at most once per game, and shares
// processor and memory among the games. A search on the opponent's time counts as
// finished once its context is done.
type Engine interface {
	// Search returns a legal move even if ctx is already done. It fails only when there
	// is none. The game must not change during the search. report, if not nil, is called
	// as the search gets deeper. An error of type [*engine.PanicError] may come with the best
	// move found before the panic.
	Search(ctx context.Context, g *rules.Game, l SearchLimits, report func(engine.Info)) (SearchResult, error)
	// EndGame is called when a game is over, and when it is no longer followed, after its last
	// search. It frees the resources that the engine keeps for that game.
	EndGame(id string)
}

// SearchLimits are the limits of a search, and what concerns books, programs and contenders.
type SearchLimits struct {
	engine.Limits        // SearchMoves leaves out moves that have lost before
	Game          string // its id, by which an engine knows what it keeps for it; "" for none
	Contender     string // whose settings to use; "" for the general ones
	// Fresh are those of SearchMoves that do not repeat the latest games with the opponent.
	// Books choose from these where they can; nil means that SearchMoves will do.
	Fresh []rules.Move
}

// SearchResult is the result of a search, or of a book lookup, which has no depth.
type SearchResult struct {
	engine.Result
	Fallback event.Fallback
}

// Contender is one of several engines among which games are shared out.
type Contender struct {
	config.Contender               // by its name, [SearchLimits] and the records know it
	NetworkName      string        // of its evaluation network, for the records
	ProgramName      func() string // see [Options.Program]
}

// assignContender decides which contender plays the game: that of the run before, so
// that neither a restart nor a reload changes it, or in a new game the one whose turn it is.
func (g *game) assignContender() {
	a := opponent.Assignment{
		Game: g.id, Opponent: opponent.ID(g.opponent()), Clock: g.full.Clock, At: g.created,
		GameKind: config.GameKind{Speed: g.full.Speed, Bot: g.opponent().IsBot(), Rated: g.full.Rated,
			Color: lichess.Color(g.us.String())},
	}
	if g.earlier != nil {
		a.Contender = g.earlier.Game.Contender
		g.opts.Opponents.Resume(a)
	} else {
		var list []config.Contender
		for _, c := range g.opts.Contenders {
			list = append(list, c.Contender)
		}
		a.Contender = g.opts.Opponents.Assign(list, a)
	}
	if a.Contender == "" {
		return
	}
	i := slices.IndexFunc(g.opts.Contenders, func(c Contender) bool { return c.Name == a.Contender })
	if i < 0 {
		g.log.Warn().Str("contender", a.Contender).
			Msg("contender no longer configured: engine of the settings plays on, and the record names no contender")
		return
	}
	g.contender = g.opts.Contenders[i]
}
