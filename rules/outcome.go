package rules

// Termination is the way a game ended by the rules alone.
type Termination uint8

// The ways a game ends by the rules.
const (
	Ongoing Termination = iota
	Checkmate
	Stalemate
	ThreefoldRepetition
	FivefoldRepetition
	TooLong // more than 600 plies
)

// maxPlies is the number of plies after which Lichess calls a game a draw.
const maxPlies = 600

// String returns the termination in words, such as "checkmate".
func (t Termination) String() string {
	return [...]string{
		"ongoing", "checkmate", "stalemate", "threefold repetition", "fivefold repetition", "more than 600 plies",
	}[t]
}

// Outcome is the state of a game by the rules.
type Outcome struct {
	Termination Termination
	Winner      Color // meaningful for Checkmate only
}

// Over reports whether the game has ended.
func (o Outcome) Over() bool { return o.Termination != Ongoing }

// Result returns "1-0", "0-1", "1/2-1/2" or "*".
func (o Outcome) Result() string {
	switch {
	case !o.Over():
		return "*"
	case o.Termination != Checkmate:
		return "1/2-1/2"
	case o.Winner == White:
		return "1-0"
	}
	return "0-1"
}

// RepetitionLimit is the number of occurrences of a position that ends a game.
type RepetitionLimit int

// Lichess ends a game on the fifth occurrence, and on the third when a BOT
// plays in it.
const (
	Threefold RepetitionLimit = 3
	Fivefold  RepetitionLimit = 5
)

// Outcome returns the state of the game, with the given repetition limit. Lichess
// has neither a fifty-move rule nor insufficient material in crazyhouse.
func (g *Game) Outcome(limit RepetitionLimit) Outcome {
	if !g.position.HasLegalMove() {
		if g.position.InCheck() {
			return Outcome{Checkmate, g.position.turn.Other()}
		}
		return Outcome{Termination: Stalemate}
	}
	switch n := g.Repetitions(); {
	case n >= int(Fivefold):
		return Outcome{Termination: FivefoldRepetition}
	case n >= int(limit):
		return Outcome{Termination: ThreefoldRepetition}
	case g.Ply() > maxPlies:
		return Outcome{Termination: TooLong}
	}
	return Outcome{}
}
