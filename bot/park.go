package bot

// A game without a clock can wait for days. While the opponent thinks and nothing
// happens, its stream is closed; the list of games in play, which is read for all
// games at once, tells when the opponent has moved, and every now and then the
// game is looked at anyway. The game keeps its slot.

// resetParkTimer starts the wait for quiet after anything has happened in a game
// without a clock.
func (g *game) resetParkTimer() {
	if g.full.Clock == nil && !g.ourTurn() {
		g.parkTimer.Reset(g.bot.timing.parkAfter)
	} else {
		g.parkTimer.Stop()
	}
}

// park leaves the stream of a game that waits for the opponent.
func (g *game) park() {
	g.log.Info().Msg("left until the opponent has moved")
	g.feed.setParked()
}

// setParked ends the connection until the game is to be read anew, or for a while.
func (f *feed) setParked() {
	f.update(func() { f.parked = true })
}

// enterPark ends the current connection, and sees to it that the game is looked at
// after a while.
func (f *feed) enterPark() {
	f.parkTimer.Reset(f.timing.maxParked)
	if f.current != nil {
		f.current.parked = true
		f.current.cancel()
	}
}

// unpark reads the game anew if the feed rests.
func (f *feed) unpark() {
	f.update(func() { f.parked = false })
}

// unpark lets a game that rests be read anew.
func (s *slots) unpark(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[id]; ok && t.unpark != nil {
		t.unpark()
	}
}
