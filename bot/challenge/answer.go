package challenge

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/lichess"
)

// declineTimeout bounds a request to decline.
const declineTimeout = 15 * time.Second

// answer accepts or declines a challenge in a goroutine of its own, so that accepts can be
// in flight beside each other and beside a decline.
func (q *Queue) answer(ctx context.Context, c *queued) {
	q.cfg.Games.Go(func() {
		if c.Accept {
			q.accept(ctx, c)
			return
		}
		q.decline(ctx, c)
		q.allowDecline()
	})
}

// allowDecline lets the next challenge be declined.
func (q *Queue) allowDecline() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.declining = false
	q.Notify()
}

// decline declines a challenge. If it is unclear whether the request arrived, the
// challenge goes back to the queue, to be declined again while it is open.
func (q *Queue) decline(ctx context.Context, c *queued) {
	bounded, cancel := context.WithTimeout(ctx, declineTimeout)
	defer cancel()
	err := q.cfg.Client.DeclineChallenge(bounded, c.ID, c.Reason)
	log := q.cfg.Log.With().Str("challenge", c.ID).Str("reason", string(c.Reason)).Str("rule", c.Rule).Logger()
	outcome := event.Gone
	switch {
	case err == nil:
		outcome = event.Declined
		log.Info().Msg("challenge declined")
	case errors.Is(err, lichess.ErrNotFound), ctx.Err() != nil:
		log.Debug().Err(err).Msg("challenge already gone")
	case !lichess.IsRefusal(err) && q.retry(c, err):
		log.Warn().Err(err).Msg("challenge not declined yet") // c is the queue's again
		return
	default:
		log.Warn().Err(err).Msg("challenge not declined")
	}
	q.cfg.Emit(event.ChallengeClosed{ID: c.ID, Outcome: outcome, Rule: c.Rule})
}

// retry requeues a challenge to be answered again after an error, and reports whether it
// will still stand then.
func (q *Queue) retry(c *queued, err error) bool {
	if c.backoff == nil {
		c.backoff = event.Backoff{Initial: 100 * time.Millisecond, Max: 5 * time.Second}.Start()
	}
	c.retryAt = time.Now().Add(c.backoff.After(err))
	if c.expiredAt(c.retryAt) {
		return false
	}
	q.requeue(c)
	return true
}

// requeue requeues a challenge to be answered, unless it was received again meanwhile.
func (q *Queue) requeue(c *queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.holds(c.ID) {
		q.waiting = append(q.waiting, c)
	}
	q.Notify()
}

// accept accepts a challenge that has a slot and starts the game. Unless the server
// clearly refuses, the game may have started, so its stream is tried.
func (q *Queue) accept(ctx context.Context, c *queued) {
	err := q.sendAccept(ctx, c)
	log := q.cfg.Log.With().Str("challenge", c.ID).Str("opponent", event.PlayerOf(c.Challenger).Name).Logger()
	switch {
	case err == nil:
		log.Info().Msg("challenge accepted")
	case !certainlyRefused(err):
		log.Warn().Err(err).Msg("challenge acceptance unconfirmed")
	case !c.slot.Release():
		q.reportOther(c.ID)
	default:
		log.Info().Err(err).Msg("challenge not accepted")
		q.handleRefusal(ctx, c, err)
		return
	}
	q.cfg.Emit(event.ChallengeClosed{ID: c.ID, Outcome: event.Accepted, Rule: c.Rule})
	q.cfg.Games.Start(ctx, c.ID, c.game())
}

// handleRefusal handles a challenge that could not be accepted.
func (q *Queue) handleRefusal(ctx context.Context, c *queued, err error) {
	q.cfg.Opponents.RecordLimit(err, strings.ToLower(c.Challenger.ID), time.Now())
	if errors.Is(err, lichess.ErrUnauthorized) {
		q.cfg.Games.RequestSync() // ends the bot if the token is refused there as well
	}
	if canStillDecline(err) {
		c.Decision = decline(lichess.DeclineLater, "rate limit")
		q.requeue(c)
		return
	}
	rule := "refused by the server"
	if errors.Is(err, lichess.ErrNotSent) {
		if ctx.Err() == nil && q.retry(c, err) {
			return
		}
		rule = "no connection"
	}
	q.cfg.Emit(event.ChallengeClosed{ID: c.ID, Outcome: event.Gone, Rule: rule})
}

// sendAccept accepts a challenge, and retries for a while if the result is ambiguous. A
// refusal of a retry may mean that an earlier attempt succeeded, so the result stays
// ambiguous. A challenge with a clock is not accepted once it has expired; one without
// never expires.
func (q *Queue) sendAccept(ctx context.Context, c *queued) error {
	if c.TimeControl.Type == lichess.ClockControl {
		bounded, cancel := context.WithDeadline(ctx, c.receivedAt.Add(expiry))
		defer cancel()
		ctx = bounded
	}
	var ambiguous error
	waits := event.Backoff{Initial: 100 * time.Millisecond, Max: 45 * time.Second}.Start()
	for {
		select {
		case <-q.cfg.Games.Draining():
			return cmp.Or(ambiguous, game.ErrDraining)
		default:
		}
		err := q.cfg.Client.AcceptChallenge(ctx, c.ID, lichess.OpponentKind(c.Challenger.IsBot()))
		switch {
		case err == nil:
			return nil
		case certainlyRefused(err):
			return cmp.Or(ambiguous, err)
		}
		ambiguous = err
		wait := waits.Next()
		if time.Since(c.receivedAt)+wait > expiry || lichess.Sleep(ctx, wait) != nil || q.cfg.Games.HasBegun(c.ID) {
			return ambiguous
		}
	}
}

// certainlyRefused reports whether a challenge was certainly not accepted.
func certainlyRefused(err error) bool {
	return canStillDecline(err) || lichess.IsRefusal(err) || errors.Is(err, lichess.ErrNotSent)
}

// canStillDecline reports whether the challenge is still open to be declined: a
// limit prevented the accept, not that it is gone.
func canStillDecline(err error) bool {
	var api *lichess.APIError
	return errors.Is(err, game.ErrDraining) || errors.As(
		err, new(*lichess.RateLimitError),
	) || errors.As(err, &api) && api.Limit != nil
}
