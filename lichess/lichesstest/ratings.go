package lichesstest

import (
	"math"
	"slices"
	"time"
)

// Lichess's parameters of Glicko-2.
const (
	minRating, maxRating       = 400, 4000
	minDeviation, maxDeviation = 45, 500
	maxRatingChange            = 700      // by a game
	provisionalDeviation       = 110      // and above
	whiteAdvantage             = 20.30966 // in crazyhouse, in points
)

// glicko is a rating by Glicko-2, in points. Its volatility is left out: it has effect only
// on what the passing of time adds to the deviation.
type glicko struct{ rating, deviation float64 }

// gameScore is what a player scored in a game.
type gameScore struct {
	opponent  glicko
	score     float64 // 1, ½ or 0
	advantage float64 // that colour gave the player, in points
}

// glickoUnit is Glicko-2's unit, in points.
const glickoUnit = 173.7178

// after returns the rating after games.
func (p glicko) after(games ...gameScore) glicko {
	precision, gain := 0.0, 0.0 // the inverse of the variance; the score above the expected one
	for _, game := range games {
		weight := glickoWeight(game.opponent.deviation / glickoUnit)
		expected := 1 / (1 + math.Exp(-weight*(p.rating+game.advantage-game.opponent.rating)/glickoUnit))
		precision += weight * weight * expected * (1 - expected)
		gain += weight * (game.score - expected)
	}
	deviation := p.deviation / glickoUnit
	deviation = 1 / math.Sqrt(1/(deviation*deviation)+precision)
	return glicko{p.rating + glickoUnit*deviation*deviation*gain, deviation * glickoUnit}
}

// glickoWeight is the weight of a game by the deviation of the opponent.
func glickoWeight(deviation float64) float64 {
	return 1 / math.Sqrt(1+3*deviation*deviation/(math.Pi*math.Pi))
}

// uncertain is a rating of which nothing is known but the points.
func uncertain(points float64) glicko { return glicko{points, maxDeviation} }

// newPerf is what the user's ratings are before the first game.
func (u *user) newPerf() glicko {
	if u.bot() {
		return uncertain(2000)
	}
	return uncertain(1500)
}

// object is the JSON of a rating after a number of games.
func (p glicko) object(games int) object {
	o := object{"games": games, "rating": p.points(), "rd": int(p.deviation), "prog": 0}
	add(o, "prov", p.provisional())
	return o
}

// points is the rating as it is shown.
func (p glicko) points() int { return int(p.rating) }

// provisional reports whether the rating is uncertain.
func (p glicko) provisional() bool { return p.deviation >= provisionalDeviation }

// bounded returns the rating within Lichess's bounds, given the one before.
func (p glicko) bounded(before glicko) glicko {
	change := min(max(p.rating-before.rating, -maxRatingChange), maxRatingChange)
	return glicko{
		min(max(before.rating+change, minRating), maxRating), min(max(p.deviation, minDeviation), maxDeviation),
	}
}

// halfway returns the average of two ratings.
func (p glicko) halfway(q glicko) glicko {
	return glicko{(p.rating + q.rating) / 2, (p.deviation + q.deviation) / 2}
}

// count counts a game that was not aborted, and changes the ratings by it unless Lichess
// leaves it out.
func (g *game) count() {
	g.countTime()
	g.counted = g.changesRatings()
	before := [2]glicko{g.players[0].perf, g.players[1].perf}
	for side, u := range g.players {
		u.games++
		if g.counted {
			u.perf = g.newRating(side, before)
			u.rated++
			g.diff[side] = u.perf.points() - before[side].points()
		}
	}
}

// newRating is the rating of a side after the game: a person's changes by half as much
// against a bot.
func (g *game) newRating(side int, before [2]glicko) glicko {
	score := map[string]float64{colors[side]: 1, "": 0.5}[g.winner]
	advantage := whiteAdvantage * float64(1-2*side)
	own := before[side]
	p := own.after(gameScore{before[1-side], score, advantage}).bounded(own)
	if !g.players[side].bot() && g.players[1-side].bot() {
		return p.halfway(own)
	}
	return p
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

// newAccount is how long a win may be taken for a boost.
const newAccount = 7 * day

// boosted reports whether a new account won so quickly that Lichess suspects help. In
// arenas it also asks whether the players are related, which they are not here.
func (g *game) boosted() bool {
	u := g.winningUser()
	if u == nil || g.arena != nil || time.Since(u.created) >= newAccount {
		return false
	}
	plies, quick := len(g.moves), g.movedAt.Sub(g.created) < time.Duration(90-6*u.rated)*time.Second
	return plies < 10 || plies < 15 && quick && u.perf.provisional()
}
