package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/rules"
)

// readLosses returns where lost games left the previous book, and that book; no games
// without --from-records.
func (f *bookFlags) readLosses(cmd *cobra.Command) (book.Book, *book.Losses, error) {
	if len(f.records) == 0 {
		return nil, &book.Losses{}, nil
	}
	previous, err := book.Open(f.previous)
	if err != nil {
		return nil, nil, fmt.Errorf("--previous: %w", err)
	}
	losses, player, err := findLosses(cmd.Context(), f.records, f.player, previous, func(err error) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%v: skipped\n", err)
	})
	if err != nil {
		return nil, nil, interrupted("book build", err)
	}
	who := ofPlayer(player)
	if losses.Games == 0 {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "no lost games%s\n", who)
	} else {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "lost games%s: %d, which left the book %s in %d positions\n", who, losses.Games, f.previous, losses.Positions)
	}
	return previous, losses, err
}

// maxChanges is how many changes are printed.
const maxChanges = 50

// printChanges prints what another book plays where lost games left the previous one, and
// before.
func printChanges(out io.Writer, changes []book.Change) {
	for _, c := range changes[:min(len(changes), maxChanges)] {
		fmt.Fprintf(out, "%s: %s, was %s\n", cmp.Or(c.Line, "first move"), moveList(c.Now), moveList(c.Before))
	}
	if more := len(changes) - maxChanges; more > 0 {
		fmt.Fprintf(out, "and %d more positions with other moves\n", more)
	}
}

func moveList(moves []string) string {
	return cmp.Or(strings.Join(moves, " or "), "none")
}

// findLosses finds where a player's lost games left a book, and those that it drew with White
// by an early repetition. The games are in PGN files and
// in folders of them, such as a bot's records. Without a player's name, it takes the player
// in most of them. Games that cannot be parsed are passed to skipped.
func findLosses(ctx context.Context, paths []string, player string, b book.Book, skipped func(error)) (*book.Losses, string, error) {
	if player == "" {
		all, err := record.ReadFiles(ctx, paths...)
		if err != nil {
			return nil, "", err
		}
		if player, err = stats.MostFrequentPlayer(all); err != nil {
			return nil, "", err
		}
	}
	losses := new(book.Losses)
	err := record.ReadGames(ctx, paths, func(f *record.FinishedGame) {
		view, played := f.View(player)
		drawn := view.Color == rules.White && f.Result == rules.Draw
		if !played || !drawn && f.Result != rules.WinOf(view.Color.Other()) {
			return
		}
		g, err := f.Game()
		if err != nil {
			skipped(err)
			return
		}
		if drawn && isEarlyRepetition(g.Game) || !drawn && opponent.LostOverBoard(g, view.Color) {
			losses.Add(b, g.Game, view.Color)
		}
	})
	return losses, player, err
}

// earlyPlies is the length of a game up to which its opening led into a repetition.
const earlyPlies = 60

// isEarlyRepetition reports whether a game ended early by threefold repetition.
func isEarlyRepetition(g *rules.Game) bool {
	return g.Ply() <= earlyPlies && g.Outcome(rules.Threefold).Termination == rules.ThreefoldRepetition
}
