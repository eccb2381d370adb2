package bot

import (
	"errors"
	"fmt"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Event is passed to [Options].Observe: one of the types below. The observer may
// keep it but must not change what it points to.
type Event interface{ event() }

// LoggedIn reports that the account is known.
type LoggedIn struct {
	Account string
	Rating  int    // in crazyhouse
	Network string // that evaluates positions, as named in records
}

// Draining reports that no new game begins any more.
type Draining struct{}

// StreamOpened reports that a stream is open: a game's, or the event stream if Game
// is empty.
type StreamOpened struct {
	Game     string
	Reopened bool          // it was open before
	Absent   time.Duration // how long the game was without a stream
}

// StreamLost reports that a stream has ended or could not be opened, and is retried.
type StreamLost struct {
	Game    string // empty for the event stream
	Err     error
	RetryIn time.Duration
}

// SecondInstance reports that another program uses the same token.
type SecondInstance struct{}

// ChallengeDecided reports the policy's decision on an incoming challenge.
type ChallengeDecided struct {
	ID         string
	Challenger record.Player
	HasClock   bool
	Initial    time.Duration
	Increment  time.Duration
	Speed      string
	Rated      bool
	Decision   Decision
	At         time.Time
}

// ChallengeSent reports that we have challenged another bot.
type ChallengeSent struct {
	ID        string
	Opponent  string // name
	Initial   time.Duration
	Increment time.Duration
	Rated     bool
	At        time.Time
}

// ChallengeClosed reports that a challenge is no longer open: it was accepted,
// declined, or is gone.
type ChallengeClosed struct {
	ID      string
	Outcome Outcome
	Rule    string // what decided; for an outgoing challenge, why it failed
}

// Outcome is the outcome of a challenge.
type Outcome string

// The outcomes of challenges.
const (
	Accepted Outcome = "accepted"
	Declined Outcome = "declined"
	Gone     Outcome = "gone" // withdrawn, expired, or refused by the server
)

// GameChanged is the newest state of a game in progress.
type GameChanged struct{ GameView }

// GameEnded reports that a game is over, and archived if there is an archive.
type GameEnded struct {
	GameView
	RatingDiff int // ours
}

// GameAbandoned reports that a game is no longer followed although its end was not
// seen.
type GameAbandoned struct {
	Game string
	Err  error
}

// Searching reports the progress of the search for a move; at its beginning with an
// empty Info.
type Searching struct {
	Game  string
	Board *rules.Game
	Info  Info
}

// Searched reports the result of a search.
type Searched struct {
	Game  string
	Board *rules.Game
	Info  Info
}

// Moved reports that a move of ours is on the server.
type Moved struct {
	Game    string
	Latency time.Duration // since the server showed that it is our turn
	Lag     time.Duration // part of Latency: the round trip to the server
	Info    Info          // empty if the move was not searched for
}

// Panicked reports a panic in a game, which continues.
type Panicked struct {
	Game string
	In   string // [InSearch] or [InGame]
}

// Where something can panic.
const (
	InSearch = "search"
	InGame   = "game" // one of its goroutines
)

// GameView is a snapshot of a game.
type GameView struct {
	ID           string
	Site         string // its address
	Us           rules.Color
	White, Black record.Player
	Rated        bool
	Speed        string
	HasClock     bool
	Initial      time.Duration
	Increment    time.Duration
	Board        *rules.Game
	Notes        []record.Note // by ply
	Clocks       [2]time.Duration
	At           time.Time // when the clocks were read
	Running      bool      // the clock of the side to move runs
	Status       string    // Lichess's status name
	Winner       string    // "white", "black", or "" for none
}

// Opponent returns the other player.
func (v *GameView) Opponent() record.Player {
	if v.Us == rules.White {
		return v.Black
	}
	return v.White
}

func (LoggedIn) event()         {}
func (Draining) event()         {}
func (StreamOpened) event()     {}
func (StreamLost) event()       {}
func (SecondInstance) event()   {}
func (ChallengeDecided) event() {}
func (ChallengeSent) event()    {}
func (ChallengeClosed) event()  {}
func (GameChanged) event()      {}
func (GameEnded) event()        {}
func (GameAbandoned) event()    {}
func (Searching) event()        {}
func (Searched) event()         {}
func (Moved) event()            {}
func (Panicked) event()         {}

// emit calls the observer, if there is one, and recovers its panics.
func (b *Bot) emit(e Event) {
	if b.opts.Observe == nil {
		return
	}
	var p *PanicError
	if errors.As(protect(func() { b.opts.Observe(e) }), &p) {
		b.log.Error().Type("event", e).Str("panic", fmt.Sprint(p.Value)).Bytes("stack", p.Stack).Msg("observer panicked")
	}
}

// emitChallenge reports the decision on a challenge.
func (b *Bot) emitChallenge(c *challenge) {
	b.emit(ChallengeDecided{
		ID: c.ID, Challenger: challengerOf(c.Challenger), HasClock: c.TimeControl.Type == lichess.ClockControl,
		Initial: c.TimeControl.Limit.Duration(), Increment: c.TimeControl.Increment.Duration(),
		Speed: string(c.Speed), Rated: c.Rated, Decision: c.Decision, At: c.receivedAt,
	})
}

func challengerOf(p *lichess.Player) record.Player {
	if p == nil {
		return playerOf(new(lichess.Player))
	}
	return playerOf(p)
}

// watch returns a function that reports the progress of a search; nil without an
// observer.
func (g *game) watch(board *rules.Game) func(Info) {
	if g.bot.opts.Observe == nil {
		return nil
	}
	return func(i Info) { g.bot.emit(Searching{Game: g.id, Board: board, Info: i}) }
}

// emitState reports the state of the game.
func (g *game) emitState() {
	if g.bot.opts.Observe != nil {
		g.bot.emit(GameChanged{g.view()})
	}
}

// emitEnd reports that the game is over.
func (g *game) emitEnd(final *lichess.Game) {
	if g.bot.opts.Observe != nil {
		g.bot.emit(GameEnded{g.view(), final.RatingDiff})
	}
}

// view returns a snapshot of the game.
func (g *game) view() GameView {
	board := g.board.snapshot()
	v := GameView{
		ID: g.id, Site: g.bot.opts.Site + "/" + g.id, Us: g.us,
		White: playerOf(&g.full.White), Black: playerOf(&g.full.Black),
		Rated: g.full.Rated, Speed: string(g.full.Speed),
		Board: board, Notes: append([]record.Note(nil), g.board.notes...),
		Status: string(g.state.Status), Winner: string(g.state.Winner), At: g.receivedAt,
	}
	if c := g.full.Clock; c != nil {
		v.HasClock, v.Initial, v.Increment = true, c.Initial.Duration(), c.Increment.Duration()
		v.Clocks = [2]time.Duration{rules.White: g.state.WhiteTime.Duration(), rules.Black: g.state.BlackTime.Duration()}
		v.Running = !g.state.Status.Over() && board.Ply() >= 2
	}
	return v
}

// SlotUse is the current use of the slots.
type SlotUse struct {
	SlotLimits
	Games int // in progress or about to start
	Bots  int // of these, against bots
	Live  int // of these, in progress on the server
}

// Slots returns the current use of the slots.
func (b *Bot) Slots() SlotUse { return b.slots.usage() }

func (s *slots) usage() SlotUse {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := SlotUse{SlotLimits: s.limits}
	for _, t := range s.table {
		if t.phase == ended {
			continue
		}
		u.Games++
		if t.bot {
			u.Bots++
		}
		if t.phase == live {
			u.Live++
		}
	}
	return u
}
