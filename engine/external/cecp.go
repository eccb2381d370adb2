package external

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/rules"
)

// cecpProtocol is the Chess Engine Communication Protocol of xboard.
//
// The engine stays in force mode: for each of its moves it is sent the moves since its
// last one, and "go". So it never moves or ponders on its own.
type cecpProtocol struct {
	features  features
	accepted  int // features, in all
	pings     int
	started   bool         // the engine has the start of the game
	sentMoves []rules.Move // moves of the game that the engine has
}

func (c *cecpProtocol) hello() []string { return []string{"xboard", "protover 2"} }

func (c *cecpProtocol) declare(line string) (replies []string, done bool, err error) {
	text, ok := strings.CutPrefix(line, "feature ")
	if !ok {
		return nil, false, nil
	}
	for _, name := range c.features.add(text) {
		replies = append(replies, "accepted "+name)
	}
	if c.accepted += len(replies); c.accepted > maxOptions { // it may not even read
		return nil, true, fmt.Errorf("%w: more than %d features", ErrFlood, maxOptions)
	}
	return replies, c.features["done"] == "1", nil
}

func (c *cecpProtocol) setUp() ([]string, error) { return nil, c.features.check() }

func (c *cecpProtocol) engineName() string { return c.features["myname"] }

func (c *cecpProtocol) setOption(o Option) (line string, ok bool) { return c.features.setOption(o) }

func (c *cecpProtocol) newGame() []string {
	c.started, c.sentMoves = false, nil
	return []string{"new", "variant crazyhouse", "force", "easy", "post"}
}

// ping waits for pong, or for the report of an illegal move.
func (c *cecpProtocol) ping() (string, func(string) (bool, error)) {
	c.pings++
	number := strconv.Itoa(c.pings)
	return "ping " + number, func(line string) (bool, error) {
		if text, ok := strings.CutPrefix(line, "Illegal move"); ok {
			return true, &IllegalMoveError{Move: strings.TrimSpace(text),
				Err: errors.New("the engine rejects a legal move of its opponent")}
		}
		return line == "pong "+number, nil
	}
}

func (c *cecpProtocol) position(g *rules.Game, l engine.Limits) ([]string, error) {
	lines, moves := []string{"force"}, g.Moves()
	if len(c.sentMoves) > len(moves) || !slices.Equal(c.sentMoves, moves[:len(c.sentMoves)]) {
		lines = c.newGame() // moves were taken back
	}
	if !c.started {
		start, err := c.startLines(g, l)
		if err != nil {
			return nil, err
		}
		lines, c.started = append(lines, start...), true
	}
	prefix := ""
	if c.features["usermove"] == "1" {
		prefix = "usermove "
	}
	p := g.PositionAt(len(c.sentMoves))
	for _, m := range moves[len(c.sentMoves):] {
		lines = append(lines, prefix+p.UCI(m))
		p = p.After(m)
	}
	c.sentMoves = slices.Clone(moves)
	own, opponent := l.White, l.Black
	if p.Turn() == rules.Black {
		own, opponent = opponent, own
	}
	if own > 0 || opponent > 0 {
		lines = append(lines, fmt.Sprintf("time %d", max(own.Milliseconds()/10, 1)),
			fmt.Sprintf("otim %d", max(opponent.Milliseconds()/10, 1)))
	}
	return lines, nil
}

// startLines returns what sets up a game's start position and the time control, which the
// limits of the first move show.
func (c *cecpProtocol) startLines(g *rules.Game, l engine.Limits) ([]string, error) {
	lines, err := timeControl(g.Position().Turn(), l)
	if err != nil || *g.Start() == rules.StartPosition() {
		return lines, err
	}
	if c.features["setboard"] != "1" {
		return nil, errors.New("the engine cannot set up positions (feature setboard=0); " + movesFromStart)
	}
	fen, err := chessFEN(g.Start())
	return append(lines, "setboard "+fen), err
}

func (c *cecpProtocol) search(*rules.Position, engine.Limits) (begin, stop string) { return "go", "?" }

func (c *cecpProtocol) handle(s *search, line string) (done bool, err error) {
	command, rest, _ := strings.Cut(line, " ")
	switch command {
	case "move":
		if err = s.handleMove(rest, parseEither); err == nil {
			c.sentMoves = append(c.sentMoves, s.move)
		}
		return true, err
	case "resign":
		return true, ErrResigned
	case "1-0", "0-1", "1/2-1/2":
		return true, resultError(s.root.Turn(), line)
	}
	if pv, ok := parseThinking(&s.latest, line); ok {
		s.reportLine(pv, parseEither)
	}
	return false, nil
}

// parseEither parses a move in coordinates, or in SAN: some engines write it whatever they are sent.
func parseEither(p *rules.Position, text string) (rules.Move, error) {
	if m, err := uci.ParseMove(p, text); err == nil {
		return m, nil
	}
	return p.ParseSAN(text)
}

// resultError returns the error for a result that the engine sends instead of a move.
func resultError(turn rules.Color, line string) error {
	if strings.HasPrefix(line, rules.WinOf(turn.Other()).String()) {
		return ErrResigned
	}
	return fmt.Errorf("%w: %.40s", ErrResultClaimed, line)
}

// timeControl returns the CECP commands for a side's limits.
func timeControl(turn rules.Color, l engine.Limits) ([]string, error) {
	clock, inc := l.White, l.WhiteInc
	if turn == rules.Black {
		clock, inc = l.Black, l.BlackInc
	}
	var lines []string
	switch {
	case l.Nodes > 0:
		return nil, errors.New("CECP has no node limit; limit the engine by time or depth")
	case clock > 0:
		seconds := int(clock / time.Second)
		lines = append(lines, fmt.Sprintf("level %d %d:%02d %g", l.MovesToGo, seconds/60, seconds%60, inc.Seconds()))
	case l.MoveTime%time.Second != 0:
		return nil, fmt.Errorf("CECP takes whole seconds a move, not %v; use a clock", l.MoveTime)
	case l.MoveTime > 0:
		lines = append(lines, fmt.Sprintf("st %d", l.MoveTime/time.Second))
	}
	if l.Depth > 0 {
		lines = append(lines, fmt.Sprintf("sd %d", l.Depth))
	}
	return lines, nil
}

// movesFromStart is what helps where a position cannot be set up.
const movesFromStart = "use openings with moves from the start"

// chessFEN returns the FEN of a position in standard chess. Pockets and promoted pieces
// are errors: not every engine's setboard accepts them.
func chessFEN(p *rules.Position) (string, error) {
	if p.Pocket(rules.White)+p.Pocket(rules.Black) != 0 || p.Promoted() != 0 {
		return "", fmt.Errorf("CECP cannot set up the pockets of %s; %s", p.FEN(), movesFromStart)
	}
	board, rest, _ := strings.Cut(p.FEN(), " ")
	return strings.TrimRight(board, "/[]") + " " + rest, nil
}
