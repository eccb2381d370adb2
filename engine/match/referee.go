package match

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

const (
	// moveTimeout is how long an engine without a time limit may take for a move before it
	// loses as hung.
	moveTimeout = time.Minute

	// moveTimeSlack is by how much an engine may exceed its time per move: engines use
	// all of it, and finish after that.
	moveTimeSlack = 100 * time.Millisecond

	// stopGrace is how long after its time an engine is told to stop. A move before
	// that shows by how much it was late.
	stopGrace = 100 * time.Millisecond
)

// Adjudication ends games before the rules do. The zero value never does.
type Adjudication struct {
	Score    int      // centipawns; 0 adjudicates no wins
	Plies    int      // consecutive plies for which both engines must see the same side ahead by Score
	Draw     DrawRule `json:",omitzero"`
	MaxPlies int      // longer games are drawn; 0 leaves that to the rules
}

// DrawRule is when a game is adjudicated as drawn.
type DrawRule struct {
	Score int // centipawns
	Plies int // consecutive plies for which both engines must see neither side ahead by more; 0 adjudicates no draws
	From  int // the first of these plies, counted from 0
}

// referee conducts a game.
type referee struct {
	config   *Config
	record   *Game
	game     *rules.Game
	clocks   [2]time.Duration // by contestant
	pgnMoves []pgn.Move       // the moves with clocks and scores
	lead     int              // consecutive plies with White far ahead; negative for Black
	level    int              // consecutive plies with neither side ahead
}

// newReferee starts a game after its opening.
func newReferee(c *Config, number int, opening *rules.Game) *referee {
	r := &referee{config: c, game: opening.Clone(), record: &Game{Number: number, White: Contestant(number % 2)}}
	for contestant, side := range c.sides() {
		r.clocks[contestant] = side.Limit.Clock
	}
	for _, m := range opening.Moves() {
		r.pgnMoves = append(r.pgnMoves, pgn.Move{Move: m})
	}
	return r
}

// limit returns the limit of a contestant.
func (r *referee) limit(s Contestant) Limit { return r.config.sides()[s].Limit }

// play plays the game to its end. It returns an error if the match cannot continue.
func (r *referee) play(ctx context.Context, players [2]Player) error {
	for !r.over() {
		contestant := r.record.contestant(r.game.Position().Turn())
		if err := r.move(ctx, contestant, players[contestant]); err != nil {
			return err
		}
	}
	for contestant, left := range r.clocks {
		r.record.Usage[contestant].Left = left
	}
	r.record.Moves = moveText(r.game.Moves())
	return nil
}

// over ends the game if the rules or the adjudication do.
func (r *referee) over() bool {
	if r.record.Ending != "" {
		return true
	}
	outcome := r.game.Outcome(rules.Threefold)
	a := r.config.Adjudication
	switch {
	case outcome.Over():
		r.record.Ending, r.record.Result = Ending(outcome.Termination.String()), outcome.Result()
	case a.Score > 0 && max(r.lead, -r.lead) >= a.Plies:
		r.record.Ending, r.record.Result = WinAdjudicated, rules.WhiteWins
		if r.lead < 0 {
			r.record.Result = rules.BlackWins
		}
	case a.Draw.Plies > 0 && r.level >= a.Draw.Plies:
		r.record.Ending, r.record.Result = DrawAdjudicated, rules.Draw
	case a.MaxPlies > 0 && r.game.Ply() >= a.MaxPlies:
		r.record.Ending, r.record.Result = TooManyPlies, rules.Draw
	default:
		return false
	}
	return true
}

// move gets a move from a player. A fault of the player ends the game.
func (r *referee) move(ctx context.Context, contestant Contestant, p Player) error {
	limit := r.limit(contestant)
	allowed, wait, timed := r.timeLimit(contestant)
	searchCtx, cancel := context.WithTimeout(ctx, wait+stopGrace)
	defer cancel()
	result, err := p.Search(searchCtx, r.game, r.engineLimits(contestant))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	hung := result.Info.Time > wait
	result.Info.Time = limit.timeSpent(result.Info)
	late := result.Info.Time > allowed
	if ending, ok := faultEnding(err); ok {
		r.record.setLoss(contestant, ending, err.Error())
		return nil
	} else if err != nil {
		return err
	}
	used := Usage{Moves: 1, Nodes: result.Info.Nodes, Time: result.Info.Time, Depths: result.Info.Depth}
	if result.Info.Depth > 0 {
		used.DepthSamples = 1
	}
	r.record.Usage[contestant].add(used)
	switch {
	case late && timed:
		r.clocks[contestant] = 0
		r.record.setLoss(contestant, TimeForfeit, lateness(result.Info.Time-allowed))
		return nil
	case hung:
		r.record.setLoss(contestant, Hang, "it moved only when told to stop, after "+wait.String())
		return nil
	}
	if limit.Clock > 0 {
		r.clocks[contestant] = max(r.clocks[contestant]-result.Info.Time, 0) + limit.Increment
	}
	r.recordMove(contestant, result)
	return r.game.Play(result.Move)
}

