// Package matchmaking finds games: challenges to other bots while the bot is idle, those
// that the operator requests, and arenas.
//
// A [Challenger] owns our challenges, from the request to the game; [Arenas] joins
// tournaments. They share a [Config] with their dependencies.
package matchmaking

import (
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// Config holds the dependencies of matchmaking. All fields are required.
type Config struct {
	Client     *lichess.Client
	Games      *game.Registry
	Opponents  *opponent.Memory
	State      *record.StateFile          // remembers the joins of arenas
	Settings   func() *config.Matchmaking // the current ones
	Blocks     func(*lichess.Player) bool // reports whether a user is never to be challenged
	HumanWaits func() bool                // reports whether a human waits for a slot
	Account    func() *lichess.Account    // ours
	Emit       func(event.Event)
	Timing     *Timing
	Log        zerolog.Logger
}

// Timing holds the intervals and timeouts of matchmaking.
type Timing struct {
	Interval      time.Duration // between challenges
	AnswerTimeout time.Duration // after which a challenge of the operator's, or one that nobody follows, is cancelled
	// how long to wait for the event stream to show a challenge whose reply was lost, before
	// the list of challenges is read
	IDTimeout     time.Duration
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
		AnswerTimeout:     35 * time.Second,
		IDTimeout:         5 * time.Second, // the request itself may have taken another 5 s
		LateIDTimeout:     15 * time.Second,
		Cancel:            event.Backoff{Initial: 100 * time.Millisecond, Max: 5 * time.Second},
		ArenaJoins:        record.LichessRate(),
		ArenaInterval:     40 * time.Second,
		ArenaListInterval: 5 * time.Minute,
	}
}
