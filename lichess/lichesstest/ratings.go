package lichesstest

import (
	"math"
	"slices"
	"time"
)

// Lichess's parameters of ratings.
const (
	minRating, maxRating       = 400, 4000
	minDeviation, maxDeviation = 45, 500
	provisionalDeviation       = 110      // and above
	whiteAdvantage             = 20.30966 // in crazyhouse, in points
)

// initialRating is what the user's ratings are before the first game.
func (u *user) initialRating() float64 {
	if u.bot() {
		return 2000
	}
	return 1500
}

// deviation is how uncertain a rating is after a number of games. On Lichess, that depends on
// the opponents as well.
func deviation(games int) int { return max(minDeviation, maxDeviation-40*games) }

// provisional reports whether the rating is uncertain.
func (u *user) provisional() bool { return deviation(u.rated) >= provisionalDeviation }

// perf is the JSON of a rating after a number of games.
func perf(rating float64, games int) object {
	o := object{"games": games, "rating": int(rating), "rd": deviation(games), "prog": 0}
	add(o, "prov", deviation(games) >= provisionalDeviation)
	return o
}

// count counts a game that was not aborted, and changes the ratings by it unless Lichess
// leaves it out: by Elo's formula, the more the more uncertain they are, and a person's by
// half as much against a bot.
func (g *game) count() {
	g.countTime()
	g.counted = g.changesRatings()
	score := map[string]float64{colors[0]: 1, "": 0.5}[g.winner]
	gain := score - 1/(1+math.Pow(10, (g.players[1].rating-g.players[0].rating-whiteAdvantage)/400)) // of White
	for side, u := range g.players {
		u.games++
		u.results[int(2*math.Abs(score-float64(side)))]++
		if !g.counted {
			continue
		}
		before, change := int(u.rating), gain*float64(1-2*side)*float64(deviation(u.rated))/2
		if !u.bot() && g.players[1-side].bot() {
			change /= 2
		}
		u.rating = min(max(u.rating+change, minRating), maxRating)
		u.rated++
		g.diff[side] = int(u.rating) - before
	}
}

// changesRatings reports whether a finished game counts for the ratings.
func (g *game) changesRatings() bool {
	return g.spec.Rated && (g.rules.Ply() >= 2 || g.arena != nil) &&
		!g.players[0].marked && !g.players[1].marked && !g.farmed() && !g.boosted()
}

// farmedGames and farmedPlies are how many of a pair's games, and of their plies, Lichess
// compares.
const farmedGames, farmedPlies = 2, 20

// farmed reports whether a bot has just played the same game: one of the pair's last games
// had the same winner and began with the same moves.
func (g *game) farmed() bool {
	if !g.players[0].bot() && !g.players[1].bot() {
		return false
	}
	return slices.ContainsFunc(g.lastGames(farmedGames), func(before *game) bool {
		return before.winningUser() == g.winningUser() &&
			slices.Equal(firstN(before.moves, farmedPlies), firstN(g.moves, farmedPlies))
	})
}

// lastGames returns the pair's last n games before this one, the latest first.
func (g *game) lastGames(n int) (games []*game) {
	for _, id := range slices.Backward(g.server.finished) {
		before := g.server.games[id]
		if before.status != "aborted" && before.has(g.players[0]) && before.has(g.players[1]) {
			games = append(games, before)
		}
	}
	return firstN(games, n)
}

// winningUser is the winner, nil after a draw.
func (g *game) winningUser() *user {
	if g.winner == "" {
		return nil
	}
	return g.players[slices.Index(colors[:], g.winner)]
}

// A result of an account younger than newAccount may be taken for a boost: a win, or a draw
// against a player rated boostingGap more.
const newAccount, boostingGap = 7 * day, 150

// boosted reports whether a new account did so well so quickly that Lichess suspects help. In
// arenas it also asks whether the players are related, which they are not here.
func (g *game) boosted() bool {
	u := g.winningUser()
	for side, rating := range g.rating {
		if u == nil && rating+boostingGap <= g.rating[1-side] {
			u = g.players[side]
		}
	}
	if u == nil || g.arena != nil || time.Since(u.created) >= newAccount {
		return false
	}
	plies, quick := len(g.moves), g.movedAt.Sub(g.created) < time.Duration(90-6*u.rated)*time.Second
	return plies < 10 || plies < 15 && quick && u.provisional()
}
