package opponent

import (
	"errors"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Reasons why a challenge failed, in addition to Lichess's decline reasons.
const (
	NoAnswer        = "no answer"
	RefusedByServer = "refused by the server"
	QuotaReached    = "its games of the day are played"
	NoFirstMove     = "no first move"
)

// TermsOf returns the terms of an offer as written in the state file.
func TermsOf(o config.Offer) record.Terms {
	return record.Terms{Control: pgn.TimeControl(o.Clock).String(), Rated: o.Rated}
}

// pauseFactors are the multiples of the first pause after a refusal, by its reason:
// small for one that may soon pass.
var pauseFactors = map[string]int{
	"later": 1, "toofast": 1, "tooslow": 1, "timecontrol": 1, "rated": 1, "casual": 1,
	NoAnswer: 2, QuotaReached: 1, NoFirstMove: 8,
	"generic": 8, "onlybot": 8,
	"variant": 48, "standard": 48, "nobot": 48, RefusedByServer: 48,
}

// pauseAfter returns how long an opponent is not challenged after its n-th consecutive
// refusal: at least p.Min after the first one, doubled with each further one, up to p.Max.
func pauseAfter(p config.Range[time.Duration], reason string, n int) time.Duration {
	factor, known := pauseFactors[reason]
	if !known {
		factor = pauseFactors["generic"]
	}
	wait := p.Min * time.Duration(factor)
	for range n - 1 {
		if wait >= p.Max {
			break
		}
		wait *= 2
	}
	return min(wait, p.Max)
}

// rests reports whether an opponent is not to be challenged yet, after a refusal or a game
// without its first move.
func rests(p config.Range[time.Duration], o *record.Opponent, now time.Time) bool {
	longest := pauseAfter(p, o.Reason, max(1, o.Refusals))
	if o.Reason == QuotaReached {
		longest = day
	}
	return lasts(o.RestUntil, now, longest)
}

// humanCost is how many challenges to bots Lichess counts a challenge to a human as.
const humanCost = 5

// Challenged records that we have sent a challenge, to a bot or to a human.
func (m *Memory) Challenged(bot bool, now time.Time) {
	cost := humanCost
	if bot {
		cost = 1
	}
	m.update(func(s *record.State) {
		s.Challenges = append(within(s.Challenges, now, day), slices.Repeat([]time.Time{now}, cost)...)
	})
}

// Refused records that a challenge has failed: with Lichess's decline reason in lower
// case, or one of those above.
func (m *Memory) Refused(
	opponent string, offer config.Offer, reason string, now time.Time, p config.Range[time.Duration],
) {
	m.updateOpponent(opponent, func(o *record.Opponent) {
		o.Refusals++
		o.Reason = reason
		o.RestUntil = now.Add(pauseAfter(p, reason, o.Refusals))
		if slices.Contains([]string{"toofast", "tooslow", "timecontrol", "casual", "rated"}, reason) {
			o.Declined = append(declined(o, now), TermsOf(offer))
			o.TermsUntil = now.Add(rememberTerms)
		}
	})
}

// declined returns the games that a player does not want.
func declined(o *record.Opponent, now time.Time) []record.Terms {
	if !lasts(o.TermsUntil, now, rememberTerms) {
		return nil
	}
	return slices.Clone(o.Declined)
}

// RecordLimit records whose daily game limit the server reports as reached: ours,
// with a 429, or the opponent's. It ignores other errors.
func (m *Memory) RecordLimit(err error, opponent string, now time.Time) {
	var ours *lichess.RateLimitError
	var theirs *lichess.APIError
	switch {
	case errors.As(err, &ours) && ours.Key == lichess.BotGamesLimit:
		m.update(func(s *record.State) {
			if until := now.Add(ours.RetryAfter); until.After(s.BotGamesClosed) || !lasts(s.BotGamesClosed, now, day) {
				s.BotGamesClosed = until
			}
		})
	case errors.As(err, &theirs) && theirs.Limit != nil:
		wait := min(max(theirs.Limit.Seconds.Duration(), time.Minute), day)
		m.updateOpponent(opponent, func(o *record.Opponent) { o.Reason, o.RestUntil = QuotaReached, now.Add(wait) })
	}
}
