package fetch

import (
	"fmt"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// maxMoves bounds the moves of a game; Lichess ends games long before.
const maxMoves = 2000

// newRecord returns an exported game as a record, given the server's URL. The game may come
// from anywhere: a move that is not legal is an error.
func newRecord(g *lichess.ExportedGame, site string) (*record.Game, error) {
	if g.Variant != lichess.Crazyhouse {
		return nil, fmt.Errorf("game %s, variant %.40q: %w", g.ID, g.Variant, ErrVariant)
	}
	board, err := replay(g)
	if err != nil {
		return nil, fmt.Errorf("game %s: %w", g.ID, err)
	}
	r := &record.Game{
		Summary: record.Summary{
			ID: g.ID, Site: site + "/" + g.ID, Rated: g.Rated, Created: time.UnixMilli(int64(g.CreatedAt)).UTC(),
			White: player(&g.Players.White), Black: player(&g.Players.Black),
			Speed: lichess.Correspondence, Status: g.Status, Result: record.ResultOf(g.Status, g.Winner),
		},
		Game: board, Notes: make([]record.Note, board.Ply()),
	}
	r.RatingKnown = g.Rated && (g.Players.White.RatingDiff != nil || g.Players.Black.RatingDiff != nil)
	if g.Rated && !r.RatingKnown && r.Result != rules.NoResult {
		r.Uncounted = record.UnknownReason
	}
	if g.Clock.IsZero() {
		return r, nil
	}
	r.Clock, r.Speed = g.Clock, g.Clock.Speed()
	for ply, left := range g.Clocks[:min(len(g.Clocks), board.Ply())] {
		if left >= 0 && left <= maxCentiseconds {
			r.Notes[ply] = record.Note{HasClock: true, Clock: time.Duration(left) * 10 * time.Millisecond}
		}
	}
	return r, nil
}

// maxCentiseconds bounds a clock: a year.
const maxCentiseconds = 366 * 24 * 3600 * 100

// replay plays the moves of a game.
func replay(g *lichess.ExportedGame) (*rules.Game, error) {
	start := rules.StartPosition()
	if fen := g.InitialFEN; fen != "" && fen != "startpos" {
		var err error
		if start, err = rules.ParseFEN(fen); err != nil {
			return nil, err
		}
	}
	board := rules.NewGame(start)
	for san := range strings.FieldsSeq(g.Moves) {
		if board.Ply() == maxMoves {
			return nil, fmt.Errorf("more than %d moves", maxMoves)
		}
		m, err := board.Position().ParseSAN(san)
		if err != nil {
			return nil, fmt.Errorf("ply %d: %w", board.Ply()+1, err)
		}
		if err := board.Play(m); err != nil {
			return nil, fmt.Errorf("ply %d: %w", board.Ply()+1, err)
		}
	}
	return board, nil
}

// player returns a player with a name, as Lichess writes it in PGN.
func player(p *lichess.ExportedPlayer) record.Player {
	known := &lichess.Player{Name: p.Name, Rating: p.Rating, Provisional: p.Provisional, AILevel: p.AILevel}
	if p.User != nil {
		known.Name, known.Title = p.User.Name, p.User.Title
	}
	out := event.PlayerOf(known)
	if p.RatingDiff != nil {
		out.RatingDiff = *p.RatingDiff
	}
	return out
}
