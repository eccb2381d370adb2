package matchmaking

import (
	"context"
	"slices"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

// RequestLookup requests the list of challenges, for those that the event stream has
// missed.
func (o *Outgoing) RequestLookup() { signal(o.lookupRequested) }

// followLookups reads the list of challenges whenever that is requested. It is
// separate from Run, since no cancel may wait for a list.
func (o *Outgoing) followLookups(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.lookupRequested:
			if !o.loadOpen(ctx) {
				return
			}
		}
	}
}

// loadOpen learns of the server's open challenges, and retries while the server fails.
// Those of an earlier run are cancelled at once, since their games would have no slot. It
// reports whether to ask again: not if the token lacks the scope.
func (o *Outgoing) loadOpen(ctx context.Context) bool {
	var list *lichess.ChallengeList
	permanent := func(err error) bool { return !lichess.IsTemporary(err) }
	err := o.cfg.Timing.Cancel.Do(ctx, o.cfg.Log, "listing the outgoing challenges", permanent, func() (err error) {
		list, err = o.cfg.Client.Challenges(ctx)
		return err
	})
	if err != nil {
		o.cfg.Log.Debug().Err(err).Msg("outgoing challenges not listed")
		return !event.IsFatal(err)
	}
	for i := range list.Out {
		o.learn(&list.Out[i], 0)
	}
	return true
}

// queryOutcome asks the server for the outcome of a challenge that could not be
// cancelled. Where the server does not show it, or the token lacks the scope
// challenge:read, the list of games in progress shows whether it was accepted.
func (o *Outgoing) queryOutcome(ctx context.Context, id string) answer {
	c, err := o.cfg.Client.ShowChallenge(ctx, id)
	switch {
	case err != nil:
		return answer{started: o.isPlaying(ctx, id), reason: opponent.NoAnswer}
	case c.Status == "declined":
		return answer{reason: reasonOf(c)}
	}
	return answer{started: c.Status == "accepted", reason: opponent.NoAnswer}
}

// isPlaying reports whether a game is listed as in progress.
func (o *Outgoing) isPlaying(ctx context.Context, id string) bool {
	games, err := o.cfg.Client.Playing(ctx)
	return err == nil && slices.ContainsFunc(games, func(g lichess.Game) bool { return g.ID == id })
}
