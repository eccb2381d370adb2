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

// setPosition executes "position startpos|fen FEN [moves …]". After an
// error there is no position.
func (c *session) setPosition(args []string) error {
	c.game = nil
	var moves []string
	if i := slices.Index(args, "moves"); i >= 0 {
		args, moves = args[:i], args[i+1:]
	}
	start, cleared, err := parseStart(args)
	for _, what := range cleared {
		c.out.writeLine("info string warning: position: cleared %s", what)
	}
	if err != nil {
		return fmt.Errorf("position: %w", err)
	}
	game := rules.NewGame(start)
	for _, word := range moves {
		m, err := ParseMove(game.Position(), word)
		if err != nil {
			return fmt.Errorf("position: ply %d: %w", game.Ply()+1, err)
		}
		_ = game.Play(m) // it is legal
	}
	c.game = game
	return nil
}

// ParseMove reads a legal move as programs write it, with its letter in either case. Only for
// Lichess a promotion in upper case is to a queen.
func ParseMove(p *rules.Position, text string) (rules.Move, error) {
	usual := text
	switch {
	case len(text) == 4 && text[1] == '@':
		usual = strings.ToUpper(text[:1]) + text[1:]
	case len(text) == 5:
		usual = text[:4] + strings.ToLower(text[4:])
	}
	if m, err := p.ParseUCI(usual); err == nil {
		return m, nil
	}
	return p.ParseUCI(text) // for its error
}

// parseStart returns a position and, as [rules.RepairFEN] does, what was cleared in it.
func parseStart(args []string) (start rules.Position, cleared []string, err error) {
	switch {
	case len(args) == 1 && args[0] == "startpos":
		return rules.StartPosition(), nil, nil
	case len(args) > 1 && args[0] == "fen":
		return rules.RepairFEN(strings.Join(args[1:], " "))
	}
	return start, nil, errors.New("want startpos or fen FEN, then moves")
}

// goRequest is the content of a go command.
type goRequest struct {
	limits  engine.Limits
	perft   int     // depth in plies; 0 means a search
	noMove  bool    // none of the searchmoves is legal
	ignored []error // what could not be read
}

// parseGo parses the words after go. Times are in milliseconds. What cannot be read is ignored,
// and so is 0, but for a time; if no other limit is left, the search ends at depth 1.
func parseGo(p *rules.Position, args []string) (r goRequest) {
	ignored := false
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
				r.ignored = append(r.ignored, fmt.Errorf("ignored %.40q", word))
				continue
			}
			value := ""
			if len(args) > 0 && !isGoWord(args[0]) {
				value, args = args[0], args[1:]
			}
			switch n, err := strconv.ParseInt(value, 10, 64); {
			case err != nil && !errors.Is(err, strconv.ErrRange): // the nearest number in range is used
				r.ignored = append(r.ignored, fmt.Errorf("%s %.40q: want a number", word, value))
				ignored = true
			case n <= 0 && !strings.HasSuffix(word, "time"): // it limits nothing
				ignored = true
			default:
				set(&r, n)
			}
		}
	}
	l := &r.limits
	noClock := *l
	noClock.White, noClock.Black = 0, 0
	if max(l.White, l.Black) <= time.Millisecond && isLimited(noClock) {
		*l = noClock // some GUIs send clocks without time beside another limit
	}
	if ignored && !l.Infinite && !isLimited(*l) {
		l.Depth = 1
	}
	return r
}

// goNumbers are the words of go that a number follows, with what it sets.
var goNumbers = map[string]func(r *goRequest, n int64){
	"wtime":     func(r *goRequest, n int64) { r.limits.White = max(milliseconds(n), time.Millisecond) },
	"btime":     func(r *goRequest, n int64) { r.limits.Black = max(milliseconds(n), time.Millisecond) },
	"winc":      func(r *goRequest, n int64) { r.limits.WhiteInc = milliseconds(n) },
	"binc":      func(r *goRequest, n int64) { r.limits.BlackInc = milliseconds(n) },
	"movetime":  func(r *goRequest, n int64) { r.limits.MoveTime = max(milliseconds(n), time.Millisecond) },
	"movestogo": func(r *goRequest, n int64) { r.limits.MovesToGo = clampCount(n) },
	"depth":     func(r *goRequest, n int64) { r.limits.Depth = clampCount(n) },
	"mate":      func(r *goRequest, n int64) { r.limits.Mate = clampCount(n) },
	"nodes":     func(r *goRequest, n int64) { r.limits.Nodes = uint64(n) },
	"perft":     func(r *goRequest, n int64) { r.perft = clampCount(n) },
}

// searchMoves consumes the moves at the front of args and returns the rest. Those that are not
// legal are ignored.
func (r *goRequest) searchMoves(p *rules.Position, args []string) []string {
	for len(args) > 0 && !isGoWord(args[0]) {
		r.noMove = true
		if m, err := ParseMove(p, args[0]); err == nil {
			r.limits.SearchMoves = append(r.limits.SearchMoves, m)
		} else {
			r.ignored = append(r.ignored, fmt.Errorf("searchmoves: %w", err))
		}
		args = args[1:]
	}
	r.noMove = r.noMove && len(r.limits.SearchMoves) == 0
	return args
}

// isGoWord reports whether a word of go begins something else than the word before it.
func isGoWord(word string) bool {
	return goNumbers[word] != nil || slices.Contains([]string{"infinite", "ponder", "searchmoves"}, word)
}

// milliseconds converts a time of the input to a duration of at most a year; some GUIs
// send negative clocks.
func milliseconds(n int64) time.Duration {
	const year = 365 * 24 * time.Hour
	return time.Duration(min(max(n, 0), year.Milliseconds())) * time.Millisecond
}

// clampCount limits a number of the input to a small natural number.
func clampCount(n int64) int { return int(min(max(n, 0), 1<<20)) }
