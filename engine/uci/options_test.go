package uci

import (
	"fmt"
	"regexp"
	"strconv"
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

// Each of several lines has a number, and begins with another move: the best with bestmove.
func TestServer_MultiPV(t *testing.T) {
	// Helpers may add a final line.
	infos, best := newGUI(t).search("setoption name Threads value 1", "setoption name MultiPV value 3", "go depth 4")
	first := map[string]bool{}
	for i, info := range infos {
		_, pv, _ := strings.Cut(info, " pv ")
		move, _, _ := strings.Cut(pv, " ")
		first[move] = true
		if !strings.Contains(info, fmt.Sprintf(" multipv %d score ", i+1)) || i == 0 && move != best {
			t.Errorf("bestmove %s, line %d is %q", best, i+1, info)
		}
	}
	if len(infos) != 3 || len(first) != 3 {
		t.Errorf("lines %q, want 3 that start with different moves", infos)
	}
	// All lines of a search that ends in the middle of a depth are of its end.
	two := "setoption name Threads value 1\nsetoption name MultiPV value 2"
	infos, _ = newGUI(t).search(two, "go depth 4")
	_, whole, _ := strings.Cut(infos[len(infos)-1], " nodes ")
	n, _ := strconv.Atoi(strings.Fields(whole)[0])
	n-- // one node before the end of the depth
	infos, _ = newGUI(t).search(two, fmt.Sprint("go nodes ", n))
	for i, info := range infos {
		if !strings.Contains(info, fmt.Sprintf(" multipv %d score ", i+1)) ||
			!strings.Contains(info, fmt.Sprintf(" nodes %d ", n)) {
			t.Errorf("line %d of an interrupted depth is %q", i+1, info)
		}
	}
	if infos, _ := newGUI(t).search("go depth 3"); strings.Contains(infos[0], "multipv") {
		t.Errorf("a single line has a number: %q", infos)
	}
}

// Scores outside of the window are reported as bounds, but not in the first three seconds, nor
// at the end.
func TestServer_Bounds(t *testing.T) {
	late := regexp.MustCompile(`^info depth .* score (cp|mate) \S+ (lower|upper)bound nodes .* time ([3-9]|\d\d)\d{3} pv `)
	lines := runCommands(t, "setoption name Threads value 1\nsetoption name nodestime value 2\n"+
		"position fen "+quiet+"\ngo nodes 200000\n")
	bounds := 0
	for i, line := range lines {
		if strings.Contains(line, "bound ") {
			bounds++
			if !late.MatchString(line) || i == len(lines)-2 {
				t.Errorf("line %d of %d is %q", i, len(lines), line)
			}
		}
	}
	if bounds == 0 {
		t.Errorf("no bounds in\n%s", strings.Join(lines, "\n"))
	}
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
		"default":               {set(), human.AtLevel(human.MaxLevel, 3)},
		"a level":               {set("Skill Level", "4"), human.AtLevel(4, 3)},
		"Elo without the limit": {set("UCI_Elo", "1000"), human.AtLevel(human.MaxLevel, 3)},
		"Elo overrules the level": {set("uci_elo", "1000", "Skill Level", "4", "UCI_LimitStrength", "true"),
			human.AtElo(1000, 3)},
		"and no longer does": {set("UCI_LimitStrength", "true", "Skill Level", "4", "UCI_LimitStrength",
			"false"), human.AtLevel(4, 3)},
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
	for _, pair := range [][2]string{{"EvalFile", "<empty>"}, {"OwnBook", "true"}, {"BookFile", "<empty>"}} {
		if err := o.Set(pair[0], pair[1]); err != nil {
			t.Errorf("Set(%q, %q) = %v", pair[0], pair[1], err)
		}
		books, err := o.Books()
		if err != nil || o.OwnBook && (len(books) != 1 || books[0].Len() == 0) || o.Engine.Network != nnue.Default() {
			t.Errorf("after %q books %v, %v, network %v", pair, books, err, o.Engine.Network)
		}
	}
}

// A wrong value or name changes nothing.
func TestOptions_SetRefuses(t *testing.T) {
	network := engine.Network{}
	defaults := DefaultOptions(engine.Options{Network: &network})
	for name, value := range map[string]string{
		"Skill Level": "21", "MultiPV": "0", "UCI_Elo": "1", "UCI_LimitStrength": "yes", "OwnBook": "yes",
		"Hash": "0", "Move Overhead": "5001",
		"EvalFile": "none.zhnn", "BookFile": "none.bin", "OwnBooks": "true", "razorMargin": "601",
	} {
		o := defaults
		if err := o.Set(name, value); err == nil || o != defaults {
			t.Errorf("Set(%q, %q) = %v, %+v", name, value, err, o)
		}
	}
}