// timeLimit returns how long a contestant may take for its move, how long to wait for it,
// which is longer if nodes count as time, and whether a later move loses on time.
func (r *referee) timeLimit(contestant Contestant) (allowed, wait time.Duration, timed bool) {
	limit := r.limit(contestant)
	switch {
	case limit.Clock > 0:
		allowed = r.clocks[contestant] + r.config.Margin
	case limit.MoveTime > 0:
		allowed = limit.MoveTime + moveTimeSlack + r.config.Margin
	default:
		return moveTimeout, moveTimeout, false
	}
	if limit.NodesTime > 0 {
		return allowed, moveTimeout, true
	}
	return allowed, allowed, true
}

func lateness(d time.Duration) string { return "late by " + d.Round(time.Microsecond).String() }

// engineLimits returns the limits for a contestant's search.
func (r *referee) engineLimits(contestant Contestant) engine.Limits {
	limit := r.limit(contestant)
	l := engine.Limits{MoveTime: limit.MoveTime, NodesTime: limit.NodesTime, Nodes: limit.Nodes, Depth: limit.Depth}
	if limit.Clock > 0 {
		white, black := r.record.White, r.record.White.Other()
		l.White, l.WhiteInc = r.clockFor(white), r.limit(white).Increment
		l.Black, l.BlackInc = r.clockFor(black), r.limit(black).Increment
	}
	return l
}

// clockFor returns a contestant's clock as engines are told it: at 0 there would be none.
func (r *referee) clockFor(s Contestant) time.Duration {
	if r.limit(s).Clock == 0 {
		return 0
	}
	return max(r.clocks[s], 1)
}

// faultEnding returns the ending for an error of an engine, false for any other error.
func faultEnding(err error) (Ending, bool) {
	if _, ok := errors.AsType[*external.IllegalMoveError](err); ok {
		return IllegalMove, true
	}
	if _, ok := errors.AsType[*engine.PanicError](err); ok {
		return Crash, true
	}
	for cause, ending := range map[error]Ending{
		external.ErrExited: Crash, external.ErrTimeout: Hang, external.ErrFlood: Hang,
		external.ErrResigned: Resignation, external.ErrResultClaimed: FalseClaim,
	} {
		if errors.Is(err, cause) {
			return ending, true
		}
	}
	return "", false
}

// recordMove records a move for the PGN and the adjudication.
func (r *referee) recordMove(contestant Contestant, result engine.Result) {
	score := int(result.Info.Score)
	mate, _ := result.Info.Score.MateIn()
	if r.game.Position().Turn() == rules.Black {
		score, mate = -score, -mate
	}
	known := result.Info.Depth > 0
	switch a := r.config.Adjudication; {
	case score >= a.Score:
		r.lead = max(r.lead, 0) + 1
	case score <= -a.Score:
		r.lead = min(r.lead, 0) - 1
	default:
		r.lead = 0
	}
	if a := r.config.Adjudication.Draw; known && max(score, -score) <= a.Score && r.game.Ply() >= a.From {
		r.level++
	} else {
		r.level = 0
	}
	r.pgnMoves = append(r.pgnMoves, pgn.Move{
		Move:     result.Move,
		Clock:    r.clocks[contestant],
		HasClock: r.limit(contestant).Clock > 0,
		Eval:     pgn.Eval{Known: known, Score: pgn.Score{Centipawns: score, Mate: mate}, Depth: result.Info.Depth},
	})
}

func moveText(moves []rules.Move) string {
	words := make([]string, len(moves))
	for i, m := range moves {
		words[i] = m.String()
	}
	return strings.Join(words, " ")
}
