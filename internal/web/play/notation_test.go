package play

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// readGames reads all games of a PGN text.
func readGames(t *testing.T, text []byte) (games []*pgn.Game) {
	t.Helper()
	for r := pgn.NewReader(bytes.NewReader(text)); ; {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return games
		}
		must(t, err)
		games = append(games, g)
	}
}

func TestSession_PGN(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, &scriptedEngine{thinks: 2 * time.Second, script: []string{"d7d5", "d8d5"}}, Settings{Level: 5, Clock: lichess.Clock{Initial: minute, Increment: time.Second}})
		state := play(t, s, "e4", "exd5")
		time.Sleep(30 * time.Second)
		must(t, s.Resign(state.Revision))
		text := s.PGN().String()
		for _, want := range []string{
			`[White "Player"]`, `[Black "zhbot, level 5"]`, `[Result "0-1"]`, `[Variant "Crazyhouse"]`, `[TimeControl "60+1"]`, `[Termination "normal"]`,
			"1. e4 { [%clk 0:01:00] } 1... d5 { [%clk 0:01:00] } 2. exd5 { [%clk 0:01:01] } 2... Qxd5 { [%clk 0:00:59] } 0-1",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
	})
}

// The game that the engine begins from a position of its own has the clocks on the right
// moves, and the names on the right sides.
func TestSession_PGNFromPosition(t *testing.T) {
	position := rulestest.Position(t, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR/ b KQkq - 0 1")
	s := start(t, &scriptedEngine{}, Settings{Start: position, Side: rules.White})
	personToMove(t, s)
	text := s.PGN().String()
	read := readGames(t, []byte(text))
	if len(read) != 1 || read[0].Start != position || len(read[0].Moves) != 1 || read[0].Tag("White") != "Player" || read[0].Tag("TimeControl") != "-" || read[0].Tag("Termination") != "unterminated" {
		t.Errorf("PGN\n%s", text)
	}
}

// Each game that is left is appended to a file; one that cannot be saved is not left.
func TestSession_Archive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.pgn")
	archive, err := AppendTo(path)
	must(t, err)
	full := false
	s := newSession(Options{Engine: &scriptedEngine{}, MoveTime: time.Millisecond, EngineName: "zhbot", Archive: func(g *pgn.Game) error {
		if full {
			return errors.New("no space left")
		}
		return archive(g)
	}}, Settings{Start: rules.StartPosition()})
	newGame := func(revision int) error {
		return s.do("new", command{Revision: revision, Side: "white", Clock: "none"})
	}
	must(t, newGame(s.State().Revision)) // nobody has moved: nothing to save
	state := play(t, s, "e4")
	full = true
	if err := newGame(state.Revision); !errors.Is(err, ErrNotSaved) || s.State().Game.Ply() != 2 {
		t.Errorf("error %v", err)
	}
	full = false
	must(t, newGame(state.Revision))
	play(t, s, "d4", "c4")
	must(t, s.Close())
	must(t, s.Close())
	text, err := os.ReadFile(path)
	must(t, err)
	games := readGames(t, text)
	if len(games) != 2 || len(games[0].Moves) != 2 || len(games[1].Moves) != 4 {
		t.Errorf("the file has\n%s", text)
	}
	if _, err := AppendTo(t.TempDir()); err == nil {
		t.Error("a folder is no file")
	}
}

// FuzzParseMove: what is accepted is legal.
func FuzzParseMove(f *testing.F) {
	const position = "r1bqk2r/pPp2ppp/2n2n2/8/8/2N2N2/PpP2PPP/R1BQK2R/PNbq w KQkq - 0 1"
	for _, text := range []string{"e4", "Nf3", "N@f7", "b8=Q", "bxa8=N+", "O-O", "e1g1", "e1h1", "b7b8", "P@e4", "@e4", "0-0-0", "\x00"} {
		f.Add(text)
	}
	p := rulestest.Position(f, position)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMove(&p, text)
		if err == nil && !p.IsLegal(m) {
			t.Errorf("%q is %s", text, m)
		}
		if err != nil && !strings.HasPrefix(err.Error(), strconv.Quote(text)+": ") {
			t.Errorf("%q: %v", text, err)
		}
	})
}
