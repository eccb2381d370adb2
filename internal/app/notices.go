package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// notices tells which events the operator is notified of. Nothing about a game in progress
// is among them.
type notices struct {
	changing sync.Mutex // for all that follows
	account  string
	refused  bool          // the token or the account, since the bot last played
	crash    event.Crashed // to be reported once the bot is back; zero for none
	unsaved  bool          // finished games cannot be written
}

// observe notifies the operator of an event.
func (n *notifier) observe(e event.Event) {
	n.changing.Lock()
	name, text := n.describe(e)
	account := n.account
	n.changing.Unlock()
	if text != "" {
		title := strings.TrimSpace("zhbot "+account) + ": " + name
		n.enqueue(notification{name, title, text, account, time.Now().UTC()})
	}
}

// describe returns a word for an event and a sentence about it, "" for nothing to notify of.
func (n *notices) describe(e event.Event) (name, text string) {
	switch e := e.(type) {
	case event.Crashed:
		n.crash = e
	case event.LoggedIn:
		crash, refused := n.crash, n.refused
		n.account, n.crash, n.refused = e.Account, event.Crashed{}, false
		switch {
		case !crash.Began.IsZero():
			return "crashed", fmt.Sprintf("The bot is back after a crash: the run that began on %s did not end by itself.", crash.Began.Format("2 January at 15:04 UTC"))
		case refused:
			return "accepted", "Lichess accepts the token and the account again."
		}
	case event.Ended:
		return n.describeEnd(e)
	case event.BacklogChanged:
		if failing := e.Reason != ""; failing != n.unsaved {
			n.unsaved = failing
			return "records", fmt.Sprintf("The records: %s.", e)
		}
	case event.Verdict:
		return "verdict", e.Text
	case event.GameEnded:
		if how := lostByOther(&e.GameView); how != "" {
			return "lost", fmt.Sprintf("The game against %s was lost %s: %s", e.Opponent().Name, how, e.Site)
		}
	}
	return "", ""
}

// describeEnd describes why the bot has stopped. A refusal is told once, however often the
// bot tries again.
func (n *notices) describeEnd(e event.Ended) (name, text string) {
	switch {
	case e.Err == nil && len(e.Games) > 0:
		return "drained", "The bot has drained and stopped. Left to the next start: " + strings.Join(e.Games, ", ") + "."
	case e.Err == nil:
		return "drained", "The bot has drained and stopped."
	case errors.Is(e.Err, context.Canceled), n.refused && bot.IsRefused(e.Err):
	case bot.IsRefused(e.Err):
		n.refused = true
		return "refused", fmt.Sprintf("Lichess refuses the token or the account, so the bot does not play: %v", e.Err)
	default:
		return "stopped", fmt.Sprintf("The bot has stopped: %v", e.Err)
	}
	return "", ""
}

// lostByOther tells by what other than chess a game was lost, "" if it was not.
func lostByOther(v *event.GameView) string {
	noFirstMove := v.Status == lichess.StatusNoStart && v.Board.Position().Turn() == v.Us
	if v.Result != rules.WinOf(v.Us.Other()) && !noFirstMove {
		return ""
	}
	switch v.Status {
	case lichess.StatusMate, lichess.StatusResign, lichess.StatusVariantEnd:
		return ""
	case lichess.StatusOutOfTime:
		return "on time"
	case lichess.StatusTimeout:
		return "because the bot was away"
	case lichess.StatusNoStart:
		return "because the bot made no first move"
	}
	return fmt.Sprintf("by %q", v.Status)
}

// markRunning records in the state file that the bot runs until ended is called, and reports
// a run before that did not end by itself.
func (a *App) markRunning() (ended func()) {
	mark := func(at time.Time) (before time.Time) {
		if err := a.state.Update(func(d *record.State) { before, d.Running = d.Running, at }); err != nil {
			a.log.Warn().Err(err).Msg("whether this run ends by itself is not recorded")
		}
		return before
	}
	if before := mark(time.Now().UTC().Truncate(time.Second)); !before.IsZero() {
		a.log.Warn().Time("began", before).Msg("the last run did not end by itself")
		a.observe(event.Crashed{Began: before})
	}
	return func() { mark(time.Time{}) }
}
