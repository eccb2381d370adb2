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
	if g.left == nil {
		g.left = journal.Resumed()
	}
	if g.left != nil {
		g.welcomed, g.takebacks = g.left.Greeted, g.left.Takebacks
	}
	g.jot(journal.Begin(g.facts()))
}

// recall takes over what an earlier run has noted on the moves that still stand.
func (g *game) recall() {
	left := g.left
	g.left = nil
	if left == nil || *left.Game.Game.Start() != g.board.start {
		return
	}
	moves := g.board.game.Moves()
	for i, m := range left.Game.Game.Moves() {
		if i == len(moves) || moves[i] != m {
			return
		}
		g.board.notes[i] = left.Notes[i]
	}
}

// jot handles the error of a line for the journal: after the first there is no
// journal any more, and the game goes on, without waiting for the disk.
func (g *game) jot(err error) {
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

// finishLeft completes the records of the games that were on when an earlier run
// ended and which the server no longer lists as in play.
func (b *Bot) finishLeft(ctx context.Context) {
	if b.opts.Archive == nil {
		return
	}
	for _, left := range b.opts.Archive.Unfinished() {
		log := b.log.With().Str("game", left.ID).Logger()
		if left.Site != "" && !strings.HasPrefix(left.Site, b.opts.Site+"/") {
			log.Warn().Str("site", left.Site).Msg("journal of a game on another server")
			b.games.Go(func() { b.fold(left, log) }) // the disk may be slow
			continue
		}
		if b.slots.adopt(left.ID, party{clock: left.HasClock}) {
			b.games.Go(func() { b.play(ctx, left.ID, left) })
		}
	}
}

// fold puts a game of which the server tells nothing more into the archive, as
// far as its journal knows it.
func (b *Bot) fold(left *record.JournalState, log zerolog.Logger) {
	if left.Game.Game == nil || left.Game.Game.Ply() < 2 {
		if err := b.opts.Archive.DiscardJournal(left.ID); err != nil {
			log.Warn().Err(err).Msg("journal not removed")
		}
		return
	}
	if err := b.save(&left.Game); err != nil {
		log.Error().Err(err).Msg("game not archived")
		return
	}
	log.Info().Int("plies", left.Game.Game.Ply()).Msg("game archived as far as its journal knows it")
}
