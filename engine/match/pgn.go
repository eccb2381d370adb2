package match

import (
	"fmt"
	"io"
	"time"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// writePGN writes the game with clocks and evaluations.
func (r *referee) writePGN(w io.Writer, names [2]string) error {
	g := r.record
	white, black := g.contestant(rules.White), g.contestant(rules.Black)
	out := pgn.Game{
		Tags: []pgn.Tag{
			{Name: "Event", Value: "zhbot match"},
			{Name: "Site", Value: "?"},
			{Name: "Date", Value: time.Now().UTC().Format("2006.01.02")},
			{Name: "Round", Value: fmt.Sprintf("%d.%d", g.Number/2+1, g.Number%2+1)},
			{Name: "White", Value: names[white]},
			{Name: "Black", Value: names[black]},
			{Name: "Result", Value: g.Result.String()},
			{Name: "Variant", Value: "Crazyhouse"},
			{Name: "WhiteLimit", Value: r.limit(white).String()},
			{Name: "BlackLimit", Value: r.limit(black).String()},
			{Name: "Termination", Value: r.termination()},
		},
		Start:  *r.game.Start(),
		Moves:  r.pgnMoves,
		Result: g.Result,
	}
	if white, black := r.limit(white).timeControl(), r.limit(black).timeControl(); white == black {
		out.Tags = append(out.Tags, pgn.Tag{Name: "TimeControl", Value: white})
	} else {
		out.Tags = append(out.Tags, pgn.Tag{Name: "WhiteTimeControl", Value: white},
			pgn.Tag{Name: "BlackTimeControl", Value: black})
	}
	_, err := out.WriteTo(w)
	return err
}

// termination returns how the game ended, and whose fault it was.
func (r *referee) termination() string {
	if r.record.Detail == "" {
		return string(r.record.Ending)
	}
	return fmt.Sprintf("%s (%s): %s", r.record.Ending, r.record.loser(), r.record.Detail)
}
