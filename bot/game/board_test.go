package game

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// show updates a board to moves, of which a text may have several.
func show(t *testing.T, b *board, moves ...string) {
	t.Helper()
	if _, err := b.update(strings.Fields(strings.Join(moves, " "))); err != nil {
		t.Fatal(err)
	}
}

func TestBoard_Update(t *testing.T) {
	const line = "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5 P@e6 f7e6"
	tests := []struct {
		name  string
		steps []string // move lists, one after the other
	}{
		{"from the start", []string{"", "e2e4", "e2e4 d7d5"}},
		{"several at once", []string{"e2e4", line}},
		{"the same twice", []string{line, line}},
		{"takeback", []string{line, "e2e4 d7d5 e4d5", "e2e4 d7d5 e4d5 g8f6"}},
		{"takeback of all", []string{line, ""}},
		{"another line behind a gap", []string{line, "e2e4 d7d5 e4d5 d8d5 b1c3 d5d8 P@e6"}},
		{"castling as king takes rook", []string{"g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1h1 e8h8"}},
		{"castling as king moves", []string{"g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1 e8g8"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBoard(rules.StartPosition())
			before := ""
			for _, moves := range tt.steps {
				changed, err := b.update(strings.Fields(moves))
				if err != nil {
					t.Fatal(err)
				}
				if changed != (moves != before) {
					t.Errorf("from %q to %q: changed is %t", before, moves, changed)
				}
				before = moves
				want := fixture.Game(t, moves)
				if got := b.game.Position().FEN(); got != want.Position().FEN() {
					t.Errorf("after %q: %s, want %s", moves, got, want.Position().FEN())
				}
				if n := len(strings.Fields(moves)); len(b.notes) != n || len(b.moves) != n {
					t.Errorf("%d notes and %d moves, want %d", len(b.notes), len(b.moves), n)
				}
			}
		})
	}
}

func TestBoard_UpdateRejectsIllegalMoves(t *testing.T) {
	b := newBoard(rules.StartPosition())
	if _, err := b.update(strings.Fields("e2e4 e2e4")); err == nil {
		t.Fatal("no error")
	}
	if _, err := b.update(strings.Fields("e2e4 e7e5")); err != nil {
		t.Errorf("a good list after a bad one: %v", err)
	}
}

// Our move has arrived if the game goes on with it from where it was posted.
func TestGame_ConfirmMove(t *testing.T) {
	for moves, want := range map[string]bool{
		"e2e4 e7e5": true, "e2e4 e7e5 g1f3": true, "e2e4": false, "e2e4 d7d5": false, "d2d4 e7e5": false, "": false,
	} {
		g, _ := gameAfter(t, "e2e4", config.Config{})
		reply := fixture.Move(t, g.board.game.Position(), "e7e5")
		g.move.turn = &turn{moves: "e2e4", ply: 1, chosen: &decision{move: reply}}
		show(t, g.board, moves)
		if got := g.confirmMove(); got != want {
			t.Errorf("after %q: arrived is %t", moves, got)
		}
	}
}

func TestBoard_NoteClocks(t *testing.T) {
	b := newBoard(rules.StartPosition())
	follow := func(moves string, white, black lichess.Millis, status lichess.Status) {
		t.Helper()
		show(t, b, moves)
		b.noteClocks(&lichess.GameState{WhiteTime: white, BlackTime: black, Status: status})
	}
	follow("e2e4 e7e5", 60000, 59000, lichess.StatusStarted) // both seen at once
	follow("e2e4 e7e5 g1f3", 57000, 55000, lichess.StatusStarted)
	follow("e2e4 e7e5 g1f3", 56000, 12000, lichess.StatusOutOfTime) // Black's ran on
	for ply, want := range []time.Duration{60 * time.Second, 59 * time.Second, 57 * time.Second} {
		if n := b.notes[ply]; !n.HasClock || n.Clock != want {
			t.Errorf("ply %d: %v %s, want %s", ply, n.HasClock, n.Clock, want)
		}
	}
	unlimited := newBoard(rules.StartPosition())
	if _, err := unlimited.update([]string{"e2e4"}); err != nil {
		t.Fatal(err)
	}
	unlimited.noteClocks(&lichess.GameState{WhiteTime: 2147483647, BlackTime: 2147483647,
		Status: lichess.StatusStarted})
	if unlimited.notes[0].HasClock {
		t.Error("a game without a clock has a clock")
	}
}

