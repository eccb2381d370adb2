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
	g.feed.setParked()
}

// setParked requests the feed to be parked, until reopen, unpark or a timeout.
func (f *feed) setParked() {
	f.update(func() { f.parked = true })
}

// enterPark ends the current connection, and starts the timer for reading the game
// anyway.
func (f *feed) enterPark() {
	f.parkTimer.Reset(f.timing.maxParked)
	if f.current != nil {
		f.current.parked = true
		f.current.cancel()
	}
}

// unpark reads the game again if the feed is parked.
func (f *feed) unpark() {
	f.update(func() { f.parked = false })
}
