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

	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// followGames keeps the games in sync with the server's list: at the start, whenever
// a stream may have missed something, and often while a clock runs. Once it has succeeded,
// b.resumed is closed.
func (b *Bot) followGames(ctx context.Context) error {
	listed := false
	for {
		if err := b.timing.retry.Do(ctx, b.log, "listing the games in progress", event.IsFatal, func() error { return b.syncGames(ctx) }); err != nil {
			return fmt.Errorf("resume games: %w", err)
		}
		if !listed {
			listed = true
			b.resumeUnfinished(ctx)
			b.challenger.RequestLookup()
			close(b.resumed)
		}
		if err := event.Sleep(ctx, b.timing.minSyncGap); err != nil {
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
	interval := b.timing.liveSyncInterval
	return interval + rand.N(interval) //nolint:gosec // chance, not secrets
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
	}
	b.completeRecords(ctx, b.playing.DeliverListings(games, asked, len(games) < lichess.MaxPlaying))
	return nil
}

// completeRecords completes the records of abandoned games that have ended since. A game
// without a journal is forgotten.
func (b *Bot) completeRecords(ctx context.Context, ended []string) {
	if len(ended) == 0 {
		return
	}
	var unfinished []*record.JournalState
	if b.opts.Archive != nil {
		unfinished = b.opts.Archive.Unfinished()
	}
	for _, id := range ended {
		i := slices.IndexFunc(unfinished, func(s *record.JournalState) bool { return s.ID == id })
		if i < 0 {
			b.playing.Forget(id)
			continue
		}
		b.games.Go(func() { b.play(ctx, id, unfinished[i]) })
	}
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
	slot := game.Info{
		Opponent: g.Opponent.ID, Bot: strings.HasPrefix(g.Opponent.Username, "BOT "), Clock: hasClock(g), Arena: g.TournamentID,
	}
	if b.slots.Register(g.ID, slot) {
		b.games.Go(func() { b.play(ctx, g.ID, nil) })
	}
}

// play plays a game, which has a slot, to its end. One that is abandoned keeps its slot,
// since the server may still run it.
func (b *Bot) play(ctx context.Context, id string, resumed *record.JournalState) {
	err := b.playing.Play(ctx, id, resumed)
	if err != nil && ctx.Err() != nil {
		return // the slot stays reserved: the game continues without us
	}
	if err == nil || errors.Is(err, game.ErrNotOurs) || !b.slots.Abandon(id) {
		b.playing.Forget(id)
	}
	if err != nil && !errors.Is(err, game.ErrNotOurs) {
		signal(b.abandoned)
	}
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
			continue // it may be in progress there
		}
		if b.slots.Register(state.ID, game.Info{Clock: !state.Clock.IsZero()}) {
			b.games.Go(func() { b.play(ctx, state.ID, state) })
		}
	}
}

// signal sends without blocking on a channel of capacity 1, to wake its receiver.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// A game that cannot be followed may still be in progress, with our clock running.
// So when one is abandoned, the list of games is read at once and again with growing
// pauses, and resumes the game if it is listed; if it is not, its slot is released and its
// record completed.

// recheckAbandoned requests the list of games after games were abandoned.
func (b *Bot) recheckAbandoned(ctx context.Context) error {
	// A game that is abandoned repeatedly must not cause constant requests.
	atOnce := rate.NewLimiter(rate.Every(b.timing.abandonedRecheck.Max), 10)
	var wait time.Duration // until the next check; 0 for none
	for {
		var due <-chan time.Time
		if wait > 0 {
			due = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.abandoned:
			if atOnce.Allow() {
				b.requestSync()
			}
			if wait == 0 {
				wait = b.timing.abandonedRecheck.Initial
			}
		case <-due:
			b.requestSync()
			if wait *= 2; wait > b.timing.abandonedRecheck.Max {
				wait = 0
			}
		}
	}
}
