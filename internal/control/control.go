// Package control executes an operator's commands on a running bot: pause, challenge
// somebody, resign a game and so on.
//
// [Commands] is the table of the commands: "zhbot ctl", its help and completion, and the
// live page are made from it. [Operator.Execute] executes a [Request] on a [Bot], and
// records who did what in a journal.
//
// [Start] serves commands to other processes of the same user, and [Send] sends one. They use
// a Unix socket that only its owner can open or, where such permissions do not exist, a
// loopback port with a secret in a file that only its owner can read. Both find the [Place]
// through the same settings.
package control

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess"
)

// Bot is a running bot. Its methods may be called concurrently; their contexts bound
// how long they wait for an outcome, not what they have begun.
type Bot interface {
	// Status returns the state of the bot.
	Status() Status
	// Pause declines new challenges and looks for no games until Resume; with keep, also
	// after a restart. It cancels our open challenges.
	Pause(ctx context.Context, keep bool) (p Pause, canceled []Canceled, err error)
	// Resume ends a pause, and reports whether there was one.
	Resume() (paused bool, err error)
	// Challenge challenges a user and waits for the answer.
	Challenge(ctx context.Context, c Challenge) (Answer, error)
	// CancelChallenges cancels our challenges that nobody has answered.
	CancelChallenges(ctx context.Context) ([]Canceled, error)
	// SetMatchmaking turns matchmaking on or off, whatever the settings say.
	SetMatchmaking(on bool)
	// JoinArena joins an arena and returns its state so far.
	JoinArena(ctx context.Context, id string) (Arena, error)
	// Running returns the ids of the games in progress.
	Running() []string
	// Resign, Abort, Draw and Say act in a game and wait for the server's answer. Draw
	// offers a draw or accepts the opponent's offer.
	Resign(ctx context.Context, game string) error
	Abort(ctx context.Context, game string) error
	Draw(ctx context.Context, game string) error
	Say(ctx context.Context, game, text string) error
	// Drain prevents new games from starting. The bot ends when its games are over.
	Drain()
}

// Challenge is a challenge to send.
type Challenge struct {
	User  string
	Clock lichess.Clock
	Rated bool
	Color string // ours: white, black, or "" for a random one
}

// Answer is the answer to a challenge of ours.
type Answer struct {
	ID       string // of the challenge, and of the game if it was accepted
	Accepted bool
	Reason   string // why not
}

// Canceled is a challenge that was to be cancelled.
type Canceled struct {
	ID, User string
	Started  bool // too late: it was accepted
}

// Operator executes commands on the bot that is running.
type Operator struct {
	Bot     func() Bot // nil while none plays
	Reload  func(context.Context) (Reloaded, error)
	Journal string // path of the file that each command is appended to; "" for none
	Log     zerolog.Logger

	writing sync.Mutex // of the journal
}

// Reloaded lists the settings that a reload has changed.
type Reloaded struct {
	Changed []string
	Later   []string // which take effect at the next start
}

// ErrNotPlaying means that the program runs without a bot.
var ErrNotPlaying = errors.New("not playing: Lichess refuses the token or the account; see the log")

// timeout bounds a command. The longest is a challenge, which waits for its answer.
const timeout = 80 * time.Second

// Execute executes a request made by origin. The error of an invalid request is a
// [*UsageError].
func (o *Operator) Execute(ctx context.Context, origin string, r Request) (Result, error) {
	c, args, err := r.parse()
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var result Result
	if b := o.Bot(); b == nil && !c.withoutBot {
		err = ErrNotPlaying
	} else {
		result, err = c.run(ctx, &call{o, b, args})
	}
	if c.readOnly {
		return result, err
	}
	entry := Entry{Time: time.Now().UTC().Truncate(time.Millisecond), Origin: origin, Command: r.Command, Args: r.Args, Result: result.Message}
	report := o.Log.Info()
	if err != nil {
		entry.Error = err.Error()
		report = o.Log.Warn().Err(err)
	}
	report.Str("origin", origin).Str("command", r.Command).Strs("args", r.Args).Str("result", result.Message).Msg("operator's command")
	if err := o.record(&entry); err != nil {
		o.Log.Warn().Err(err).Msg("operator's command not written to the journal")
	}
	return result, err
}

// Result is the result of a command.
type Result struct {
	Message   string  `json:"message"`             // one line
	Game      string  `json:"game,omitempty"`      // id of the game that it is about
	Challenge string  `json:"challenge,omitempty"` // id of the challenge that was sent
	Status    *Status `json:"status,omitempty"`    // of the command status
}
