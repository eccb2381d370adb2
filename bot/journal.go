package bot

import (
	"context"
	"strings"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/slots"
)

// openJournal opens the game's journal, new or from an earlier run.
func (g *game) openJournal() {
	if g.bot.opts.Archive == nil {
		return
	}
	journal, err := g.bot.opts.Archive.Journal(g.id)
	if err != nil {
		g.log.Warn().Err(err).Msg("game journal not opened")
		return
	}
	g.journal = journal
	if g.resumed == nil {
		g.resumed = journal.Resumed()
	}
	if g.resumed != nil {
		g.greetedBefore, g.takebacks = g.resumed.Greeted, g.resumed.Takebacks
	}
	g.handleJournalError(journal.Begin(g.facts()))
}

// restoreNotes restores an earlier run's notes on the moves that still stand.
func (g *game) restoreNotes() {
	resumed := g.resumed
	g.resumed = nil
	if resumed == nil || *resumed.Game.Game.Start() != g.board.start {
		return
	}
	moves := g.board.game.Moves()
	for i, m := range resumed.Game.Game.Moves() {
		if i == len(moves) || moves[i] != m {
			return
		}
		g.board.notes[i] = resumed.Notes[i]
	}
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

// resumeUnfinished completes the records of the games that were in progress when an
// earlier run ended and that the server no longer lists.
func (b *Bot) resumeUnfinished(ctx context.Context) {
	if b.opts.Archive == nil {
		return
	}
	for _, state := range b.opts.Archive.Unfinished() {
		log := b.log.With().Str("game", state.ID).Logger()
		if state.Site != "" && !strings.HasPrefix(state.Site, b.opts.Site+"/") {
			log.Warn().Str("site", state.Site).Msg("journal of a game on another server")
			b.games.Go(func() { b.archiveJournal(state, log) }) // the disk may be slow
			continue
		}
		if b.slots.Register(state.ID, slots.Game{Clock: state.HasClock}) {
			b.games.Go(func() { b.play(ctx, state.ID, state) })
		}
	}
}

// archiveJournal archives a game that the server no longer knows, as far as its
// journal goes.
func (b *Bot) archiveJournal(state *record.JournalState, log zerolog.Logger) {
	if state.Game.Game == nil || state.Game.Game.Ply() < 2 {
		if err := b.opts.Archive.DiscardJournal(state.ID); err != nil {
			log.Warn().Err(err).Msg("journal not removed")
		}
		return
	}
	if err := b.save(&state.Game); err != nil {
		log.Error().Err(err).Msg("game not archived")
		return
	}
	log.Info().Int("plies", state.Game.Game.Ply()).Msg("game archived from its journal")
}
