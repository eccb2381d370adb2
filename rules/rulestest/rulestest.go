// Package rulestest reads positions, moves and games for tests, which fail where they are
// invalid.
package rulestest

import (
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// Position returns a position.
func Position(t testing.TB, fen string) rules.Position {
	t.Helper()
	p, err := rules.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Move returns a legal move, from UCI notation.
func Move(t testing.TB, p *rules.Position, uci string) rules.Move {
	t.Helper()
	m, err := p.ParseUCI(uci)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Game returns a game from the starting position, after moves as in [Play].
func Game(t testing.TB, moves ...string) *rules.Game {
	t.Helper()
	g := rules.NewGame(rules.StartPosition())
	Play(t, g, moves...)
	return g
}

// Play plays moves in UCI notation, of which a text may have several.
func Play(t testing.TB, g *rules.Game, moves ...string) {
	t.Helper()
	if err := g.PlayUCI(strings.Fields(strings.Join(moves, " "))...); err != nil {
		t.Fatal(err)
	}
}
