package stats

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// ExportPGN writes a player's rated games since a time, of those that name a contender and
// count for [RatedGames], as games of that contender, for programs that rate players by a
// PGN. It returns how many.
func ExportPGN(ctx context.Context, w io.Writer, paths []string, player string, since time.Time,
	all bool) (games int, err error) {
	names := map[string]bool{} // of contenders, in lower case
	err = record.ReadGames(ctx, paths, func(f *record.FinishedGame) { names[strings.ToLower(f.Contender)] = true })
	if err != nil {
		return 0, fmt.Errorf("export games: %w", err)
	}
	readErr := record.ReadGames(ctx, paths, func(f *record.FinishedGame) {
		view, ok := f.View(player)
		if err != nil || !ok || f.Contender == "" || f.Created.Before(since) || !isCandidate(&view) || !all &&
			irrelevance(view.Summary) != "" {
			return
		}
		var g *record.Game
		if g, err = f.Game(); err != nil {
			return
		}
		out := g.PGN()
		rename(out, view.Color, g.Contender, names)
		if _, err = io.WriteString(w, out.String()); err == nil {
			games++
		}
	})
	if err == nil {
		err = readErr
	}
	if err != nil {
		return games, fmt.Errorf("export games: %w", err)
	}
	return games, nil
}

// rename gives our side a contender's name, and an opponent with the name of any contender
// another one.
func rename(g *pgn.Game, us rules.Color, contender string, names map[string]bool) {
	sides := [2]string{rules.White: "White", rules.Black: "Black"}
	for i := range g.Tags {
		switch tag := &g.Tags[i]; tag.Name {
		case sides[us]:
			tag.Value = contender
		case sides[us.Other()]:
			if names[strings.ToLower(tag.Value)] {
				tag.Value += " (opponent)"
			}
		}
	}
}
