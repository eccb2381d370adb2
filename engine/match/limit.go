package match

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Limit is what an engine may use for its moves. Depth and Nodes are used alone or
// together with a clock or a time per move.
type Limit struct {
	Clock     time.Duration // for the whole game, plus Increment per move
	Increment time.Duration
	MoveTime  time.Duration // per move
	NodesTime uint64        // nodes per millisecond in these limits; 0 means real time
	Nodes     uint64
	Depth     int
}

// Check returns an error for an invalid limit.
func (l Limit) Check() error {
	switch {
	case l == Limit{NodesTime: l.NodesTime}:
		return errors.New("the engine has no limit: set a time control, a time for each move, nodes or depth")
	case l.Clock < 0 || l.Increment < 0 || l.MoveTime < 0 || l.Depth < 0:
		return errors.New("a limit is negative")
	case l.Clock > 0 && l.MoveTime > 0:
		return errors.New("the engine has both a clock and a time for each move: set one of them")
	case l.Clock == 0 && l.Increment > 0:
		return errors.New("the engine has an increment but no clock")
	case l.NodesTime > 0 && l.Clock == 0 && l.MoveTime == 0:
		return errors.New("nodes count as time, but the engine has neither a clock nor a time for each move")
	}
	return nil
}

// timeSpent returns how much of its time a move took.
func (l Limit) timeSpent(i engine.Info) time.Duration {
	if l.NodesTime > 0 {
		return time.Duration(i.Nodes) * time.Millisecond / time.Duration(l.NodesTime)
	}
	return i.Time
}

// Times returns the limit with a multiple of its time and nodes.
func (l Limit) Times(factor float64) Limit {
	for _, d := range []*time.Duration{&l.Clock, &l.Increment, &l.MoveTime} {
		*d = time.Duration(factor * float64(*d)).Round(time.Millisecond)
	}
	l.Nodes = uint64(math.Round(factor * float64(l.Nodes)))
	return l
}

// timeControl returns the limit's time as a tag of PGN: a move in so many seconds has the
// form 1/0.02, and "-" is no limit of time.
func (l Limit) timeControl() string {
	if l.MoveTime > 0 {
		return "1/" + strconv.FormatFloat(l.MoveTime.Seconds(), 'f', -1, 64)
	}
	return pgn.TimeControl{Initial: l.Clock, Increment: l.Increment}.String()
}

// String returns the limit for people, such as "3+0.03" or "5000 nodes".
func (l Limit) String() string {
	var parts []string
	if l.Clock > 0 {
		parts = append(parts, pgn.TimeControl{Initial: l.Clock, Increment: l.Increment}.String())
	}
	if l.MoveTime > 0 {
		parts = append(parts, fmt.Sprintf("%v a move", l.MoveTime))
	}
	if l.NodesTime > 0 {
		parts = append(parts, fmt.Sprintf("%d nodes a millisecond", l.NodesTime))
	}
	if l.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("%d nodes", l.Nodes))
	}
	if l.Depth > 0 {
		parts = append(parts, fmt.Sprintf("depth %d", l.Depth))
	}
	return strings.Join(parts, ", ")
}
