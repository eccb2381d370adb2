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

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/retry"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
)

// followGames keeps the games in sync with the server's list: at the start, whenever
// a stream may have missed something, and often while a clock runs. Until it has
// succeeded once, no slot is reserved for a new game.
func (b *Bot) followGames(ctx context.Context) error {
	listed := false
	for {
		if err := b.timing.retry.Do(ctx, b.log, "listing the games in progress", retry.IsFatal, func() error { return b.syncGames(ctx) }); err != nil {
			return fmt.Errorf("resume games: %w", err)
		}
		if !listed {
			listed = true
			b.resumeUnfinished(ctx)
			b.outgoing.RequestLookup()
		}
		b.slots.Open()
		if err := retry.Sleep(ctx, b.timing.minSyncGap); err != nil {
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
	if !b.slots.AnyClock() {
		return b.timing.syncInterval
	}
	least := b.timing.liveSyncInterval
	return least + rand.N(least) //nolint:gosec // chance, not secrets
}

// requestSync requests the list of games in progress.
func (b *Bot) requestSync() {
	signal(b.syncRequested)
}

// syncGames joins the games in progress, least clock first, and has each compared
// with its board: a line may be lost, even that of a game's end.
func (b *Bot) syncGames(ctx context.Context) error {
	asked := time.Now()
	games, err := b.opts.Client.Playing(ctx)
	b.server.Record(err)
	if err != nil {
		return err
	}
	slices.SortStableFunc(games, func(x, y lichess.Game) int { return cmp.Compare(secondsLeft(&x), secondsLeft(&y)) })
	for i := range games {
		b.join(ctx, &games[i])
		if games[i].IsMyTurn {
			b.running.unpark(games[i].ID)
		}
	}
	b.running.deliverListings(games, asked, len(games) < lichess.MaxPlaying)
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

// join plays a game in progress, unless it is already being played.
func (b *Bot) join(ctx context.Context, g *lichess.Game) {
	if g.Variant.Key != lichess.Crazyhouse || g.Compat != nil && !g.Compat.Bot {
		b.log.Warn().Str("game", g.ID).Str("variant", g.Variant.Key).Msg("game ignored: this bot cannot play it")
		return
	}
	// In this list, only the name shows the opponent's title.
	slot := slots.Game{
		Opponent: g.Opponent.ID, Bot: strings.HasPrefix(g.Opponent.Username, "BOT "), Clock: hasClock(g), Arena: g.TournamentID,
	}
	if b.slots.Register(g.ID, slot) {
		b.games.Go(func() { b.play(ctx, g.ID, nil) })
	}
}

// play plays a game to its end. The game has a slot; its errors are logged here and
// go no further. A resumed game may be over and unknown to the server; then its
// journal is archived.
func (b *Bot) play(ctx context.Context, id string, resumed *record.JournalState) {
	log := b.log.With().Str("game", id).Logger()
	err := b.playWithRecovery(ctx, id, resumed != nil, log)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return // the slot stays reserved: the game continues without us
	case errors.Is(err, errNeverStarted):
		log.Warn().Err(err).Msg("slot freed")
	default:
		log.Error().Err(err).Msg("game abandoned")
	}
	if resumed != nil && (errors.Is(err, errNeverStarted) || errors.Is(err, errNotOurs)) {
		b.archiveJournal(resumed, log)
	}
	if err != nil {
		b.emit(event.GameAbandoned{Game: id, Err: err})
	}
	b.slots.Release(id)
	b.running.remove(id)
	if err != nil && !errors.Is(err, errNotOurs) {
		signal(b.abandoned)
	}
}

// signal sends without blocking on a channel of capacity 1, to wake its receiver.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// reportGameDuplicate reports that another program plays our games, too.
func (b *Bot) reportGameDuplicate() {
	b.duplicates.Do(func() {
		b.log.Error().Msg("another program uses this token: its streams of our games end ours; stop it, or give it a token of its own")
		b.emit(event.SecondInstance{})
	})
}
