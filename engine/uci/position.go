package uci

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/rules"
)

// setPosition obeys "position startpos|fen FEN [moves …]". When anything in it
// is wrong, the old position stays.
func (c *session) setPosition(args []string) error {
	var moves []string
	if i := slices.Index(args, "moves"); i >= 0 {
		args, moves = args[:i], args[i+1:]
	}
	start, err := parseStart(args)
	if err != nil {
		return fmt.Errorf("position: %w", err)
	}
	game := rules.NewGame(start)
	if err := game.PlayUCI(moves...); err != nil {
		return fmt.Errorf("position: %w", err)
	}
	c.game = game
	return nil
}

func parseStart(args []string) (rules.Position, error) {
	switch {
	case len(args) == 1 && args[0] == "startpos":
		return rules.StartPosition(), nil
	case len(args) > 1 && args[0] == "fen":
		return rules.ParseFEN(strings.Join(args[1:], " "))
	}
	return rules.Position{}, errors.New("want startpos or fen FEN, then moves")
}
