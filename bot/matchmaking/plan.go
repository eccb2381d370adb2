package matchmaking

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

// maxOnlineBots is the number of online bots requested, all that Lichess lists.
const maxOnlineBots = 512

// Plan challenges other bots while the bot is idle, one at a time, within the daily budget,
// and never in a slot reserved for humans, until the context ends or the bot drains.
func (c *Challenger) Plan(ctx context.Context) error {
	c.loadSettings()
	for {
		wait := time.Hour // there is nothing to do but to wait for other settings
		if c.planner.settings.Enabled {
			wait = c.step(ctx)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.cfg.Games.Draining():
			return nil
		case <-c.settingsChanged:
			c.loadSettings()
		case <-time.After(wait):
		}
	}
}

// loadSettings applies the current settings.
func (c *Challenger) loadSettings() {
	c.planner.settings, c.planner.gauntlet = *c.cfg.Settings(), CurrentGauntlet(c.cfg.State)
}

// step sends a challenge if one is due, and returns when to check again.
func (c *Challenger) step(ctx context.Context) time.Duration {
	c.endIfOver()
	if wait := c.waitTime(time.Now()); wait > 0 {
		return wait
	}
	online, err := c.onlineBots(ctx)
	if err != nil {
		c.cfg.Log.Warn().Err(err).Msg("online bots not fully read")
	}
	list := c.planner.rank(time.Now(), newest(c.cfg.Account(), online), online)
	if len(list) == 0 {
		c.cfg.Log.Debug().Int("online", len(online)).Msg("no bot to challenge")
		return c.cfg.Timing.Interval
	}
	return c.challenge(ctx, c.firstIdle(ctx, list))
}

// onlineBots returns the bots that are online. In a gauntlet it asks for its opponents by name,
// because Lichess's list lacks bots without a bio, and is capped.
func (c *Challenger) onlineBots(ctx context.Context) (online []lichess.Account, err error) {
	g := c.planner.gauntlet
	if g == nil {
		return c.cfg.Client.OnlineBots(ctx, maxOnlineBots)
	}
	ids := make([]string, len(g.Opponents))
	for i, name := range g.Opponents {
		ids[i] = strings.ToLower(name)
	}
	users, err := c.cfg.Client.UserStatuses(ctx, ids...)
	for _, u := range users {
		if u.Online && u.IsBot() {
			online = append(online, lichess.Account{ID: u.ID, Username: u.Name, Title: u.Title})
		}
	}
	return online, err
}

// newest returns our account with the ratings from the list of online bots, where they are
// up to date.
func newest(me *lichess.Account, online []lichess.Account) *lichess.Account {
	updated := *me
	for i := range online {
		if strings.EqualFold(online[i].ID, me.ID) {
			updated.Perfs = online[i].Perfs
		}
	}
	return &updated
}

// waitTime returns how long to wait for idleness and the budget.
func (c *Challenger) waitTime(now time.Time) time.Duration {
	settings, idle := &c.planner.settings, now.Sub(c.cfg.Games.BusyUntil(now))
	switch {
	case idle <= 0, c.cfg.HumanWaits():
		return max(settings.Idle, c.cfg.Timing.Interval)
	case idle < settings.Idle:
		return settings.Idle - idle
	}
	b := budget{settings.GamesPerDay, settings.Hours}
	if wait := b.opensAt(now, c.cfg.Opponents.Usage(now)).Sub(now); wait > 0 {
		c.cfg.Log.Debug().Stringer("wait", wait.Round(time.Millisecond)).Msg("no challenge within the budget")
		return min(wait, time.Hour) // other games may change it
	}
	return 0
}

// maxStatusLookups is the number of best proposals whose status is checked.
const maxStatusLookups = 20

// firstIdle returns the best proposal to a bot that is not playing, or the best of
// all: some bots play several games at once.
func (c *Challenger) firstIdle(ctx context.Context, list []proposal) proposal {
	ids := make([]string, 0, maxStatusLookups)
	for _, p := range list[:min(maxStatusLookups, len(list))] {
		ids = append(ids, p.opponent)
	}
	statuses, err := c.cfg.Client.UserStatuses(ctx, ids...)
	if err != nil {
		c.cfg.Log.Debug().Err(err).Msg("user statuses unavailable")
		return list[0]
	}
	free := map[string]bool{}
	for _, s := range statuses {
		free[strings.ToLower(s.ID)] = s.Online && !s.Playing
	}
	i := slices.IndexFunc(list, func(p proposal) bool { return free[p.opponent] })
	return list[max(i, 0)]
}

// challenge sends a challenge and waits for its outcome. It returns how long to wait
// before the next.
func (c *Challenger) challenge(ctx context.Context, p proposal) time.Duration {
	color := lichess.Black
	if p.white {
		color = lichess.White
	}
	id, a, err := c.send(ctx, outgoingRequest{
		user: p.name, sender: event.Matchmaking, wait: c.planner.settings.Wait,
		request: lichess.ChallengeRequest{
			Rated: p.offer.Rated, Clock: p.offer.Clock, Color: color, Opponent: lichess.Bot,
		},
	})
	switch {
	case err != nil:
		return c.handleFailure(&p, err)
	case a.started:
		c.recordPair(&p, id)
	case !c.cfg.Games.IsDraining() && ctx.Err() == nil && !a.isOurs() && c.cfg.Settings().Enabled:
		c.refused(&p, a.reason)
	}
	return c.cfg.Timing.Interval
}

// refused records that an opponent has refused a proposal.
func (c *Challenger) refused(p *proposal, reason string) {
	c.cfg.Opponents.Refused(p.opponent, p.offer, reason, time.Now(), c.planner.settings.Pause)
}

// handleFailure handles an error of a challenge that could not be sent, and returns how
// long to wait before the next.
func (c *Challenger) handleFailure(p *proposal, err error) time.Duration {
	var api *lichess.APIError
	var limited *lichess.RateLimitError
	switch {
	case errors.As(err, &limited):
		return max(limited.RetryAfter, c.cfg.Timing.Interval)
	case errors.As(err, &api) && api.Limit != nil: // it has been recorded
	case lichess.IsRefusal(err):
		c.refused(p, opponent.RefusedByServer)
	}
	return c.cfg.Timing.Interval
}

// recordPair records whether the second game of a pair is due once a challenge has become a
// game. One that we aborted by cancelling the challenge too late begins no pair.
func (c *Challenger) recordPair(p *proposal, id string) {
	if c.planner.gauntlet != nil {
		return
	}
	if c.planner.settings.Pairs && !p.second && !c.WasCanceled(id) {
		c.cfg.Opponents.BeginPair(p.opponent, p.offer, p.white, time.Now())
	} else {
		c.cfg.Opponents.EndPair(p.opponent)
	}
}
