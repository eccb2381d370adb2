// Package control executes an operator's commands on a running bot: pause, challenge
// somebody, resign a game and so on.
//
// "zhbot ctl" and the live page send a [Request]. [Operator.Execute] executes it on a
// [bot.Bot], and records who did what in a journal.
//
// [Start] serves commands to other processes of the same user, and [Send] sends one. They use
// a Unix socket that only its owner can open or, where such permissions do not exist, a
// loopback port with a secret in a file that only its owner can read. Both find the [Place]
// through the same settings.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/internal/file"
)

// Operator executes commands on the bot that is running.
type Operator struct {
	Bot     func() *bot.Bot   // nil while none plays
	Status  func() bot.Status // also without a bot
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

// errNotPlaying means that the program runs without a bot.
var errNotPlaying = errors.New("no bot plays now; zhbot ctl status says why")

// timeout bounds a command. The longest is a challenge, which waits for its answer.
const timeout = 80 * time.Second

// Execute executes a request made by origin. The error of an invalid request is a
// [*UsageError].
func (o *Operator) Execute(ctx context.Context, origin string, r Request) (Result, error) {
	if err := r.validate(); err != nil {
		return Result{}, err
	}
	if r.Command == "status" {
		s := o.Status()
		return Result{Status: &s}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	result, err := o.execute(ctx, &r)
	now := time.Now().UTC().Truncate(time.Millisecond)
	line := entry{Time: now, Origin: origin, Request: r, Result: result.Message}
	report := o.Log.Info()
	if err != nil {
		line.Error = err.Error()
		report = o.Log.Warn().Err(err)
	}
	report.Str("origin", origin).Any("request", r).Str("result", result.Message).Msg("operator's command")
	if err := o.record(&line); err != nil {
		o.Log.Warn().Err(err).Msg("operator's command not written to the journal")
	}
	return result, err
}

func (o *Operator) execute(ctx context.Context, r *Request) (Result, error) {
	if r.Command == "reload" {
		return o.reload(ctx)
	}
	b := o.Bot()
	if b == nil {
		return Result{}, errNotPlaying
	}
	return r.run(ctx, b)
}

// Result is the result of a command.
type Result struct {
	Message   string      `json:"message,omitempty"`   // one line
	Game      string      `json:"game,omitempty"`      // id of the game that it is about
	Challenge string      `json:"challenge,omitempty"` // id of the challenge that was sent
	Status    *bot.Status `json:"status,omitempty"`    // of the command status
	Error     string      `json:"error,omitempty"`     // why it was not executed
}

// JournalFile is the name of the journal in the folder of records.
const JournalFile = "operator.jsonl"

// entry is a line of the journal: a command, who gave it, and its result.
type entry struct {
	Time   time.Time `json:"time"`
	Origin string    `json:"origin"` // who gave it, and how
	Request
	Result string `json:"result,omitempty"`
	Error  string `json:"error,omitempty"` // why it was not executed
}

// record appends an entry to the journal.
func (o *Operator) record(e *entry) error {
	if o.Journal == "" {
		return nil
	}
	line, err := json.Marshal(e)
	if err == nil {
		o.writing.Lock()
		defer o.writing.Unlock()
		err = file.Append(o.Journal, append(line, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the operator's journal: %w", err)
	}
	return nil
}