func TestBoard_NoteEval(t *testing.T) {
	tests := []struct {
		name             string
		ply              int
		score            engine.Score
		evaluated        bool
		centipawns, mate int // White's view, after the move
	}{
		{"White's", 0, 30, true, 30, 0},
		{"Black's", 1, 30, true, -30, 0},
		{"White mates in three", 0, engine.MateScore(3), true, 0, 2},
		{"Black mates in three", 1, engine.MateScore(3), true, 0, -2},
		{"Black is mated in two", 1, engine.MateScore(-2), true, 0, 2},
		{"the mate itself", 0, engine.MateScore(1), false, 0, 0},
	}
	for _, tt := range tests {
		b := newBoard(rules.StartPosition())
		show(t, b, "e2e4 e7e5")
		b.noteEval(tt.ply, engine.Info{Depth: 5, Score: tt.score}, rules.Color(tt.ply%2))
		if e := b.notes[tt.ply].Eval; e.Known != tt.evaluated || e.Centipawns != tt.centipawns || e.Mate != tt.mate {
			t.Errorf("%s: noted %+v", tt.name, e)
		}
	}
}

// FuzzBoard_Update leads a board through two of a server's move lists, and wants
// it where a new one gets by the second alone.
func FuzzBoard_Update(f *testing.F) {
	f.Add("e2e4 e7e5 g1f3", "e2e4 e7e5")
	f.Add("e2e4 d7d5 e4d5 d8d5 P@e4", "e2e4 d7d5 e4d5 d8d5 b1c3")
	f.Add("e2e4 nonsense", "")
	f.Fuzz(func(t *testing.T, first, second string) {
		led, fresh := newBoard(rules.StartPosition()), newBoard(rules.StartPosition())
		_, _ = led.update(strings.Fields(first))
		_, ledErr := led.update(strings.Fields(second))
		_, freshErr := fresh.update(strings.Fields(second))
		if (ledErr == nil) != (freshErr == nil) {
			t.Fatalf("errors differ: %v, %v", ledErr, freshErr)
		}
		if got, want := led.game.Position().FEN(), fresh.game.Position().FEN(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if len(led.moves) != led.game.Ply() || len(led.notes) != led.game.Ply() {
			t.Errorf("%d moves, %d notes, %d plies", len(led.moves), len(led.notes), led.game.Ply())
		}
	})
}

// What an earlier run noted counts only for the moves that still stand.
func TestGame_RestoreNotes(t *testing.T) {
	note := func(cp int) record.Note {
		return record.Note{Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: cp}, Depth: 1}}
	}
	earlier := fixture.Game(t, "e2e4", "e7e5", "g1f3")
	for _, tt := range []struct {
		name, moves string
		start       rules.Position
		want        []record.Note
		takebacks   int
	}{
		{"gone on", "e2e4 e7e5 g1f3 g8f6", rules.StartPosition(), []record.Note{note(1), note(2), note(3), {}}, 0},
		{"taken back", "e2e4 e7e5", rules.StartPosition(), []record.Note{note(1), note(2)}, 1},
		{"another move", "e2e4 d7d5", rules.StartPosition(), []record.Note{note(1), {}}, 1},
		{"another start", "e2e4 e7e5", fixture.Position(t,
			"rnbqkbnr/1ppppppp/p7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), make([]record.Note, 2), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := &game{board: newBoard(tt.start), earlier: &record.Live{Game: &record.Game{
				Board: earlier, Notes: []record.Note{note(1), note(2), note(3)},
			}}}
			show(t, g.board, tt.moves)
			g.restoreNotes()
			if diff := cmp.Diff(tt.want, g.board.notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if g.board.takebacks != tt.takebacks {
				t.Errorf("%d takebacks, want %d", g.board.takebacks, tt.takebacks)
			}
		})
	}
}
