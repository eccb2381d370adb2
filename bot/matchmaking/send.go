package matchmaking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/lichess"
)

// outgoingRequest is a challenge that somebody wants to be sent.
type outgoingRequest struct {
	user    string // name of its receiver
	request lichess.ChallengeRequest
	sender  event.Sender
	wait    time.Duration // for an answer
}

// info describes the game that the challenge may become.
func (r *outgoingRequest) info() game.Info {
	return game.Info{Opponent: strings.ToLower(r.user), Bot: bool(r.request.Opponent), Clock: !r.request.Clock.IsZero()}
}

// errUnwanted means that a challenge is no longer wanted.
var errUnwanted = errors.New("no longer wanted")

// isWanted reports whether a challenge is still to be sent: the settings may have changed
// since it was planned.
func (c *Challenger) isWanted(r *outgoingRequest) bool {
	return r.sender != event.Matchmaking || c.whyUnwanted(r.user) == ""
}

// send reserves a slot, sends a challenge and waits for its outcome. An accepted one is
// played; the slot of a game that does not start is released.
func (c *Challenger) send(ctx context.Context, r outgoingRequest) (id string, a outcome, err error) {
	log := c.cfg.Log.With().Str("by", string(r.sender)).Str("opponent", r.user).Stringer("control", r.request.Clock).
		Bool("rated", r.request.Rated).Logger()
	slot, err := c.cfg.Games.Reserve("", r.info())
	if err != nil {
		level := zerolog.InfoLevel
		if r.sender == event.Matchmaking { // which tries again and again
			level = zerolog.DebugLevel
		}
		log.WithLevel(level).Err(err).Msg("no slot for a challenge")
		return "", outcome{}, fmt.Errorf("challenge %s: %w", r.user, err)
	}
	o, err := c.post(ctx, &r)
	if err != nil {
		slot.Release()
		log.Info().Err(err).Msg("challenge not sent")
		return "", outcome{}, err
	}
	slot.Bind(o.ID)
	log.Info().Str("challenge", o.ID).Msg("challenge sent")
	c.cfg.Emit(event.ChallengeSent{
		ID: o.ID, Opponent: r.user, Bot: bool(r.request.Opponent), Sender: r.sender,
		Clock: r.request.Clock, Rated: r.request.Rated,
	})
	<-o.done
	if a = o.outcome; !a.started && slot.Release() {
		c.cfg.Emit(event.ChallengeClosed{ID: o.ID, Outcome: event.Declined, Rule: a.reason})
		log.Info().Str("challenge", o.ID).Str("reason", a.reason).Msg("challenge not accepted by the opponent")
		return o.ID, a, nil
	}
	a = outcome{started: true} // whatever the answer was, if the game has taken the slot
	c.cfg.Emit(event.ChallengeClosed{ID: o.ID, Outcome: event.Accepted})
	log.Info().Str("game", o.ID).Msg("challenge accepted by the opponent")
	c.cfg.Games.Start(ctx, o.ID, r.info())
	return o.ID, a, nil
}

// post posts a challenge and returns it, even if the reply is lost. An error means that
// the server does not seem to have the challenge.
func (c *Challenger) post(ctx context.Context, r *outgoingRequest) (*outgoing, error) {
	shown, forget := c.expect(strings.ToLower(r.user))
	defer forget()
	c.count(ctx, bool(r.request.Opponent))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case c.cfg.Games.IsDraining():
		return nil, game.ErrDraining
	case !c.isWanted(r):
		return nil, errUnwanted
	}
	sent, err := c.cfg.Client.CreateChallenge(ctx, r.user, r.request)
	if err == nil {
		return c.follow(ctx, sent.ID, r), nil
	}
	c.cfg.Opponents.RecordLimit(err, strings.ToLower(r.user), time.Now())
	if lichess.IsRefusal(err) || errors.As(err, new(*lichess.RateLimitError)) || errors.Is(err, lichess.ErrNotSent) {
		return nil, err
	}
	id := c.awaitID(ctx, shown)
	if id == "" {
		return nil, err
	}
	return c.follow(ctx, id, r), nil
}

// maxDiskWait is how long a challenge, which has its slot, waits for the disk.
const maxDiskWait = time.Second

// count counts a challenge that is about to be sent, in the state file if the disk takes it.
func (c *Challenger) count(ctx context.Context, toBot bool) {
	counted := make(chan struct{})
	c.cfg.Games.Go(func() {
		defer close(counted)
		c.cfg.Opponents.Challenged(toBot, time.Now())
	})
	select {
	case <-counted:
	case <-time.After(maxDiskWait):
	case <-ctx.Done():
	}
}

// sending is a challenge that is being sent.
type sending struct {
	opponent string      // id of its receiver
	id       chan string // buffered
}

// isTo reports whether a challenge may be the one that is being sent.
func (s *sending) isTo(c *lichess.Challenge) bool {
	return c.DestUser != nil && strings.EqualFold(c.DestUser.ID, s.opponent)
}

// expect returns a channel that receives the id of a challenge that is about to be
// sent, once the server shows it, until forget is called.
func (c *Challenger) expect(opponent string) (id <-chan string, forget func()) {
	s := &sending{opponent, make(chan string, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sending = append(c.sending, s)
	return s.id, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sending = slices.DeleteFunc(c.sending, func(other *sending) bool { return other == s })
	}
}

// awaitID returns the id of a challenge whose reply was lost, as the event stream or the
// list of challenges shows it; "" if the server does not seem to have it.
func (c *Challenger) awaitID(ctx context.Context, shown <-chan string) string {
	for attempt, timeout := range []time.Duration{c.cfg.Timing.IDTimeout, c.cfg.Timing.LateIDTimeout} {
		if attempt > 0 {
			_ = c.readOpen(ctx) // a slow server may not have it yet: it is awaited whatever the list says
		}
		select {
		case id := <-shown:
			return id
		case <-ctx.Done():
			return ""
		case <-time.After(timeout):
		}
	}
	return ""
}

// followLookups reads the list of challenges whenever that is requested, and again while
// the server fails. It is separate from Run, since no challenge may wait for a list.
func (c *Challenger) followLookups(ctx context.Context) {
	permanent := func(err error) bool { return !lichess.IsTemporary(err) }
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.lookupRequested:
		}
		err := c.cfg.Timing.Cancel.Do(ctx, c.cfg.Log, "listing the outgoing challenges", permanent, func() error {
			return c.readOpen(ctx)
		})
		if event.IsFatal(err) { // the token lacks the scope
			return
		}
	}
}

// readOpen reads the server's list of open challenges. Those of an earlier run are
// cancelled at once, since their games would have no slot.
func (c *Challenger) readOpen(ctx context.Context) error {
	list, err := c.cfg.Client.Challenges(ctx)
	if err != nil {
		c.cfg.Log.Debug().Err(err).Msg("outgoing challenges not listed")
		return err
	}
	for i := range list.Out {
		if list.Out[i].ID != "" { // else it cannot be read
			c.handleShown(ctx, &list.Out[i], 0)
		}
	}
	return nil
}
