package external

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/rules"
)

// uciProtocol is the Universal Chess Interface.
type uciProtocol struct {
	name    string
	options map[string]string // the engine's options: lower-case name to declaration
}

func (u *uciProtocol) hello() []string { return []string{"uci"} }

func (u *uciProtocol) declare(line string) (_ []string, done bool, err error) {
	if name, ok := strings.CutPrefix(line, "id name "); ok {
		u.name = strings.TrimSpace(name)
	}
	if option, ok := strings.CutPrefix(line, "option name "); ok {
		name, declaration, _ := strings.Cut(option, " type ")
		u.options[strings.ToLower(strings.TrimSpace(name))] = declaration
	}
	if len(u.options) > maxOptions {
		err = fmt.Errorf("%w: more than %d options", ErrFlood, maxOptions)
	}
	return nil, line == "uciok", err
}

func (u *uciProtocol) setUp() ([]string, error) {
	if !slices.Contains(strings.Fields(u.options["uci_variant"]), "crazyhouse") {
		return nil, fmt.Errorf("does not play crazyhouse: its option UCI_Variant has no such value")
	}
	return []string{"setoption name UCI_Variant value crazyhouse"}, nil
}

func (u *uciProtocol) engineName() string { return u.name }

func (u *uciProtocol) setOption(o Option) (line string, ok bool) {
	line = "setoption name " + o.Name
	if o.Value != "" {
		line += " value " + o.Value
	}
	_, ok = u.options[strings.ToLower(o.Name)]
	return line, ok
}

func (u *uciProtocol) newGame() []string { return []string{"ucinewgame"} }

func (u *uciProtocol) position(g *rules.Game, _ engine.Limits) ([]string, error) {
	return []string{positionLine(g)}, nil
}

func (u *uciProtocol) ping() (string, func(string) (bool, error)) {
	return "isready", func(line string) (bool, error) { return line == "readyok", nil }
}

func (u *uciProtocol) search(p *rules.Position, l engine.Limits) (begin, stop string) {
	return goLine(p, l), "stop"
}

func (u *uciProtocol) handle(s *search, line string) (done bool, err error) {
	command, rest, _ := strings.Cut(line, " ")
	switch command {
	case "info":
		s.reportLine(parseInfo(&s.latest, rest), uci.ParseMove)
	case "bestmove":
		return true, s.handleMove(rest, uci.ParseMove)
	}
	return false, nil
}

// positionLine returns the UCI command for the game's current position, with castling
// written as e1g1.
func positionLine(g *rules.Game) string {
	line := "position startpos"
	if *g.Start() != rules.StartPosition() {
		line = "position fen " + g.Start().FEN()
	}
	if g.Ply() > 0 {
		line += " moves" + uci.LineText(g.Start(), g.Moves())
	}
	return line
}

// goLine returns the UCI go command for limits in a position.
func goLine(p *rules.Position, l engine.Limits) string {
	line := "go"
	add := func(name string, n int64) {
		if n > 0 {
			line += fmt.Sprintf(" %s %d", name, n)
		}
	}
	if l.Infinite || l.Ponder {
		l = engine.Limits{SearchMoves: l.SearchMoves}
		line += " infinite"
	}
	if l.White > 0 || l.Black > 0 {
		add("wtime", max(l.White.Milliseconds(), 1))
		add("btime", max(l.Black.Milliseconds(), 1))
	}
	add("winc", l.WhiteInc.Milliseconds())
	add("binc", l.BlackInc.Milliseconds())
	add("movestogo", int64(l.MovesToGo))
	if l.MoveTime > 0 {
		add("movetime", max(l.MoveTime.Milliseconds(), 1))
	}
	add("depth", int64(l.Depth))
	add("nodes", int64(l.Nodes))
	if len(l.SearchMoves) > 0 {
		line += " searchmoves"
		for _, m := range l.SearchMoves {
			line += " " + p.UCI(m)
		}
	}
	return line
}
