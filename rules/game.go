package rules

// Game is a game from a start position, with the history that repetition
// needs. It is not safe for concurrent use: give others a Clone.
type Game struct {
	start     Position
	positions []Position
	moves     []Move
}

// NewGame returns a game that begins at a position.
func NewGame(start Position) *Game { panic("soon") }

// Clone returns an independent copy.
func (g *Game) Clone() *Game { panic("soon") }

// Start returns the position the game began at.
func (g *Game) Start() *Position { panic("soon") }

// Position returns the current position.
func (g *Game) Position() *Position { panic("soon") }

// Moves returns the moves so far; the caller must not change them.
func (g *Game) Moves() []Move { panic("soon") }

// Ply returns the number of moves played.
func (g *Game) Ply() int { panic("soon") }

// Play plays a move, or returns an error if it is illegal. Moves are accepted
// after a repetition too: the server decides when a game is over.
func (g *Game) Play(m Move) error { panic("soon") }

// PlayUCI plays moves in UCI notation up to the first illegal one, which the
// error names with its ply.
func (g *Game) PlayUCI(moves ...string) error { panic("soon") }

// TakeBack removes the last n moves.
func (g *Game) TakeBack(n int) { panic("soon") }

// Keys returns the keys of all earlier positions that the current one, or one
// after it, could repeat, oldest first, without the current one: Lichess
// clears the list on castling only.
func (g *Game) Keys() []uint64 { panic("soon") }

// Repetitions returns how often the current position has occurred, this time
// included.
func (g *Game) Repetitions() int { panic("soon") }

// Termination says how a game ended by the rules alone.
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

// Outcome is the state of a game by the rules.
type Outcome struct {
	Termination Termination
	Winner      Color // meaningful for Checkmate only
}

// Over reports whether the game has ended.
func (o Outcome) Over() bool { return o.Termination != Ongoing }

// Result returns "1-0", "0-1", "1/2-1/2" or "*".
func (o Outcome) Result() string { panic("soon") }

// String returns the termination in words, such as "checkmate".
func (t Termination) String() string { panic("soon") }

// RepetitionLimit says how many occurrences of a position end a game.
type RepetitionLimit int

// Lichess ends a game on the fifth occurrence, and on the third when a BOT
// plays in it.
const (
	Threefold RepetitionLimit = 3
	Fivefold  RepetitionLimit = 5
)

// Outcome returns how the game stands, with repetition judged by the limit.
func (g *Game) Outcome(limit RepetitionLimit) Outcome { panic("soon") }
