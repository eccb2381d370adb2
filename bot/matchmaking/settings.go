// Package matchmaking finds games: challenges to other bots while the bot is idle, those
// that the operator requests, rematches, and arenas.
//
// A [Challenger] owns our challenges, from the request to the game; [Arenas] joins
// tournaments. They share a [Config] with their dependencies.
package matchmaking

import (
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// Settings configure whom to challenge while the bot is idle, on what terms, and when.
type Settings struct {
	Enabled bool
	Idle    time.Duration // without a game before a challenge
	Wait    time.Duration // for an answer
	Offers  []Offer       // what to propose; drawn by weight

	Rating              Bounds // of opponents
	MaxRatingDifference int    // to our own rating; 0 for any
	TargetDifference    int    // by how many points an opponent's rating should exceed ours

	Hours       []HourSpan // in which to challenge; none means always
	GamesPerDay int        // against bots, whoever sent the challenge

	GamesPerOpponent int           // a day; 0 for any number
	InARow           int           // games with one opponent before a rest; 0 for any number
	Rest             time.Duration // after InARow games
	Paired           bool          // play each opponent twice, with colours reversed

	Pauses opponent.Pauses // of an opponent that refuses

	Arenas ArenaSettings
}

// Bounds bound a rating, both ends included; 0 is no bound.
type Bounds struct{ Min, Max int }

// Offer is a kind of game to propose, drawn by weight.
type Offer struct {
	opponent.Offer
	Weight int
}

// HourSpan is a part of the day, from one hour (UTC) up to, but not including, another. It
// may cross midnight.
type HourSpan struct{ From, To int }

// holds reports whether an hour lies in the span.
func (h HourSpan) holds(hour int) bool {
	if h.From < h.To {
		return h.From <= hour && hour < h.To
	}
	return h.From <= hour || hour < h.To
}

// ArenaSettings configure which tournaments to join.
type ArenaSettings struct {
	IDs      []string
	Teams    []string // all of their arenas
	Password string   // for those that require one
}

func (a *ArenaSettings) equal(b *ArenaSettings) bool {
	return slices.Equal(a.IDs, b.IDs) && slices.Equal(a.Teams, b.Teams) && a.Password == b.Password
}

// Config holds the dependencies of matchmaking. All fields are required.
type Config struct {
	Client     *lichess.Client
	Games      *game.Registry
	Opponents  *opponent.Memory
	State      *record.StateFile          // remembers the joins of arenas
	Settings   func() *Settings           // the current ones
	Blocks     func(*lichess.Player) bool // reports whether a user is never to be challenged
	HumanWaits func() bool                // reports whether a human waits for a slot
	// Accepts is the policy for challenges: it reports whether one would be accepted, given
	// our rating, and the rule that decides.
	Accepts func(c *lichess.Challenge, rating int) (rule string, ok bool)
	Account func() *lichess.Account // ours
	Emit    func(event.Event)
	Timing  *Timing
	Log     zerolog.Logger
}

// Timing holds the intervals and timeouts of matchmaking.
type Timing struct {
	Interval      time.Duration // between challenges
	AnswerTimeout time.Duration // after which a challenge of the operator's, or one that nobody follows, is cancelled
	IDTimeout     time.Duration // how long to wait for the event stream to show a challenge whose reply was lost, before the list of challenges is read
	LateIDTimeout time.Duration // how long to wait for the event stream after that
	Cancel        event.Backoff // between tries to cancel a challenge, or to list those that are open

	ArenaJoins        record.Rate   // of all arenas together, requests to be paired included
	ArenaInterval     time.Duration // between arena checks, and requests to be paired
	ArenaListInterval time.Duration // between lists of arenas
}

// LichessTiming returns the intervals that suit Lichess: it lists a challenge, and shows it
// to its receiver, for 20 s, and drops a waiting player from an arena after a minute.
func LichessTiming() Timing {
	return Timing{
		Interval:          time.Minute,
		AnswerTimeout:     rematchWait + 5*time.Second,
		IDTimeout:         5 * time.Second, // the request itself may have taken another 5 s
		LateIDTimeout:     15 * time.Second,
		Cancel:            event.Backoff{Initial: 100 * time.Millisecond, Max: 5 * time.Second},
		ArenaJoins:        record.LichessRate(),
		ArenaInterval:     40 * time.Second,
		ArenaListInterval: 5 * time.Minute,
	}
}
