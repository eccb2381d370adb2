package bot

import (
	"errors"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// Why a challenge failed, in addition to Lichess's decline reasons.
const (
	refusedNoAnswer = "no answer"
	refusedByServer = "refused by the server"
	refusedQuota    = "its games of the day are played"
	refusedIdle     = "no first move"
)

// pauseFactors are the multiples of the first pause after a refusal, by its reason:
// small for one that may soon pass.
var pauseFactors = map[string]int{
	"later": 1, "toofast": 1, "tooslow": 1, "timecontrol": 1, "rated": 1, "casual": 1,
	refusedNoAnswer: 2, refusedQuota: 1, refusedIdle: 8,
	"generic": 8, "onlybot": 8,
	"variant": 48, "standard": 48, "nobot": 48, refusedByServer: 48,
}

// sent records a sent challenge.
func (m *memory) sent(now time.Time) {
	m.update(func(s *record.Memory) { s.Challenges = append(after(s.Challenges, now.Add(-day)), now) })
}

// refused records a failed proposal. The pause before the next one doubles with each
// consecutive refusal.
func (m *memory) refused(n proposal, reason string, now time.Time, terms *Matchmaking) {
	m.update(func(s *record.Memory) {
		o := s.Opponent(n.opponent)
		o.Refusals++
		o.Reason = reason
		o.RestUntil = now.Add(refusalPause(reason, o.Refusals, terms))
		recordTerms(o, n.offer, reason, now)
	})
}

// refusalPause returns the pause after the n-th consecutive refusal.
func refusalPause(reason string, n int, terms *Matchmaking) time.Duration {
	times, known := pauseFactors[reason]
	if !known {
		times = pauseFactors["generic"]
	}
	wait := terms.FirstPause * time.Duration(times)
	for range n - 1 {
		if wait >= terms.LongestPause {
			break
		}
		wait *= 2
	}
	return min(wait, terms.LongestPause)
}

// recordTerms records what a decline says about the games that the player wants.
// Lichess's reason "casual" asks for a casual game, so it declines rated ones.
func recordTerms(o *record.Opponent, g GameOffer, reason string, now time.Time) {
	if !now.Before(o.TermsUntil) {
		o.Terms = record.Terms{}
	}
	t := &o.Terms
	switch reason {
	case "toofast":
		t.TooFast = max(t.TooFast, g.estimate())
	case "tooslow":
		if t.TooSlow == 0 || g.estimate() < t.TooSlow {
			t.TooSlow = g.estimate()
		}
	case "timecontrol":
		t.Controls = append(t.Controls, g.control())
	case "casual":
		t.Rated = true
	case "rated":
		t.Casual = true
	default:
		return
	}
	o.TermsUntil = now.Add(rememberTerms)
}

// recordLimit records whose daily game limit the server reports as reached: ours,
// with a 429, or the opponent's. It ignores other errors.
func (m *memory) recordLimit(err error, opponent string, now time.Time) {
	var ours *lichess.RateLimitError
	var theirs *lichess.APIError
	switch {
	case errors.As(err, &ours) && ours.Key == lichess.BotGamesLimit:
		m.update(func(s *record.Memory) { s.BotGamesClosed = latest(s.BotGamesClosed, now.Add(ours.RetryAfter)) })
	case errors.As(err, &theirs) && theirs.Limit != nil:
		wait := min(max(theirs.Limit.Seconds.Duration(), time.Minute), day)
		m.update(func(s *record.Memory) {
			o := s.Opponent(opponent)
			o.Reason, o.RestUntil = refusedQuota, now.Add(wait)
		})
	}
}

// accepted records that a proposal has become a game: after the first game of a pair
// the second is due.
func (m *memory) accepted(n proposal, now time.Time, terms *Matchmaking) {
	m.update(func(s *record.Memory) {
		o := s.Opponent(n.opponent)
		o.Pending = nil
		if terms.Paired && !n.second {
			o.Pending = &record.PendingGame{Control: n.offer.control(), Rated: n.offer.Rated, White: !n.white, Until: now.Add(duePeriod)}
		}
	})
}
