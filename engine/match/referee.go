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
	// moveTimeSlack is how much longer than its time for a move an engine may
	// take: engines aim at that time, and do not count what they do after it.
	moveTimeSlack = 100 * time.Millisecond

	// stopGrace is how long after its time an engine is told to stop. Until then
	// it may still move, if only to be told that it is late.
	stopGrace = 100 * time.Millisecond
)

// Adjudication ends games before the rules do. The zero value never does.
type Adjudication struct {
	Score    int // centipawns; 0 adjudicates no wins
	Plies    int // in a row for which both engines must see the same side ahead by Score
	MaxPlies int // longer games are drawn; 0 leaves that to the rules
}

// gameRules is what games are judged by.
type gameRules struct {
	limits       [2]Limit // by seat
	margin       time.Duration
	moveTimeout  time.Duration // for a move without a limit of time
	adjudication Adjudication
}

// referee conducts a game.
type referee struct {
	gameRules
	record   *Game
	game     *rules.Game
	clocks   [2]time.Duration // by seat
	pgnMoves []pgn.Move       // the moves with clocks and scores
	lead     int              // plies in a row with White far ahead; negative for Black
}

// newReferee begins a game after its opening.
func newReferee(b gameRules, number int, opening *rules.Game) *referee {
	r := &referee{gameRules: b, game: opening.Clone(), record: &Game{Number: number, White: Contestant(number % 2)}}
	for seat, limit := range b.limits {
		r.clocks[seat] = limit.Clock
	}
	for _, m := range opening.Moves() {
		r.pgnMoves = append(r.pgnMoves, pgn.Move{Move: m})
	}
	return r
}

// play lets the players make moves until the game ends. It returns an error if
// the match can't go on.
func (r *referee) play(ctx context.Context, players [2]Player) error {
	for !r.over() {
		seat := r.record.contestant(r.game.Position().Turn())
		if err := r.move(ctx, seat, players[seat]); err != nil {
			return err
		}
	}
	for seat, left := range r.clocks {
		r.record.Usage[seat].Left = left
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
	a := r.adjudication
	switch {
	case outcome.Over():
		r.record.Ending, r.record.Result = Ending(outcome.Termination.String()), outcome.Result()
	case a.Score > 0 && max(r.lead, -r.lead) >= a.Plies:
		r.record.Ending, r.record.Result = WinAdjudicated, rules.WhiteWins
		if r.lead < 0 {
			r.record.Result = rules.BlackWins
		}
	case a.MaxPlies > 0 && r.game.Ply() >= a.MaxPlies:
		r.record.Ending, r.record.Result = TooManyPlies, rules.Draw
	default:
		return false
	}
	return true
}

// move lets a player move. What the player does wrong ends the game.
func (r *referee) move(ctx context.Context, seat Contestant, p Player) error {
	limit := r.limits[seat]
	allowed, timed := r.timeLimit(seat)
	thinking, cancel := context.WithTimeout(ctx, r.waitLimit(seat, allowed)+stopGrace)
	defer cancel()
	result, err := p.Search(thinking, r.game, r.engineLimits(seat))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	hung := result.Info.Time > r.waitLimit(seat, allowed)
	result.Info.Time = limit.timeSpent(result.Info)
	late := result.Info.Time > allowed
	if ending, ok := faultEnding(err); ok {
		r.record.setLoss(seat, ending, err.Error())
		return nil
	} else if err != nil {
		return err
	}
	r.record.Usage[seat].addMove(result.Info)
	switch {
	case late && timed:
		r.clocks[seat] = 0
		r.record.setLoss(seat, TimeForfeit, lateness(result.Info.Time-allowed))
		return nil
	case hung:
		r.record.setLoss(seat, Hang, "it moved only when told to stop, after "+r.waitLimit(seat, allowed).String())
		return nil
	}
	if limit.Clock > 0 {
		r.clocks[seat] = max(r.clocks[seat]-result.Info.Time, 0) + limit.Increment
	}
	r.recordMove(seat, result)
	return r.game.Play(result.Move)
}

// timeLimit returns how long a seat may think about its move, and whether that
// is a matter of the rules.
func (r *referee) timeLimit(seat Contestant) (d time.Duration, timed bool) {
	switch limit := r.limits[seat]; {
	case limit.Clock > 0:
		return r.clocks[seat] + r.margin, true
	case limit.MoveTime > 0:
		return limit.MoveTime + moveTimeSlack + r.margin, true
	}
	return r.moveTimeout, false
}

// waitLimit returns how long to wait for a move that may take the allowed time:
// longer where nodes count as time.
func (r *referee) waitLimit(seat Contestant, allowed time.Duration) time.Duration {
	if r.limits[seat].NodesTime > 0 {
		return r.moveTimeout
	}
	return allowed
}

func lateness(d time.Duration) string { return "late by " + d.Round(time.Microsecond).String() }

// engineLimits returns a seat's limits as engines know them.
func (r *referee) engineLimits(seat Contestant) engine.Limits {
	limit := r.limits[seat]
	l := engine.Limits{MoveTime: limit.MoveTime, NodesTime: limit.NodesTime, Nodes: limit.Nodes, Depth: limit.Depth}
	if limit.Clock > 0 {
		white, black := r.record.White, r.record.White.Other()
		l.White, l.WhiteInc = r.clocks[white], r.limits[white].Increment
		l.Black, l.BlackInc = r.clocks[black], r.limits[black].Increment
	}
	return l
}

// faultEnding returns the ending that an engine's failure leads to.
func faultEnding(err error) (Ending, bool) {
	var illegal *external.IllegalMoveError
	switch {
	case errors.As(err, &illegal):
		return IllegalMove, true
	case errors.Is(err, external.ErrExited):
		return Crash, true
	case errors.Is(err, external.ErrTimeout):
		return Hang, true
	case errors.Is(err, external.ErrResigned):
		return Resignation, true
	case errors.Is(err, external.ErrResultClaimed):
		return FalseClaim, true
	}
	return "", false
}

// recordMove keeps a move for the PGN, and who is ahead for the adjudication.
func (r *referee) recordMove(seat Contestant, result engine.Result) {
	score := int(result.Info.Score)
	mate, _ := result.Info.Score.MateIn()
	if r.game.Position().Turn() == rules.Black {
		score, mate = -score, -mate
	}
	switch {
	case score >= r.adjudication.Score:
		r.lead = max(r.lead, 0) + 1
	case score <= -r.adjudication.Score:
		r.lead = min(r.lead, 0) - 1
	default:
		r.lead = 0
	}
	r.pgnMoves = append(r.pgnMoves, pgn.Move{
		Move:     result.Move,
		Clock:    r.clocks[seat],
		HasClock: r.limits[seat].Clock > 0,
		Eval:     pgn.Eval{Known: result.Info.Depth > 0, Score: pgn.Score{Centipawns: score, Mate: mate}, Depth: result.Info.Depth},
	})
}

func moveText(moves []rules.Move) string {
	words := make([]string, len(moves))
	for i, m := range moves {
		words[i] = m.String()
	}
	return strings.Join(words, " ")
}
