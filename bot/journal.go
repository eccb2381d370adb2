package bot

import (
	"context"
	"strings"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
)

// openJournal starts the game's journal, or goes on with the one that an earlier
// run has left.
func (g *game) openJournal() {
	if g.bot.opts.Archive == nil {
		return
	}
	journal, err := g.bot.opts.Archive.Journal(g.id)
	if err != nil {
		g.log.Warn().Err(err).Msg("no journal of this game")
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

// restoreNotes takes over what an earlier run has noted on the moves that still stand.
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

// handleJournalError handles the error of a line for the journal: after the first there is no
// journal any more, and the game goes on, without waiting for the disk.
func (g *game) handleJournalError(err error) {
	if err == nil {
		return
	}
	g.log.Warn().Err(err).Msg("journal given up; the game goes on")
	journal := g.journal
	g.journal = nil
	g.spawn(func() { _ = journal.Close() }) // its error is the one that was logged
}

// closeJournal waits until all of the journal is written.
func (g *game) closeJournal() {
	if err := g.journal.Close(); err != nil {
		g.log.Warn().Err(err).Msg("journal not complete")
	}
	g.journal = nil
}

// resumeUnfinished completes the records of the games that were on when an earlier run
// ended and which the server no longer lists as in play.
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
		if b.slots.register(state.ID, participant{clock: state.HasClock}) {
			b.games.Go(func() { b.play(ctx, state.ID, state) })
		}
	}
}

// archiveJournal puts a game of which the server tells nothing more into the archive, as
// far as its journal knows it.
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
	log.Info().Int("plies", state.Game.Game.Ply()).Msg("game archived as far as its journal knows it")
}
