package opponent

import (
	"maps"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/state"
)

const (
	rememberAborts = 7 * day
	rememberTerms  = 14 * day // after that, declined terms may be offered again
	pairPeriod     = day      // the second game of a pair is played within
	// maxAborts is the number of aborted games in a day after which a player is avoided.
	maxAborts = 3
)

// update changes the state file. If the disk fails, the change is kept in memory and
// the bot continues.
func (m *Memory) update(change func(*state.Data)) {
	if err := m.state.Update(change); err != nil {
		m.log.Warn().Err(err).Msg("state not written")
	}
}

// Began records a game that has begun. It resets the opponent's refusals.
func (m *Memory) Began(id, opponent string, bot bool, at, now time.Time) {
	begun := map[string]time.Time{}
	if bot && at.After(now.Add(-day)) {
		begun[id] = at
	}
	m.update(func(s *state.Data) {
		addBotGames(s, begun, now)
		if o := s.Opponents[opponent]; o != nil {
			o.Refusals, o.RestUntil, o.Reason = 0, time.Time{}, ""
		}
		maps.DeleteFunc(s.Opponents, func(_ string, o *state.Opponent) bool { return isForgettable(o, now) })
	})
}

// addBotGames adds games to those against bots of the day.
func addBotGames(s *state.Data, begun map[string]time.Time, now time.Time) {
	maps.Copy(s.BotGames, begun)
	maps.DeleteFunc(s.BotGames, func(_ string, at time.Time) bool { return at.Before(now.Add(-day)) })
}

// isForgettable reports whether nothing about a player is worth remembering.
func isForgettable(o *state.Opponent, now time.Time) bool {
	due := o.Pending != nil && now.Before(o.Pending.Until)
	return o.Refusals == 0 && !due && !now.Before(o.RestUntil) && !now.Before(o.TermsUntil) &&
		abortsSince(o, now.Add(-rememberAborts)) == 0
}

// after drops the times before another.
func after(times []time.Time, first time.Time) []time.Time {
	return slices.DeleteFunc(times, func(at time.Time) bool { return at.Before(first) })
}

// Aborted records a game that the opponent aborted.
func (m *Memory) Aborted(opponent string, now time.Time) {
	m.update(func(s *state.Data) {
		o := s.Opponent(opponent)
		o.Aborts = append(after(o.Aborts, now.Add(-rememberAborts)), now)
		o.Pending = nil // the pair is dropped
	})
}

// Idle records an opponent who made no first move: we accept its challenges as before,
// but do not challenge it for a while.
func (m *Memory) Idle(opponent string, now time.Time, p Pauses) {
	m.update(func(s *state.Data) {
		o := s.Opponent(opponent)
		o.Pending = nil
		o.Reason, o.RestUntil = NoFirstMove, latest(o.RestUntil, now.Add(p.after(NoFirstMove, 1)))
	})
}

// BeginPair records that the first of two games with an opponent was accepted, and
// whether we have White in it: the second one is due.
func (m *Memory) BeginPair(opponent string, o Offer, white bool, now time.Time) {
	m.update(func(s *state.Data) {
		s.Opponent(opponent).Pending = &state.PendingGame{Control: o.Control(), Rated: o.Rated, White: !white, Until: now.Add(pairPeriod)}
	})
}

// EndPair records that no second game of a pair is due: it was accepted, or the first
// one was not played.
func (m *Memory) EndPair(opponent string) {
	m.update(func(s *state.Data) {
		if o := s.Opponents[opponent]; o != nil {
			o.Pending = nil
		}
	})
}

// IsAvoided reports whether a player is avoided for now, after too many aborted
// games.
func (m *Memory) IsAvoided(opponent string, now time.Time) (yes bool) {
	m.state.View(func(s *state.Data) {
		if o := s.Opponents[opponent]; o != nil {
			yes = abortsTooOften(o, now)
		}
	})
	return yes
}

func abortsTooOften(o *state.Opponent, now time.Time) bool {
	return abortsSince(o, now.Add(-day)) >= maxAborts
}

func abortsSince(o *state.Opponent, first time.Time) (n int) {
	for _, at := range o.Aborts {
		if at.After(first) {
			n++
		}
	}
	return n
}

// Standing is what is remembered about an opponent that we may challenge.
type Standing struct {
	Resting   bool               // not to be challenged now: it refused, or aborted too often
	Incidents int                // its recent games that it aborted or stalled
	Pending   *state.PendingGame // the second game of a pair; nil if none is due
	declined  state.Terms
}

// Standing returns what is remembered about an opponent.
func (m *Memory) Standing(opponent string, now time.Time) (s Standing) {
	m.state.View(func(d *state.Data) {
		o := d.Opponents[opponent]
		if o == nil {
			return
		}
		s.Resting = now.Before(o.RestUntil) || abortsTooOften(o, now)
		s.Incidents = abortsSince(o, now.Add(-rememberAborts))
		if o.Pending != nil && now.Before(o.Pending.Until) {
			due := *o.Pending
			s.Pending = &due
		}
		if now.Before(o.TermsUntil) {
			s.declined = o.Terms
			s.declined.Controls = slices.Clone(o.Terms.Controls)
		}
	})
	s.Incidents += m.stalls(opponent, now)
	return s
}

// Declines reports whether the opponent has declined such a game before.
func (s *Standing) Declines(o Offer) bool {
	t := &s.declined
	return o.Rated && t.Rated || !o.Rated && t.Casual ||
		t.TooFast > 0 && o.estimate() <= t.TooFast || t.TooSlow > 0 && o.estimate() >= t.TooSlow ||
		slices.Contains(t.Controls, o.Control())
}

// Usage is what counts towards Lichess's daily limits.
type Usage struct {
	BotGames    []time.Time // when the games against bots of the last day began, oldest first
	Challenges  []time.Time // when challenges were sent, oldest first; one to a human counts several times
	ClosedUntil time.Time   // until then Lichess starts no games against bots
}

// Usage returns what counts towards Lichess's daily limits.
func (m *Memory) Usage() (u Usage) {
	m.state.View(func(s *state.Data) {
		u = Usage{slices.SortedFunc(maps.Values(s.BotGames), time.Time.Compare), slices.Clone(s.Challenges), s.BotGamesClosed}
	})
	return u
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
