package bot

// A game without a clock can wait for days. While the opponent thinks and nothing
// happens, its stream is closed; the list of games in play, which is read for all
// games at once, tells when the opponent has moved, and every now and then the
// game is looked at anyway. The game keeps its slot.

// watchQuiet starts the wait for quiet after anything has happened in a game
// without a clock.
func (g *game) watchQuiet() {
	if g.full.Clock == nil && !g.ourTurn() {
		g.quiet.Reset(g.bot.pace.restAfter)
	} else {
		g.quiet.Stop()
	}
}

// rest leaves the stream of a game that waits for the opponent.
func (g *game) rest() {
	g.log.Info().Msg("left until the opponent has moved")
	g.feed.rest()
}

// rest ends the connection until the game is to be read anew, or for a while.
func (f *feed) rest() {
	f.change(func() { f.parked = true })
}

// park ends the current connection, and sees to it that the game is looked at
// after a while.
func (f *feed) park() {
	f.checkIn.Reset(f.pace.checkIn)
	if f.current != nil {
		f.current.parked = true
		f.current.cancel()
	}
}

// wake reads the game anew if the feed rests.
func (f *feed) wake() {
	f.change(func() { f.parked = false })
}

// wake lets a game that rests be read anew.
func (s *slots) wake(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[id]; ok && t.wake != nil {
		t.wake()
	}
}
