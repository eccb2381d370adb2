// Package event defines what the parts of a bot share while it runs: the events that they
// report, on which the metrics and a part of the bot's status are based; the waits between attempts
// ([Backoff], [DuplicateDetector]); and [Liveness], which finds what hangs.
package event

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Event is one of the types below. An observer may keep it but must not change anything
// that it points to.
type Event interface{ event() }

// Notify calls an observer, which may be nil, and recovers its panics.
func Notify(observe func(Event), e Event, log zerolog.Logger) {
	if observe == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			log.Error().Type("event", e).Str("panic", fmt.Sprint(p)).Bytes("stack", debug.Stack()).
				Msg("observer panicked")
		}
	}()
	observe(e)
}

// LoggedIn reports that the account is known.
type LoggedIn struct {
	Account string
	Rating  int    // in crazyhouse
	Network string // that evaluates positions, as named in records
}

// RatingShown reports our rating in crazyhouse, which a rated game shows when it begins.
type RatingShown struct{ Rating int }

// Verdict reports that enough games have been played to tell which contender is stronger.
type Verdict struct{ Text string } // a sentence

// Crashed reports, at the start of a run, that the one before did not end by itself.
type Crashed struct {
	Began time.Time // that run
}

// Ended reports that the bot has stopped.
type Ended struct {
	Err   error    // why; nil after a drain
	Games []string // left to the next run
}

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

// Duplicate reports that another program plays on our account: it took over a stream of ours, or makes our moves.
type Duplicate struct {
	Game    string        // empty for the event stream
	RetryIn time.Duration // until we open it again; 0 if it is open
}

// ChallengeDecided reports the policy's decision on an incoming challenge.
type ChallengeDecided struct {
	ID         string
	Challenger record.Player
	Clock      lichess.Clock
	Rated      bool
	Decision   Decision
}

// Decision is the decision on a challenge.
type Decision struct {
	Accept bool
	Reason lichess.DeclineReason // empty if accepted
	Rule   string                // what decided: a config key, or what no config can allow
}

// ChallengeSent reports that we have challenged somebody.
type ChallengeSent struct {
	ID       string
	Opponent string // name
	Bot      bool   // the opponent is one
	Sender   Sender
	Clock    lichess.Clock
	Rated    bool
}

// Sender is what caused one of our challenges.
type Sender string

// The senders of challenges.
const (
	Matchmaking Sender = "matchmaking"
	Operator    Sender = "operator" // at a command
)

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
	Uncounted  record.Uncounted
}

// BacklogChanged reports what finished games are not written, after an attempt to write.
type BacklogChanged struct{ record.Backlog }

// GameAbandoned reports that a game is no longer followed although its end was not seen. It may go
// on.
type GameAbandoned struct {
	Game string
	Err  error
}

// Searched reports the result of a search or of a book lookup.
type Searched struct {
	Game     string
	Board    *rules.Game
	Move     rules.Move  // NoMove if the search failed
	Info     engine.Info // empty if the move comes from a book
	Fallback Fallback
}

// Moved reports that the game's state on the server shows one of our moves.
type Moved struct {
	Game    string
	Latency time.Duration // since the server showed that it is our turn
	Lag     time.Duration // part of Latency: the round trip to the server
	Info    engine.Info   // empty if the move was not searched for
}

// Panicked reports a panic in a game, which continues.
type Panicked struct {
	Game string
	In   string // [InSearch] or [InGame]
}

// Where a panic occurred.
const (
	InSearch = "search"
	InGame   = "game" // one of its goroutines
)

func (LoggedIn) event()         {}
func (RatingShown) event()      {}
func (Verdict) event()          {}
func (Crashed) event()          {}
func (Ended) event()            {}
func (StreamOpened) event()     {}
func (StreamLost) event()       {}
func (Duplicate) event()        {}
func (ChallengeDecided) event() {}
func (ChallengeSent) event()    {}
func (ChallengeClosed) event()  {}
func (GameChanged) event()      {}
func (GameEnded) event()        {}
func (BacklogChanged) event()   {}
func (GameAbandoned) event()    {}
func (Searched) event()         {}
func (Moved) event()            {}
func (Panicked) event()         {}

// GameView is a snapshot of a game.
type GameView struct {
	record.Summary
	Arena   string // its id; "" for none
	Us      rules.Color
	Board   *rules.Game
	Notes   []record.Note    // by ply
	Clocks  [2]time.Duration // time left, by colour
	At      time.Time        // when the clocks were read
	Running bool             // the clock of the side to move runs

	Searching bool    // for our move
	Search    *Search // the latest that has found something; nil for none
}

// Search is how far the search for a move has come.
type Search struct {
	Board *rules.Game
	Info  engine.Info
}

// Opponent returns the other player.
func (v *GameView) Opponent() record.Player {
	return v.Summary.Opponent(v.Us)
}

// PlayerOf describes a player of Lichess, nil for nobody.
func PlayerOf(p *lichess.Player) record.Player {
	if p == nil {
		p = new(lichess.Player)
	}
	name := p.Name
	if p.AILevel > 0 {
		name = fmt.Sprintf("lichess AI level %d", p.AILevel)
	}
	if name == "" {
		name = "Anonymous"
	}
	return record.Player{Name: name, Title: p.Title, Rating: p.Rating, Provisional: p.Provisional}
}

// Fallback is the reason why our own search chose a move that an engine program should
// have chosen; it is empty if there is no such program, or if the move is the program's.
type Fallback string

// The reasons for a fallback.
const (
	FallbackCrashed     Fallback = "crashed"       // the program ended during the search
	FallbackLate        Fallback = "late"          // the program did not answer in time
	FallbackIllegal     Fallback = "illegal"       // the program made an illegal move, or wrote without end
	FallbackStarting    Fallback = "starting"      // the program has not been ready yet
	FallbackNotRunning  Fallback = "not_running"   // the program has failed, and is to be started again
	FallbackBusy        Fallback = "busy"          // all processes of the program play other games
	FallbackShortOfTime Fallback = "short_of_time" // too little time is left to ask the program
	FallbackPanicked    Fallback = "panicked"      // an earlier search of the position panicked
)

// Fallbacks returns the values that a result can have, besides the empty one.
func Fallbacks() []Fallback {
	return []Fallback{FallbackCrashed, FallbackLate, FallbackIllegal, FallbackStarting, FallbackNotRunning,
		FallbackBusy, FallbackShortOfTime, FallbackPanicked}
}
