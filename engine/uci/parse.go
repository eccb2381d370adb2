package uci

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// setPosition executes "position startpos|fen FEN [moves …]". On an error the previous
// position stays.
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

// goRequest is the content of a go command.
type goRequest struct {
	limits  engine.Limits
	perft   int      // depth in plies; 0 means a search
	unknown []string // unknown words
}

// parseGo parses the words after go. Times are in milliseconds.
func parseGo(p *rules.Position, args []string) (goRequest, error) {
	var r goRequest
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch word {
		case "infinite":
			r.limits.Infinite = true
		case "ponder":
			r.limits.Ponder = true
		case "searchmoves":
			args = r.searchMoves(p, args)
		default:
			set := goNumbers[word]
			if set == nil {
				r.unknown = append(r.unknown, word)
				continue
			}
			if len(args) == 0 {
				return r, fmt.Errorf("go %s: want a number after it", word)
			}
			n, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return r, fmt.Errorf("go %s %.40q: want a number", word, args[0])
			}
			set(&r, n)
			args = args[1:]
		}
	}
	return r, nil
}

// goNumbers are the words of go that a number follows, with what it sets.
var goNumbers = map[string]func(r *goRequest, n int64){
	"wtime":     func(r *goRequest, n int64) { r.limits.White = max(milliseconds(n), time.Millisecond) },
	"btime":     func(r *goRequest, n int64) { r.limits.Black = max(milliseconds(n), time.Millisecond) },
	"winc":      func(r *goRequest, n int64) { r.limits.WhiteInc = milliseconds(n) },
	"binc":      func(r *goRequest, n int64) { r.limits.BlackInc = milliseconds(n) },
	"movetime":  func(r *goRequest, n int64) { r.limits.MoveTime = max(milliseconds(n), time.Millisecond) },
	"movestogo": func(r *goRequest, n int64) { r.limits.MovesToGo = clampCount(n) },
	"depth":     func(r *goRequest, n int64) { r.limits.Depth = max(clampCount(n), 1) },
	"mate":      func(r *goRequest, n int64) { r.limits.Mate = max(clampCount(n), 1) },
	"nodes":     func(r *goRequest, n int64) { r.limits.Nodes = uint64(max(n, 1)) },
	"perft":     func(r *goRequest, n int64) { r.perft = max(clampCount(n), 1) },
}

// searchMoves consumes legal moves at the front of args and returns the rest.
func (r *goRequest) searchMoves(p *rules.Position, args []string) []string {
	for len(args) > 0 {
		m, err := p.ParseUCI(args[0])
		if err != nil {
			break
		}
		r.limits.SearchMoves = append(r.limits.SearchMoves, m)
		args = args[1:]
	}
	return args
}

// milliseconds converts a time of the input to a duration of at most a year; some GUIs
// send negative clocks.
func milliseconds(n int64) time.Duration {
	const year = 365 * 24 * time.Hour
	return time.Duration(min(max(n, 0), year.Milliseconds())) * time.Millisecond
}

// clampCount limits a number of the input to a small natural number.
func clampCount(n int64) int { return int(min(max(n, 0), 1<<20)) }
