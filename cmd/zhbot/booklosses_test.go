package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/book/booktest"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// lossRecords writes games of a bot in which it has White, or in the second half Black, as it
// keeps them itself.
func lossRecords(t *testing.T, asWhite, asBlack []string, result func(us rules.Color) rules.Result, status lichess.Status) (dir string) {
	t.Helper()
	dir = t.TempDir()
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range slices.Concat(asWhite, asBlack) {
		us, them := record.Player{Name: "zhbot", Title: "BOT"}, record.Player{Name: fmt.Sprint("Rival", i)}
		g := &record.Game{
			Summary: record.Summary{ID: fmt.Sprintf("game%04d", i), Created: time.Date(2026, 8, 1, 12, i, 0, 0, time.UTC), Status: status},
			Game:    rulestest.Game(t, text),
		}
		g.White, g.Black, g.Result = us, them, result(rules.White)
		if i >= len(asWhite) {
			g.White, g.Black, g.Result = them, us, result(rules.Black)
		}
		if err := a.Save(g); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func lost(us rules.Color) rules.Result { return rules.WinOf(us.Other()) }

func readLost(t *testing.T, path, player string, b book.Book) *book.Losses {
	t.Helper()
	l, _, err := findLosses(t.Context(), []string{path}, player, b, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestFindLosses(t *testing.T) {
	b := booktest.Table(t, "e2e4 e7e5 g1f3 b8c6", "d2d4 d7d5 c2c4")
	dir := lossRecords(t,
		[]string{
			"e2e4 e7e5 g1f3 b8c6 f1c4 f8c5",      // out of book at move 3
			"e2e4 e7e5 g1f3 b8c6 d2d4 e5d4",      // there, too
			"e2e4 c7c5 g1f3",                     // at move 2
			"e2e4 e7e5",                          // never
			"g1f3 b8c6 e2e4 e7e5 f1c4 f8c5 b1c3", // at move 2: Nf3 is not in the book, nor is its position
		},
		[]string{"d2d4 d7d5 c2c4 e7e6", "a2a3 e7e5"}, lost, lichess.StatusResign)
	l := readLost(t, dir, "", b)
	var lines []string
	for _, line := range l.Lines {
		var text []string
		for _, m := range line {
			text = append(text, m.String())
		}
		lines = append(lines, strings.Join(text, " "))
	}
	want := []string{"e2e4 e7e5 g1f3 b8c6", "e2e4 c7c5", "g1f3 b8c6", "d2d4 d7d5 c2c4", "a2a3"}
	if l.Games != 7 || l.Positions != 5 || !slices.Equal(lines, want) {
		t.Errorf("%+v\nlines %q, want %q", l, lines, want)
	}
	if of := readLost(t, dir, "rival2", b); of.Games != 0 || len(of.Lines) != 0 {
		t.Errorf("a player who lost no game: %+v", of)
	}
}

// What was not lost by the moves says nothing about the book.
func TestFindLosses_OtherGames(t *testing.T) {
	b, game := booktest.Table(t, "d2d4"), []string{"e2e4 e7e5 g1f3"}
	for name, dir := range map[string]string{
		"won":     lossRecords(t, game, game, rules.WinOf, lichess.StatusResign),
		"drawn":   lossRecords(t, game, game, func(rules.Color) rules.Result { return rules.Draw }, lichess.StatusDraw),
		"on time": lossRecords(t, game, game, lost, lichess.StatusOutOfTime),
		"aborted": lossRecords(t, game, game, lost, lichess.StatusAborted),
	} {
		if l := readLost(t, dir, "zhbot", b); l.Games != 0 || len(l.Lines) != 0 {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// A draw with White by an early repetition is as bad for a book as a loss.
func TestFindLosses_EarlyRepetitions(t *testing.T) {
	const back, line = " g1f3 g8f6 f3g1 f6g8", "e2e4 e7e5"
	drawn := func(rules.Color) rules.Result { return rules.Draw }
	var moves []string // pawns first, then whatever repeats nothing
	for _, rank := range []string{"a2a3 a7a6", "a3a4 a6a5"} {
		for _, file := range "abcdefgh" {
			moves = append(moves, strings.ReplaceAll(rank, "a", string(file)))
		}
	}
	long := strings.Join(moves, " ") + " b1a3 b8a6 a1b1 a8b8 b1b2 b8b7 b2b3 b7b6 h1h2 h8h7 h2h3 h7h6 f1e2 f8e7 c1b2 c8b7 d1d2 d8d7 e1d1 e8d8 d1c2 d8c7"
	b := booktest.Table(t, "e2e4 e7e5")
	for name, tt := range map[string]struct {
		asWhite, asBlack []string
		want             int
	}{
		"as White": {[]string{line + back + back}, nil, 1},
		"as Black": {nil, []string{line + back + back}, 0},
		"agreed":   {[]string{line + back}, nil, 0},
		"later":    {[]string{long + back + back}, nil, 0},
	} {
		l := readLost(t, lossRecords(t, tt.asWhite, tt.asBlack, drawn, lichess.StatusDraw), "zhbot", b)
		if l.Games != tt.want || len(l.Lines) != tt.want {
			t.Errorf("%s: %d games, lines %v, want %d", name, l.Games, l.Lines, tt.want)
		}
	}
}

func TestFindLosses_Errors(t *testing.T) {
	b := booktest.Table(t, "d2d4")
	if _, _, err := findLosses(t.Context(), []string{filepath.Join(t.TempDir(), "none")}, "zhbot", b, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that there is no such folder", err)
	}
	dir := lossRecords(t, []string{"e2e4 e7e5"}, nil, lost, lichess.StatusResign)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := findLosses(ctx, []string{dir}, "zhbot", b, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	path := filepath.Join(t.TempDir(), "bad.pgn")
	filetest.Write(t, path, "[White \"zhbot\"]\n[Black \"b\"]\n[Result \"0-1\"]\n\n1. e4 Qh3 0-1\n")
	skipped := 0
	if l, _, err := findLosses(t.Context(), []string{path}, "zhbot", b, func(error) { skipped++ }); err != nil || skipped != 1 || l.Games != 0 {
		t.Errorf("%+v, %v, %d games skipped, want 1", l, err, skipped)
	}
}

func TestLosses_Changes(t *testing.T) {
	before := booktest.Table(t, "e2e4 e7e5 g1f3", "e2e4 e7e5 g1f3", "e2e4 e7e5 f1c4")
	now := booktest.Table(t, "e2e4 e7e5 f1c4 f8c5", "e2e4 e7e5 b1c3", "e2e4 e7e5 b1c3", "e2e4 c7c5 g1f3")
	dir := lossRecords(t, []string{"e2e4 e7e5 g1f3 b8c6 b1c3", "e2e4 c7c5 f1c4"}, nil, lost, lichess.StatusResign)
	var got []string
	for _, c := range readLost(t, dir, "", before).Changes(before, now) {
		got = append(got, fmt.Sprintf("%s: %s, now %s", c.Line, c.Before, c.Now))
	}
	if want := []string{"1. e4 e5: [Nf3 Bc4], now [Nc3 Bc4]", "1. e4 c5: [], now [Nf3]"}; !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
}
