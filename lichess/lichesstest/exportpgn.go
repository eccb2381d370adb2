package lichesstest

import (
	"fmt"
	"time"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// pgn is the game with the tags that Lichess writes.
func (g *game) pgn(clocks bool) string {
	out := pgn.Game{Start: *g.rules.Start(), Result: g.pgnResult(), Tags: g.pgnTags()}
	for i, m := range g.rules.Moves()[:g.shownMoves()] {
		move := pgn.Move{Move: m}
		if clocks && g.clock.kind == realTime && i < len(g.clocks) {
			move.Clock, move.HasClock = (time.Duration(g.clocks[i]) * centisecond).Round(time.Second), true
		}
		out.Moves = append(out.Moves, move)
	}
	return out.String()
}

// pgnTags returns the tags, without those of unknown values.
func (g *game) pgnTags() (tags []pgn.Tag) {
	mode := map[bool]string{false: "casual", true: "rated"}[g.spec.Rated]
	var diffs [2]string
	if g.counted {
		diffs = [2]string{fmt.Sprintf("%+d", g.diff[0]), fmt.Sprintf("%+d", g.diff[1])}
	}
	date, white, black := g.created.UTC().Format("2006.01.02"), g.players[0], g.players[1]
	for _, t := range []pgn.Tag{
		{Name: "Event", Value: mode + " " + g.perf() + " game"},
		{Name: "Site", Value: "https://lichess.org/" + g.id},
		{Name: "GameId", Value: g.id},
		{Name: "Date", Value: date},
		{Name: "Round", Value: "-"},
		{Name: "White", Value: white.name},
		{Name: "Black", Value: black.name},
		{Name: "Result", Value: g.pgnResult().String()},
		{Name: "UTCDate", Value: date},
		{Name: "UTCTime", Value: g.created.UTC().Format("15:04:05")},
		{Name: "WhiteElo", Value: fmt.Sprint(g.rating[0])},
		{Name: "BlackElo", Value: fmt.Sprint(g.rating[1])},
		{Name: "WhiteRatingDiff", Value: diffs[0]},
		{Name: "BlackRatingDiff", Value: diffs[1]},
		{Name: "WhiteTitle", Value: white.title},
		{Name: "BlackTitle", Value: black.title},
		{Name: "Variant", Value: variants[g.spec.Variant].name},
		{Name: "TimeControl", Value: g.pgnTimeControl()},
		{Name: "Termination", Value: terminations[g.status]},
	} {
		if t.Value != "" {
			tags = append(tags, t)
		}
	}
	return tags
}

func (g *game) pgnTimeControl() string {
	switch g.clock.kind {
	case realTime:
		return fmt.Sprintf("%d+%d", int(g.spec.Limit.Seconds()), int(g.spec.Increment.Seconds()))
	case correspondence:
		return fmt.Sprintf("%d days per move", g.spec.Days)
	}
	return "-"
}

// terminations are the values of the Termination tag.
var terminations = map[string]string{
	"started": "Unterminated", "aborted": "Abandoned", "noStart": "Abandoned", "timeout": "Time forfeit", "outoftime": "Time forfeit",
	"resign": "Normal", "draw": "Normal", "stalemate": "Normal", "mate": "Normal", "variantEnd": "Normal",
	"insufficientMaterialClaim": "Insufficient material", "cheat": "Rules infraction", "unknownFinish": "Unknown",
}

// pgnResult is the result as PGN writes it.
func (g *game) pgnResult() rules.Result {
	switch {
	case !g.over() || g.status == "aborted" || g.status == "noStart":
		return rules.NoResult
	case g.winner == colors[0]:
		return rules.WhiteWins
	case g.winner == colors[1]:
		return rules.BlackWins
	}
	return rules.Draw
}
