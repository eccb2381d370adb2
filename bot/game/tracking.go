package game

import (
	"context"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/lichess"
)

// restore restores what an earlier run, or this one before a panic, kept of the game, except
// the notes on the moves.
func (g *game) restore() {
	if g.opts.Archive == nil {
		return
	}
	if g.earlier = g.opts.Archive.Live(g.id); g.earlier != nil {
		g.greetedEarlier, g.board.takebacks, g.board.fallbacks = g.earlier.Greeted, g.earlier.Takebacks,
			g.earlier.Game.Fallbacks
	}
}

// restoreNotes restores the earlier notes on the moves that still stand. If some do not, they
// have been taken back since.
func (g *game) restoreNotes() {
	earlier := g.earlier
	g.earlier = nil
	if earlier == nil || *earlier.Game.Board.Start() != g.board.start {
		return
	}
	moves := g.board.game.Moves()
	for i, m := range earlier.Game.Board.Moves() {
		if i == len(moves) || moves[i] != m {
			g.board.takebacks++
			return
		}
		g.board.notes[i] = earlier.Game.Notes[i]
	}
}

// track keeps the game as it is now, to be written by SaveLive.
func (g *game) track() {
	if g.opts.Archive == nil {
		return
	}
	g.opts.Archive.Track(&record.Live{
		Game: g.record(), Greeted: g.greeted || g.greetedEarlier, Takebacks: g.board.takebacks,
		LevelNow: human.FormatLevel(g.level),
	})
	event.Wake(g.manager.tracked)
}

// saveContender writes to disk which contender plays the game, before it searches: after a
// crash, no other one may play on.
func (g *game) saveContender() {
	g.contenderSaved = make(chan struct{})
	if g.opts.Archive == nil || g.contender.Name == "" || g.earlier != nil {
		close(g.contenderSaved)
		return
	}
	g.track()
	g.spawn(func() {
		defer close(g.contenderSaved)
		g.manager.writeLive()
	})
}

// slowDisk is how long a search waits for the contender to be on disk.
const slowDisk = time.Second

// awaitContender waits until the contender is on disk, if the disk is not slow.
func (g *game) awaitContender(ctx context.Context) {
	select {
	case <-g.contenderSaved:
	case <-time.After(slowDisk):
		g.log.Warn().Msg("slow disk: the game begins before its contender is saved")
	case <-ctx.Done():
	}
}

// record returns a snapshot of the game.
func (g *game) record() *record.Game {
	r := &record.Game{
		Summary: record.Summary{
			ID: g.id, Site: g.opts.Site + "/" + g.id, Rated: g.full.Rated, Created: g.created,
			White: event.PlayerOf(&g.full.White), Black: event.PlayerOf(&g.full.Black), Version: g.opts.Version,
			Network: g.contender.NetworkName, Program: g.program(), Contender: g.contender.Name,
			ContenderFor: g.contender.For.String(), Level: g.levelTag(), Fallbacks: g.board.fallbacks,
			Speed: g.full.Speed, Clock: g.full.Clock,
		},
		Board: g.board.snapshot(), Notes: slices.Clone(g.board.notes),
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

// view returns a snapshot of the game with its clocks.
func (g *game) view() event.GameView {
	r := g.record()
	v := event.GameView{
		Summary: r.Summary, Arena: g.full.TournamentID, Us: g.us, Board: r.Board, Notes: r.Notes,
		At: g.receivedAt, Search: g.entry.search.Load(),
	}
	if !v.Clock.IsZero() {
		v.Clocks = g.clocks
		v.Running = !g.state.Status.Over() && v.Board.Ply() >= 2
	}
	return v
}

// archive saves a game, or only forgets it if it was not played. It reports whether the game
// was saved.
func (m *Manager) archive(r *record.Game, played bool, log zerolog.Logger) (saved bool) {
	defer event.Wake(m.tracked) // it is no longer in progress
	if !played {
		m.opts.Archive.Untrack(r.ID)
		return false
	}
	if err := m.opts.Archive.Save(r); err != nil {
		log.Error().Err(err).Msg("game not archived")
		event.Wake(m.unsaved)
		return false
	}
	return true
}

// liveDelay is how long a change of a game in progress may be in memory only.
const liveDelay = 2 * time.Second

// SaveLive writes the games in progress to disk when they have changed. At exit the archive
// itself does it once more.
func (m *Manager) SaveLive(ctx context.Context) error {
	for m.opts.Archive != nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.tracked:
		}
		if err := lichess.Sleep(ctx, liveDelay); err != nil {
			return err
		}
		m.writeLive()
	}
	return nil
}

// writeLive writes the games in progress. They go on if it fails.
func (m *Manager) writeLive() {
	if err := m.opts.Archive.WriteLive(); err != nil {
		m.liveFailures.Do(func() {
			m.opts.Log.Warn().Err(err).
				Msg("games in progress not saved: after a crash, their evaluations and clocks are lost")
		})
	}
}

// FlushArchive writes the games that could not be saved once the disk works again, and has
// the archive look for its folder. At exit the archive itself tries once more.
func (m *Manager) FlushArchive(ctx context.Context) error {
	for m.opts.Archive != nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.unsaved:
		case <-time.After(time.Minute):
		}
		before := m.opts.Archive.Backlog()
		never := func(error) bool { return false }
		if err := (event.Backoff{Initial: time.Second, Max: time.Minute}).
			Do(ctx, m.opts.Log, "archiving pending games", never, m.opts.Archive.Flush); err != nil {
			return err
		}
		if before.Reason != "" {
			m.opts.Log.Info().Msg("pending games archived")
		}
	}
	return nil
}
