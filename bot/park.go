package bot

// A game without a clock can wait for days. While the opponent thinks, it is parked:
// its stream is closed, and the list of games in progress, which is read once for
// all games, shows when the opponent has moved. From time to time the game is read
// anyway. The game keeps its slot.

// resetParkTimer restarts the timer for parking a game without a clock.
func (g *game) resetParkTimer() {
	if g.full.Clock == nil && !g.ourTurn() {
		g.parkTimer.Reset(g.bot.timing.parkAfter)
	} else {
		g.parkTimer.Stop()
	}
}

// park closes the stream of a game that waits for the opponent.
func (g *game) park() {
	g.log.Info().Msg("stream closed until the opponent moves")
	g.stream.Park()
}
