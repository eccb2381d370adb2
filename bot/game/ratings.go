package game

import (
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// addRatings adds to the record of a rated game how it changed the ratings, or why it
// changed none, and returns our change. Without the final event, neither is known.
func (g *game) addRatings(r *record.Game, final *lichess.Game) (diff int) {
	ours, theirs := &r.White, &r.Black
	if g.us == rules.Black {
		ours, theirs = theirs, ours
	}
	switch {
	case final.ID == "" || !r.Rated || r.Result == rules.NoResult:
		return 0
	case final.RatingDiff == nil && final.Opponent.RatingDiff == nil:
		r.Uncounted = g.whyUncounted(r)
		g.log.Warn().Str("reason", string(r.Uncounted)).Msg("rated game did not count: Lichess changed no rating")
		return 0
	}
	r.RatingKnown = true
	if d := final.Opponent.RatingDiff; d != nil {
		theirs.RatingDiff = *d
	}
	if d := final.RatingDiff; d != nil {
		ours.RatingDiff = *d
	}
	return ours.RatingDiff
}

// quickWin is the number of plies below which a win of a new account may not count.
const quickWin = 15

// whyUncounted tells why a rated game did not count, as far as we know the rules of
// Lichess and the players.
func (g *game) whyUncounted(r *record.Game) record.Uncounted {
	us := g.Account()
	switch {
	case us.TOSViolation:
		return record.Flagged
	case r.Game.Ply() < 2:
		return record.TooShort
	case g.Opponents.IsFarming(r, g.us):
		return record.Farming
	case us.IsNew(r.Created) && r.Game.Ply() < quickWin && r.Result == rules.WinOf(g.us):
		return record.NewAccount
	}
	return record.UnknownReason
}
