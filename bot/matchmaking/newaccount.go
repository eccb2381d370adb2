package matchmaking

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// slowGame is the least time that a side needs, by Lichess's estimate, in the games that a
// new account offers: faster ones may be won too quickly to count.
const slowGame = 3 * time.Minute

// offersOf returns what to propose from an account: while it is new, the slow offers only,
// unless there are none.
func offersOf(s *config.Matchmaking, a *lichess.Account, now time.Time) []config.Offer {
	if a.IsNew(now) {
		if slow := slowOffers(s); len(slow) > 0 {
			return slow
		}
	}
	return slices.Clone(s.Offers)
}

func slowOffers(s *config.Matchmaking) []config.Offer {
	return slices.DeleteFunc(slices.Clone(s.Offers), func(o config.Offer) bool { return o.Clock.Estimate() < slowGame })
}

// NewAccountNote returns in one line what the age of an account changes in matchmaking, ""
// if nothing.
func NewAccountNote(s *config.Matchmaking, a *lichess.Account, now time.Time) string {
	const why = ": quick wins of an account younger than 7 days do not count"
	switch {
	case !s.Enabled || !a.IsNew(now):
		return ""
	case len(slowOffers(s)) == 0:
		return "the strongest opponents first, but matchmaking.offers has none of 3 minutes or slower" + why
	}
	return "only offers of 3 minutes and slower, the strongest opponents first" + why
}
