package game

import (
	"context"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
)

// openJournal opens the game's journal, new or from an earlier run.
func (g *game) openJournal() {
	if g.Archive == nil {
		return
	}
	journal, err := g.Archive.Journal(g.id)
	if err != nil {
		g.log.Warn().Err(err).Msg("game journal not opened")
		return
	}
	g.journal = journal
	if g.journalState == nil {
		g.journalState = journal.Resumed()
	}
	if g.journalState != nil {
		g.greetedEarlier, g.board.takebacks, g.board.fallbacks = g.journalState.Greeted, g.journalState.Takebacks, g.journalState.Fallbacks
	}
}

// restoreNotes restores an earlier run's notes on the moves that still stand. If some
// do not, they have been taken back since.
func (g *game) restoreNotes() {
	earlier := g.journalState
	g.journalState = nil
	if earlier == nil || *earlier.Game.Game.Start() != g.board.start {
		return
	}
	moves := g.board.game.Moves()
	for i, m := range earlier.Game.Game.Moves() {
		if i == len(moves) || moves[i] != m {
			g.board.takebacks++
			return
		}
		g.board.notes[i] = earlier.Notes[i]
	}
}

// record returns the game as it stands.
func (g *game) record() *record.Game {
	r := &record.Game{
		Summary: record.Summary{
			ID: g.id, Site: g.Site + "/" + g.id, Rated: g.full.Rated, Created: g.created,
			White: event.PlayerOf(&g.full.White), Black: event.PlayerOf(&g.full.Black), Version: g.Version,
			Network: g.contender.NetworkName, Program: g.program(), Contender: g.contender.Name, ContenderFor: g.contender.For.String(), Level: g.levelTag(), Fallbacks: g.board.fallbacks, Speed: g.full.Speed, Clock: g.full.Clock,
		},
		Game: g.board.game, Notes: g.board.notes,
	}
	if g.state != nil {
		r.Status, r.Result = g.state.Status, record.ResultOf(g.state.Status, g.state.Winner)
	}
	return r
}

// program returns the name of the program that plays the game, "" for none.
func (g *game) program() string {
	if g.contender.ProgramName == nil {
		return ""
	}
	return g.contender.ProgramName()
}

// view returns a snapshot of the game.
func (g *game) view() event.GameView {
	board := g.board.snapshot()
	v := event.GameView{Summary: g.record().Summary, Us: g.us, Board: board, Notes: slices.Clone(g.board.notes), At: g.receivedAt}
	if !v.Clock.IsZero() {
		v.Clocks = g.clocks
		v.Running = !g.state.Status.Over() && board.Ply() >= 2
	}
	return v
}

// handleJournalError handles a failed journal write: the first one ends the journal,
// and the game continues without waiting for the disk.
func (g *game) handleJournalError(err error) {
	if err == nil {
		return
	}
	g.log.Warn().Err(err).Msg("game journal abandoned; the game continues")
	journal := g.journal
	g.journal = nil
	g.spawn(func() { _ = journal.Close() }) // its error is the one that was logged
}

// closeJournal waits until the journal is fully written.
func (g *game) closeJournal() {
	if err := g.journal.Close(); err != nil {
		g.log.Warn().Err(err).Msg("journal not complete")
	}
	g.journal = nil
}

// archiveJournal archives a game that the server no longer knows, as far as its
// journal goes.
func (m *Manager) archiveJournal(state *record.JournalState, log zerolog.Logger) {
	played := state.Game.Game != nil && state.Game.Game.Ply() >= 2
	if m.archive(&state.Game, played, log) {
		log.Info().Int("plies", state.Game.Game.Ply()).Msg("game archived from its journal")
	}
}

// archive saves a game, or only removes its journal if it was not played. It reports
// whether the game was saved.
func (m *Manager) archive(r *record.Game, played bool, log zerolog.Logger) (saved bool) {
	if !played {
		if err := m.Archive.DiscardJournal(r.ID); err != nil {
			log.Warn().Err(err).Msg("journal not removed")
		}
		return false
	}
	if err := m.Archive.Save(r); err != nil {
		log.Error().Err(err).Msg("game not archived")
		event.Wake(m.unsaved)
		return false
	}
	return true
}

// FlushArchive writes the games that could not be saved once the disk works again, and has
// the archive look for its folder. At exit the archive itself tries once more.
func (m *Manager) FlushArchive(ctx context.Context) error {
	for m.Archive != nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.unsaved:
		case <-time.After(time.Minute):
		}
		before := m.Archive.Backlog()
		never := func(error) bool { return false }
		if err := (event.Backoff{Initial: time.Second, Max: time.Minute}).Do(ctx, m.Log, "archiving pending games", never, m.Archive.Flush); err != nil {
			return err
		}
		if before.Reason != "" {
			m.Log.Info().Msg("pending games archived")
		}
	}
	return nil
}
