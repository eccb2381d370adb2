package uci

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/engine/nnue"
)

// search sends commands that end with a search, and returns the info lines of its last
// depth and the move.
func (g *guiClient) search(commands ...string) (infos []string, best string) {
	g.t.Helper()
	g.send(commands...)
	for g.from.Scan() {
		line := g.from.Text()
		if move, ok := strings.CutPrefix(line, "bestmove "); ok {
			return infos, strings.Fields(move)[0]
		}
		if !strings.Contains(line, " multipv ") || strings.Contains(line, " multipv 1 ") {
			infos = nil
		}
		infos = append(infos, line)
	}
	g.t.Fatalf("no bestmove: %v", g.from.Err())
	return nil, ""
}

func TestServer_MultiPV(t *testing.T) {
	const (
		mate  = "position fen 6rk/6pp/8/8/8/8/8/K7/NQ w - - 0 1"
		alone = "position fen R5k1/5p1p/6p1/8/8/8/8/K7/ b - - 0 1" // one legal move
	)
	for name, tt := range map[string]struct {
		position, limit string
		multiPV, lines  int
	}{
		"three lines":            {"position startpos", "go depth 4", 3, 3},
		"fewer moves than lines": {"position startpos", "go depth 2", 100, 20},
		"moves to search":        {"position startpos", "go depth 3 searchmoves e2e4 d2d4", 4, 2},
		"a mate among the lines": {mate, "go depth 3", 3, 3},
		"one legal move":         {alone, "go wtime 9000 btime 9000", 3, 1},
	} {
		infos, best := newGUI(t).search(
			"setoption name Threads value 1", // helpers may add a final line
			fmt.Sprintf("setoption name MultiPV value %d", tt.multiPV), tt.position, tt.limit)
		if len(infos) != tt.lines {
			t.Errorf("%s: %d lines, want %d: %q", name, len(infos), tt.lines, infos)
			continue
		}
		first := map[string]bool{}
		for i, info := range infos {
			_, pv, _ := strings.Cut(info, " pv ")
			move, _, _ := strings.Cut(pv, " ")
			first[move] = true
			if !strings.Contains(info, fmt.Sprintf(" multipv %d score ", i+1)) {
				t.Errorf("%s: line %d is %q", name, i+1, info)
			}
			if i == 0 && move != best {
				t.Errorf("%s: bestmove %s after %q", name, best, info)
			}
		}
		if len(first) != tt.lines {
			t.Errorf("%s: lines start with the same move: %q", name, infos)
		}
	}
	if infos, _ := newGUI(t).search("go depth 3"); strings.Contains(infos[0], "multipv") {
		t.Errorf("a single line has a number: %q", infos)
	}
}

func TestServer_MultiPVWhilePondering(t *testing.T) {
	g := newGUI(t)
	g.send("setoption name MultiPV value 2", "go ponder wtime 60000 btime 60000")
	g.expect("info depth .* multipv 2 ", "bestmove")
	g.send("ponderhit", "stop")
	g.bestmove("")
	g.send("quit")
}

// A level plays the move of its last info line, and varies its moves.
func TestServer_SkillLevel(t *testing.T) {
	g, moves := newGUI(t), map[string]bool{}
	g.send("setoption name Skill Level value 1")
	for range 12 {
		infos, best := g.search("position startpos", "go wtime 3600000 btime 3600000")
		_, pv, _ := strings.Cut(infos[0], " pv ")
		if strings.Fields(pv)[0] != best {
			t.Errorf("bestmove %s after %q", best, infos)
		}
		moves[best] = true
	}
	if len(moves) < 2 {
		t.Errorf("twelve searches all play %v", moves)
	}
}

func TestOptions_Strength(t *testing.T) {
	set := func(pairs ...string) Options {
		o := DefaultOptions(engine.Options{})
		for i := 0; i < len(pairs); i += 2 {
			if err := o.Set(pairs[i], pairs[i+1]); err != nil {
				t.Errorf("Set(%q, %q) = %v", pairs[i], pairs[i+1], err)
			}
		}
		return o
	}
	for name, tt := range map[string]struct {
		got  Options
		want human.Strength
	}{
		"default":                 {set(), human.AtLevel(human.MaxLevel, 3)},
		"a level":                 {set("Skill Level", "4"), human.AtLevel(4, 3)},
		"Elo without the limit":   {set("UCI_Elo", "1000"), human.AtLevel(human.MaxLevel, 3)},
		"Elo overrules the level": {set("uci_elo", "1000", "Skill Level", "4", "UCI_LimitStrength", "true"), human.AtElo(1000, 3)},
		"and no longer does":      {set("UCI_LimitStrength", "true", "Skill Level", "4", "UCI_LimitStrength", "false"), human.AtLevel(4, 3)},
	} {
		if got := tt.got.Strength(3); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// Without a file, network and book are the embedded ones.
func TestOptions_Embedded(t *testing.T) {
	o := DefaultOptions(engine.Options{})
	if o.Engine.Threads < 1 || o.Engine.HashMB != defaultHashMB || o.Engine.Network != nnue.Default() {
		t.Errorf("defaults %+v", o.Engine)
	}
	o.Engine.Network = new(engine.Network)
	for _, pair := range [][2]string{{"EvalFile", "<empty>"}, {"BookFile", "<empty>"}, {"OwnBook", "true"}} {
		if err := o.Set(pair[0], pair[1]); err != nil {
			t.Errorf("Set(%q, %q) = %v", pair[0], pair[1], err)
		}
	}
	books, err := o.Books()
	if err != nil || len(books) != 1 || books[0].Len() == 0 || o.Engine.Network != nnue.Default() {
		t.Errorf("books %v, %v, network %v", books, err, o.Engine.Network)
	}
}

// A wrong value or name changes nothing.
func TestOptions_SetRefuses(t *testing.T) {
	network := engine.Network{}
	defaults := DefaultOptions(engine.Options{Network: &network})
	for name, value := range map[string]string{
		"Skill Level": "21", "MultiPV": "0", "UCI_Elo": "1", "UCI_LimitStrength": "yes", "OwnBook": "yes", "Hash": "0", "Move Overhead": "5001",
		"EvalFile": "none.zhnn", "BookFile": "none.bin", "OwnBooks": "true", "razorMargin": "601",
	} {
		o := defaults
		if err := o.Set(name, value); err == nil || o != defaults {
			t.Errorf("Set(%q, %q) = %v, %+v", name, value, err, o)
		}
	}
}
