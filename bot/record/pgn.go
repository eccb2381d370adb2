package record

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules/pgn"
)

// PGN returns the game with the tags that Lichess exports, and our own.
func (g *Game) PGN() *pgn.Game {
	out := &pgn.Game{Start: *g.Board.Start(), Result: g.Result, Tags: g.tags()}
	for i, m := range g.Board.Moves() {
		move := pgn.Move{Move: m}
		if i < len(g.Notes) {
			n := g.Notes[i]
			move.Clock, move.HasClock, move.Eval = n.Clock, n.HasClock, n.Eval
		}
		out.Moves = append(out.Moves, move)
	}
	return out
}

// Our own tags: that a rating was provisional (the tag begins with the player's colour), that
// the game ended because a player had left, why a rated game changed no rating, the engine
// that played, its contender and level, and how many moves were not the program's.
const (
	tagProvisional = "Provisional"
	tagLeft        = "PlayerLeft"
	tagUncounted   = "RatingUncounted"
	tagVersion     = "EngineVersion"
	tagNetwork     = "EngineNetwork"
	tagProgram     = "EngineProgram"
	tagContender   = "EngineContender"
	tagFor         = "EngineContenderFor"
	tagLevel       = "EngineLevel"
	tagFallbacks   = "EngineFallbacks"
)

// tags returns the tags, without those of unknown values.
func (g *Game) tags() (tags []pgn.Tag) {
	mode, whiteDiff, blackDiff, fallbacks := "Casual", "", "", ""
	if g.Rated {
		mode = "Rated"
	}
	if g.RatingKnown {
		whiteDiff, blackDiff = fmt.Sprintf("%+d", g.White.RatingDiff), fmt.Sprintf("%+d", g.Black.RatingDiff)
	}
	if g.Fallbacks > 0 {
		fallbacks = strconv.Itoa(g.Fallbacks)
	}
	created := g.Created.UTC()
	for _, tag := range [][2]string{
		{"Event", mode + " Crazyhouse game"},
		{"Site", g.Site},
		{"Date", created.Format("2006.01.02")},
		{"Round", "-"},
		{"White", g.White.Name},
		{"Black", g.Black.Name},
		{"Result", g.Result.String()},
		{"GameId", g.ID},
		{"UTCDate", created.Format("2006.01.02")},
		{"UTCTime", created.Format("15:04:05")},
		{"WhiteElo", elo(g.White.Rating)},
		{"BlackElo", elo(g.Black.Rating)},
		{"WhiteRatingDiff", whiteDiff},
		{"BlackRatingDiff", blackDiff},
		{"White" + tagProvisional, ifTrue(g.White.Provisional)},
		{"Black" + tagProvisional, ifTrue(g.Black.Provisional)},
		{tagUncounted, string(g.Uncounted)},
		{"WhiteTitle", g.White.Title},
		{"BlackTitle", g.Black.Title},
		{"Variant", "Crazyhouse"},
		{"TimeControl", pgn.TimeControl(g.Clock).String()},
		{"Termination", cmp.Or(terminations[g.Status], "Normal")},
		{tagLeft, ifTrue(g.Status == lichess.StatusTimeout)},
		{tagVersion, g.Version},
		{tagNetwork, g.Network},
		{tagProgram, g.Program},
		{tagContender, g.Contender},
		{tagFor, g.ContenderFor},
		{tagLevel, g.Level},
		{tagFallbacks, fallbacks},
	} {
		if tag[1] != "" {
			tags = append(tags, pgn.Tag{Name: tag[0], Value: tag[1]})
		}
	}
	return tags
}

// yes is the value of a tag that is only written if something is so.
const yes = "yes"

func ifTrue(is bool) string {
	if is {
		return yes
	}
	return ""
}

func elo(rating int) string {
	if rating == 0 {
		return "?"
	}
	return fmt.Sprint(rating)
}

// terminations are the values of the Termination tag that Lichess writes for a status;
// it is "Normal" for any other.
var terminations = map[lichess.Status]string{
	lichess.StatusOutOfTime: "Time forfeit", lichess.StatusTimeout: "Time forfeit",
	lichess.StatusCreated: "Unterminated", lichess.StatusStarted: "Unterminated",
	lichess.StatusAborted: "Abandoned", lichess.StatusNoStart: "Abandoned",
	lichess.StatusCheat: "Rules infraction", lichess.StatusUnknownFinish: "Unknown",
}
