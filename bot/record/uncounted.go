package record

import "slices"

// Uncounted is the reason why a rated game changed no rating; it is empty if the game did,
// if it was casual, or if nothing is known about that.
type Uncounted string

// The reasons why Lichess does not count a rated game.
const (
	TooShort      Uncounted = "too_short"   // fewer than two plies
	Farming       Uncounted = "farming"     // the same as one of the pair's last games
	NewAccount    Uncounted = "new_account" // a quick win of a new account, or draw against a stronger player
	Flagged       Uncounted = "flagged"     // a player is marked for breaking the terms of service
	UnknownReason Uncounted = "unknown"
)

// UncountedReasons returns the values that a game can have, besides the empty one.
func UncountedReasons() []Uncounted {
	return []Uncounted{TooShort, Farming, NewAccount, Flagged, UnknownReason}
}

// uncountedFrom returns the reason that a PGN gives.
func uncountedFrom(tag string) Uncounted {
	if u := Uncounted(tag); u == "" || slices.Contains(UncountedReasons(), u) {
		return u
	}
	return UnknownReason
}
