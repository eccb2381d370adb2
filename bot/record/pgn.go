package record

import (
	"fmt"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules/pgn"
)

// PGN returns the game with the tags that Lichess exports, and ours.
func (g *Game) PGN() *pgn.Game {
	out := &pgn.Game{Start: *g.Game.Start(), Result: g.Result, Tags: g.tags()}
	for i, m := range g.Game.Moves() {
		move := pgn.Move{Move: m}
		if i < len(g.Notes) {
			n := g.Notes[i]
			move.Clock, move.HasClock, move.Eval = n.Clock, n.HasClock, n.Eval
		}
		out.Moves = append(out.Moves, move)
	}
	return out
}

func (g *Game) tags() []pgn.Tag {
	mode := "Casual"
	if g.Rated {
		mode = "Rated"
	}
	created := g.Created.UTC()
	tags := []pgn.Tag{
		{Name: "Event", Value: mode + " Crazyhouse game"},
		{Name: "Site", Value: g.Site},
		{Name: "Date", Value: created.Format("2006.01.02")},
		{Name: "Round", Value: "-"},
		{Name: "White", Value: g.White.Name},
		{Name: "Black", Value: g.Black.Name},
		{Name: "Result", Value: g.Result.String()},
		{Name: "GameId", Value: g.ID},
		{Name: "UTCDate", Value: created.Format("2006.01.02")},
		{Name: "UTCTime", Value: created.Format("15:04:05")},
		{Name: "WhiteElo", Value: elo(g.White.Rating)},
		{Name: "BlackElo", Value: elo(g.Black.Rating)},
	}
	if g.RatingKnown {
		tags = append(tags, pgn.Tag{Name: "WhiteRatingDiff", Value: fmt.Sprintf("%+d", g.White.RatingDiff)},
			pgn.Tag{Name: "BlackRatingDiff", Value: fmt.Sprintf("%+d", g.Black.RatingDiff)})
	}
	tags = appendKnown(tags, pgn.Tag{Name: "WhiteTitle", Value: g.White.Title}, pgn.Tag{Name: "BlackTitle", Value: g.Black.Title})
	tags = append(tags,
		pgn.Tag{Name: "Variant", Value: "Crazyhouse"},
		pgn.Tag{Name: "TimeControl", Value: g.timeControl()},
		pgn.Tag{Name: "Termination", Value: termination(g.Status)})
	return appendKnown(tags, pgn.Tag{Name: tagVersion, Value: g.Version}, pgn.Tag{Name: tagNetwork, Value: g.Network},
		pgn.Tag{Name: tagPostMortem, Value: g.PostMortem})
}

// Tags of ours: the engine that played, and why it lost.
const (
	tagVersion    = "EngineVersion"
	tagNetwork    = "EngineNetwork"
	tagPostMortem = "PostMortem"
)

// appendKnown appends the tags that have a value.
func appendKnown(tags []pgn.Tag, more ...pgn.Tag) []pgn.Tag {
	for _, t := range more {
		if t.Value != "" {
			tags = append(tags, t)
		}
	}
	return tags
}

func elo(rating int) string {
	if rating == 0 {
		return "?"
	}
	return fmt.Sprint(rating)
}

func (g *Game) timeControl() string {
	if !g.HasClock {
		return "-"
	}
	return fmt.Sprintf("%g+%g", g.Initial.Seconds(), g.Increment.Seconds())
}

// termination returns the value of the Termination tag that Lichess writes for a
// status.
func termination(status lichess.Status) string {
	switch status {
	case lichess.StatusOutOfTime, lichess.StatusTimeout:
		return "Time forfeit"
	case lichess.StatusAborted, lichess.StatusNoStart:
		return "Abandoned"
	case lichess.StatusCheat:
		return "Rules infraction"
	case lichess.StatusUnknownFinish:
		return "Unknown"
	}
	return "Normal"
}
