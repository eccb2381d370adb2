package game

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Only the final event of a rated game tells whether it counted.
func TestGame_AddRatings(t *testing.T) {
	const shortGame = "e2e4 e7e5 g1f3"
	created := time.Now()
	counted := &lichess.Game{ID: "abcd1234", RatingDiff: new(0), Opponent: lichess.Opponent{RatingDiff: new(-4)}}
	uncounted := &lichess.Game{ID: "abcd1234"}
	for _, tt := range []struct {
		name   string
		final  *lichess.Game
		change func(*record.Game, *lichess.Account)
		known  bool
		want   record.Uncounted
	}{
		{"counted", counted, func(*record.Game, *lichess.Account) {}, true, ""},
		{"without the event", new(lichess.Game), func(*record.Game, *lichess.Account) {}, false, ""},
		{"casual", uncounted, func(g *record.Game, _ *lichess.Account) { g.Rated = false }, false, ""},
		{"without a result", uncounted, func(g *record.Game, _ *lichess.Account) { g.Result = rules.NoResult },
			false, ""},
		{"unknown", uncounted, func(*record.Game, *lichess.Account) {}, false, record.UnknownReason},
		{"flagged", uncounted, func(_ *record.Game, a *lichess.Account) { a.TOSViolation = true }, false,
			record.Flagged},
		{"too short", uncounted, func(g *record.Game, _ *lichess.Account) { g.Board.TakeBack(2) }, false,
			record.TooShort},
		{"new account", uncounted, func(_ *record.Game, a *lichess.Account) {
			a.CreatedAt = lichess.Millis(created.Add(-6 * 24 * time.Hour).UnixMilli())
		}, false, record.NewAccount},
		{"new account that drew with a stronger player", uncounted, func(g *record.Game, a *lichess.Account) {
			g.Result, g.Black.Rating, a.CreatedAt = rules.Draw, 150, lichess.Millis(created.UnixMilli())
		}, false, record.NewAccount},
		{"new account that drew", uncounted, func(g *record.Game, a *lichess.Account) {
			g.Result, g.Black.Rating, a.CreatedAt = rules.Draw, 149, lichess.Millis(created.UnixMilli())
		}, false, record.UnknownReason},
		{"new account that lost", uncounted, func(g *record.Game, a *lichess.Account) {
			g.Result, a.CreatedAt = rules.BlackWins, lichess.Millis(created.UnixMilli())
		}, false, record.UnknownReason},
	} {
		account := &lichess.Account{ID: "zhbot"}
		g := newTestGame(t, func(o *Options) { o.Account = func() *lichess.Account { return account } })
		r := &record.Game{Summary: record.Summary{Rated: true, Result: rules.WhiteWins, Created: created},
			Board: rules.NewGame(rules.StartPosition())}
		fixture.Play(t, r.Board, shortGame)
		tt.change(r, account)
		diff := g.addRatings(r, tt.final)
		if diff != r.White.RatingDiff || r.RatingKnown != tt.known || r.Uncounted != tt.want ||
			tt.known && r.Black.RatingDiff != -4 {
			t.Errorf("%s: %+d, %+v", tt.name, diff, r.Summary)
		}
	}
}
