package soak

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A win that was claimed is no fault; a draw that was claimed instead fails the soak, and so
// do a game that the opponent could claim, and a move that the engine did not choose, in
// whatever notation the server tells it.
func TestReport(t *testing.T) {
	moves := strings.Fields("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1")
	board := fixture.Game(t, moves[:6]...)
	for _, tt := range []struct {
		status lichess.Status
		winner lichess.Color
		chosen string // by the engine, at the last ply
		fault  string
	}{
		{lichess.StatusTimeout, "white", "e1g1", ""},
		{lichess.StatusTimeout, "", "e1g1", "1 games were drawn by claim that could have been won"},
		{lichess.StatusTimeout, "black", "e1g1", "1 games were lost by something other than chess"},
		{lichess.StatusMate, "white", "e1g1", ""},
		{lichess.StatusMate, "white", "d2d3", "1 moves were not the ones that the engine chose"},
	} {
		r := newReport(&Options{Games: 1})
		chosen := fixture.Move(t, board.Position(), tt.chosen)
		r.watch.observe(event.Searched{Game: "abcd1234", Board: board, Move: chosen})
		r.addGame(lichesstest.Result{
			ID: "abcd1234", White: app.SandboxBot, Black: app.Magpie, Status: tt.status, Winner: tt.winner,
			Moves: moves, Turns: make([]time.Duration, len(moves)),
		})
		var out strings.Builder
		if err := r.write(&out); err == nil && tt.fault != "" || err != nil && err.Error() != tt.fault {
			t.Errorf("%s, won by %q, chosen %s: verdict %v, want %q", tt.status, tt.winner, tt.chosen, err, tt.fault)
		}
	}
}

// A game is recorded once, with all its moves, in a folder whose name may be a pattern.
func TestCompareRecords(t *testing.T) {
	const game = "[GameId \"abcd1234\"]\n[Variant \"Crazyhouse\"]\n\n1. e4 e5 *\n\n"
	for text, same := range map[string]bool{
		game: true, "": false, game + game: false, strings.Replace(game, "e5", "e6", 1): false,
	} {
		dir := filepath.Join(t.TempDir(), "bot[1]")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		fixture.Write(t, filepath.Join(dir, "2026-08.pgn"), text)
		results := []lichesstest.Result{{ID: "abcd1234", Moves: []string{"e2e4", "e7e5"}, Plies: 2}}
		mismatches, err := CompareRecords(t.Context(), dir, results)
		if err != nil || (len(mismatches) == 0) != same {
			t.Errorf("%s: %v, %q", text, err, mismatches)
		}
	}
}
