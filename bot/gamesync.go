package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// followGames looks up the games that the server runs: at the start, whenever a
// stream may have missed something, and often while a clock runs. Until it has
// succeeded once, no slot is given to anything new.
func (b *Bot) followGames(ctx context.Context) error {
	listed := false
	for {
		if err := b.retry(ctx, "listing the games in play", fatal, func() error { return b.syncGames(ctx) }); err != nil {
			return fmt.Errorf("take up games: %w", err)
		}
		if !listed {
			listed = true
			b.resumeUnfinished(ctx)
			b.outgoing.requestLookup()
		}
		b.slots.open()
		if err := sleep(ctx, b.timing.minSyncGap); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.syncRequested:
		case <-time.After(b.syncWait()):
		}
	}
}

// syncWait returns how long to wait for the next list of games.
func (b *Bot) syncWait() time.Duration {
	if !b.slots.clockRuns() {
		return b.timing.syncInterval
	}
	least := b.timing.liveSyncInterval
	return least + rand.N(least) //nolint:gosec // chance, not secrets
}

// requestSync asks for a look at the games in play.
func (b *Bot) requestSync() {
	signal(b.syncRequested)
}

// syncGames joins the games that the server runs, the least clock first, and has each
// compared with its board: a line may be lost, also that of a game's end.
func (b *Bot) syncGames(ctx context.Context) error {
	asked := time.Now()
	games, err := b.opts.Client.Playing(ctx)
	b.server.record(err)
	if err != nil {
		return err
	}
	slices.SortStableFunc(games, func(x, y lichess.Game) int { return cmp.Compare(secondsLeft(&x), secondsLeft(&y)) })
	for i := range games {
		b.join(ctx, &games[i])
		if games[i].IsMyTurn {
			b.slots.unpark(games[i].ID)
		}
	}
	b.slots.deliverListings(games, asked, len(games) < lichess.MaxPlaying)
	return nil
}

// secondsLeft orders games by urgency, those without a clock last.
func secondsLeft(g *lichess.Game) int64 {
	if !hasClock(g) {
		return math.MaxInt64
	}
	return int64(*g.SecondsLeft)
}

func hasClock(g *lichess.Game) bool {
	return g.SecondsLeft != nil && g.Speed != lichess.Correspondence
}

// join plays a game that the server runs, unless that is done already.
func (b *Bot) join(ctx context.Context, g *lichess.Game) {
	if g.Variant.Key != lichess.Crazyhouse || g.Compat != nil && !g.Compat.Bot {
		b.log.Warn().Str("game", g.ID).Str("variant", g.Variant.Key).Msg("game cannot be played by this bot: left alone")
		return
	}
	// Where only this list tells of an opponent, the name shows the title.
	p := participant{opponent: g.Opponent.ID, bot: strings.HasPrefix(g.Opponent.Username, "BOT "), clock: hasClock(g)}
	p.arena = g.TournamentID
	if b.slots.register(g.ID, p) {
		b.games.Go(func() { b.play(ctx, g.ID, nil) })
	}
}

// play plays a game to its end. The game has a slot; what goes wrong in it is
// logged here and goes no further. Of a game that an earlier run has left, and
// which may be over, at least that run's journal is archived.
func (b *Bot) play(ctx context.Context, id string, resumed *record.JournalState) {
	log := b.log.With().Str("game", id).Logger()
	err := b.playWithRecovery(ctx, id, resumed != nil, log)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return // the slot stays taken: the game goes on without us
	case errors.Is(err, errNeverStarted):
		log.Warn().Err(err).Msg("slot freed")
	default:
		log.Error().Err(err).Msg("game given up")
	}
	if resumed != nil && (errors.Is(err, errNeverStarted) || errors.Is(err, errNotOurs)) {
		b.archiveJournal(resumed, log)
	}
	if err != nil {
		b.emit(GameAbandoned{id, err})
	}
	b.slots.release(id)
	if err != nil && !errors.Is(err, errNotOurs) {
		signal(b.abandoned)
	}
}
