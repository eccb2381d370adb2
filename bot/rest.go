package bot

import (
	"context"
	"time"
)

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
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rested == nil {
		f.rested = make(chan struct{})
	}
	f.asked = true
	if f.hangUp != nil {
		f.hangUp()
	}
}

// wake reads the game anew if the feed rests.
func (f *feed) wake() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rested != nil {
		close(f.rested)
		f.rested = nil
	}
}

// sleep waits while the feed rests.
func (f *feed) sleep(ctx context.Context) error {
	f.mu.Lock()
	rested := f.rested
	f.mu.Unlock()
	if rested == nil {
		return nil
	}
	timer := time.NewTimer(f.pace.checkIn)
	defer timer.Stop()
	select {
	case <-rested:
	case <-timer.C:
		f.wake()
	case <-ctx.Done():
		return ctx.Err()
	}
	f.seen = time.Now() // nobody has asked the server since
	return nil
}

// wake lets a game that rests be read anew.
func (s *slots) wake(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.table[id]; ok && t.wake != nil {
		t.wake()
	}
}
