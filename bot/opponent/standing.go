package opponent

import (
	"maps"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
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
func (m *Memory) update(change func(*record.State)) {
	if err := m.state.Update(change); err != nil {
		m.log.Warn().Err(err).Msg("state not written")
	}
}

// updateOpponent changes what the state file has about a player.
func (m *Memory) updateOpponent(id string, change func(*record.Opponent)) {
	m.update(func(s *record.State) { change(s.Opponent(id)) })
}

// Began records a game that has begun. It resets the opponent's refusals.
func (m *Memory) Began(id, opponent string, bot bool, at, now time.Time) {
	begun := map[string]time.Time{}
	if bot {
		begun[id] = at
	}
	m.update(func(s *record.State) {
		addBotGames(s, begun, now)
		if o := s.Opponents[opponent]; o != nil {
			o.Refusals, o.RestUntil, o.Reason = 0, time.Time{}, ""
		}
		maps.DeleteFunc(s.Opponents, func(_ string, o *record.Opponent) bool { return isForgettable(o, now) })
	})
}

// addBotGames adds games to those against bots of the day. The server's clock, by which
// they began, may be ahead of ours.
func addBotGames(s *record.State, begun map[string]time.Time, now time.Time) {
	for id, at := range begun {
		if _, known := s.BotGames[id]; !known && at.Sub(now) < day {
			s.BotGames[id] = slices.MinFunc([]time.Time{at, now}, time.Time.Compare)
		}
	}
	maps.DeleteFunc(s.BotGames, func(_ string, at time.Time) bool { return !isWithin(at, now, day) })
}

// isForgettable reports whether nothing about a player is worth remembering.
func isForgettable(o *record.Opponent, now time.Time) bool {
	due := o.Pending != nil && now.Before(o.Pending.Until)
	return o.Refusals == 0 && !due && !now.Before(o.RestUntil) && !now.Before(o.TermsUntil) &&
		len(within(o.Aborts, now, rememberAborts)) == 0 &&
		(o.Wish == nil || !lasts(o.Wish.Until, now, wishPeriod))
}

// The times in the state file may come from a run when this machine's clock was wrong. A
// time in the future does, and so does an end that is too far away: neither counts.

// isWithin reports whether a time lies in the period before now.
func isWithin(at, now time.Time, period time.Duration) bool {
	age := now.Sub(at)
	return 0 <= age && age < period
}

// within returns the times in the period before now.
func within(times []time.Time, now time.Time, period time.Duration) []time.Time {
	return slices.DeleteFunc(slices.Clone(times), func(at time.Time) bool { return !isWithin(at, now, period) })
}

// lasts reports whether a period of at most the longest duration has not ended.
func lasts(end, now time.Time, longest time.Duration) bool {
	left := end.Sub(now)
	return 0 < left && left <= longest
}

// Aborted records a game that the opponent aborted.
func (m *Memory) Aborted(opponent string, now time.Time) {
	m.updateOpponent(opponent, func(o *record.Opponent) {
		o.Aborts = append(within(o.Aborts, now, rememberAborts), now)
		o.Pending = nil // the pair is dropped
	})
}

// Idle records an opponent who made no first move: we accept its challenges as before,
// but do not challenge it for a while.
func (m *Memory) Idle(opponent string, now time.Time, p config.Range[time.Duration]) {
	m.updateOpponent(opponent, func(o *record.Opponent) {
		o.Pending = nil
		if until := now.Add(pauseAfter(p, NoFirstMove, 1)); !o.RestUntil.After(until) || !rests(p, o, now) {
			o.Reason, o.RestUntil = NoFirstMove, until
		}
	})
}

// BeginPair records that the first of two games with an opponent was accepted, and
// whether we have White in it: the second one is due.
func (m *Memory) BeginPair(opponent string, o config.Offer, white bool, now time.Time) {
	m.updateOpponent(opponent, func(known *record.Opponent) {
		known.Pending = &record.PendingGame{Terms: TermsOf(o), White: !white, Until: now.Add(pairPeriod)}
	})
}

// EndPair records that no second game of a pair is due: it was accepted, or the first
// one was not played.
func (m *Memory) EndPair(opponent string) {
	m.update(func(s *record.State) {
		if o := s.Opponents[opponent]; o != nil {
			o.Pending = nil
		}
	})
}

// IsAvoided reports whether a player is avoided for now, after too many aborted
// games.
func (m *Memory) IsAvoided(opponent string, now time.Time) (yes bool) {
	m.state.View(func(s *record.State) {
		if o := s.Opponents[opponent]; o != nil {
			yes = AbortsTooOften(o, now)
		}
	})
	return yes
}

// AbortsTooOften reports whether a player has aborted too many games of late.
func AbortsTooOften(o *record.Opponent, now time.Time) bool {
	return len(within(o.Aborts, now, day)) >= maxAborts
}

// Standing is what is remembered about an opponent that we may challenge.
type Standing struct {
	Resting   bool                // not to be challenged now: it refused, or aborted too often
	Incidents int                 // its recent games that it aborted or stalled
	Pending   *record.PendingGame // the second game of a pair; nil if none is due
	declined  []record.Terms
}

// Standing returns what is remembered about an opponent; it rests as these pauses say.
func (m *Memory) Standing(opponent string, now time.Time, p config.Range[time.Duration]) (s Standing) {
	m.state.View(func(d *record.State) {
		o := d.Opponents[opponent]
		if o == nil {
			return
		}
		s.Resting = rests(p, o, now) || AbortsTooOften(o, now)
		s.Incidents = len(within(o.Aborts, now, rememberAborts))
		if o.Pending != nil && lasts(o.Pending.Until, now, pairPeriod) {
			s.Pending = new(*o.Pending)
		}
		s.declined = declined(o, now)
	})
	s.Incidents += m.stalls(opponent, now)
	return s
}

// Declines reports whether the opponent has declined such a game before.
func (s *Standing) Declines(o config.Offer) bool { return slices.Contains(s.declined, TermsOf(o)) }

// Usage is what counts towards Lichess's daily limits.
type Usage struct {
	BotGames    []time.Time // when the games against bots of the last day began, oldest first
	Challenges  []time.Time // when challenges were sent, oldest first; one to a human counts several times
	ClosedUntil time.Time   // until then Lichess starts no games against bots
}

// Usage returns what counts towards Lichess's daily limits.
func (m *Memory) Usage(now time.Time) (u Usage) {
	m.state.View(func(s *record.State) {
		games := slices.SortedFunc(maps.Values(s.BotGames), time.Time.Compare)
		u = Usage{BotGames: within(games, now, day), Challenges: within(s.Challenges, now, day)}
		if lasts(s.BotGamesClosed, now, day) {
			u.ClosedUntil = s.BotGamesClosed
		}
	})
	return u
}
