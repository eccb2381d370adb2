package game

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

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// Reconciler keeps the registry in step with the server's list of games in progress: it
// reads the list at the start, whenever a stream may have missed something, and often while
// a clock runs.
//
// A game that cannot be followed may still be in progress, with our clock running. So when
// one is abandoned, the list is read at once and again with growing pauses, and the game
// is played again if it is listed; if it is not, its slot is released and its record
// completed.
type Reconciler struct {
	Games        *Registry
	Client       *lichess.Client
	Archive      Archive // of the games; nil for none
	Reachability *stream.Reachability
	Timing       SyncTiming
	Site         string // URL of the server
	Log          zerolog.Logger

	atOnce  *rate.Limiter // of lists that are read at once
	recheck time.Duration // pause before abandoned games are checked again; 0 for none to check
}

// SyncTiming holds the pauses between lists of the games in progress.
type SyncTiming struct {
	Interval time.Duration // while no clock runs
	Live     time.Duration // while one does; up to twice that
}

// LichessSyncTiming returns the pauses that suit Lichess.
func LichessSyncTiming() SyncTiming {
	return SyncTiming{Interval: 5 * time.Minute, Live: 15 * time.Second}
}

const (
	minSyncGap   = 2 * time.Second // between two lists
	firstRecheck = 5 * time.Second // pause before abandoned games are checked again, at first
	lastRecheck  = 5 * time.Minute // the longest one
)

// Run reconciles until the context ends, or Lichess refuses the token. It calls resumed
// once the games in progress are played.
func (r *Reconciler) Run(ctx context.Context, resumed func()) error {
	// A game that is abandoned repeatedly must not cause constant requests.
	r.atOnce = rate.NewLimiter(rate.Every(lastRecheck), 10)
	for first := true; ; first = false {
		if err := r.retry(ctx, func() error { return r.Sync(ctx) }); err != nil {
			return fmt.Errorf("resume games: %w", err)
		}
		if first {
			r.completeUnlisted(ctx)
			resumed()
		}
		if err := lichess.Sleep(ctx, minSyncGap); err != nil {
			return err
		}
		if err := r.await(ctx); err != nil {
			return err
		}
	}
}

// AwaitServer waits until the server answers, and plays the games that it lists. A rate
// limit is an answer too.
func (r *Reconciler) AwaitServer(ctx context.Context) error {
	return r.retry(ctx, func() error {
		err := r.Sync(ctx)
		var limited *lichess.RateLimitError
		if errors.As(err, &limited) {
			return nil
		}
		return err
	})
}

func (r *Reconciler) retry(ctx context.Context, op func() error) error {
	return event.Backoff{Initial: 100 * time.Millisecond, Max: 5 * time.Second}.Do(ctx, r.Log, "listing the games in progress", event.IsFatal, op)
}

// await waits until the list is to be read again.
func (r *Reconciler) await(ctx context.Context) error {
	interval := r.Timing.Interval
	if r.Games.AnyClock() {
		interval = r.Timing.Live + rand.N(r.Timing.Live) //nolint:gosec // chance, not secrets
	}
	due := time.After(interval)
	for {
		var recheck <-chan time.Time
		if r.recheck > 0 {
			recheck = time.After(r.recheck)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.Games.SyncRequests():
			return nil
		case <-due:
			return nil
		case <-r.Games.gaveUp:
			r.recheck = cmp.Or(r.recheck, firstRecheck)
			if r.atOnce.Allow() {
				return nil
			}
		case <-recheck:
			if r.recheck *= 2; r.recheck > lastRecheck {
				r.recheck = 0
			}
			return nil
		}
	}
}

// Sync plays the games in progress, least clock first, and has each compared with its
// board: a line may be lost, even that of a game's end.
func (r *Reconciler) Sync(ctx context.Context) error {
	asked := time.Now()
	list, err := r.Client.Playing(ctx)
	r.Reachability.Record(err)
	if err != nil {
		return err
	}
	slices.SortStableFunc(list, func(x, y lichess.Game) int { return cmp.Compare(secondsLeft(&x), secondsLeft(&y)) })
	for i := range list {
		r.Join(ctx, &list[i])
	}
	if over := r.Games.Listed(list, asked, len(list) < lichess.MaxPlaying); len(over) > 0 {
		r.completeRecords(ctx, over)
	}
	return nil
}

// Join plays a game in progress, unless it is already played.
func (r *Reconciler) Join(ctx context.Context, g *lichess.Game) {
	if g.Variant.Key != lichess.Crazyhouse || g.Compat != nil && !g.Compat.Bot {
		r.Log.Warn().Str("game", g.ID).Str("variant", g.Variant.Key).Msg("game ignored: this bot cannot play it")
		return
	}
	// In this list, only the name shows the opponent's title.
	r.Games.Start(ctx, g.ID, Info{
		Opponent: g.Opponent.ID, Bot: strings.HasPrefix(g.Opponent.Username, "BOT "), Clock: hasClock(g), Arena: g.TournamentID,
	})
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

// unfinished returns the journals of games that have not been archived.
func (r *Reconciler) unfinished() []*record.JournalState {
	if r.Archive == nil {
		return nil
	}
	return r.Archive.Unfinished()
}

// completeRecords completes the records of abandoned games that have ended since. A game
// without a journal is forgotten.
func (r *Reconciler) completeRecords(ctx context.Context, games []*Entry) {
	journals := r.unfinished()
	for _, e := range games {
		if i := slices.IndexFunc(journals, func(s *record.JournalState) bool { return s.ID == e.id }); i >= 0 {
			r.Games.complete(ctx, e, journals[i])
		} else {
			e.update(done)
		}
	}
}

// completeUnlisted completes the records of the games that were in progress when an
// earlier run ended and that the server no longer lists.
func (r *Reconciler) completeUnlisted(ctx context.Context) {
	for _, journal := range r.unfinished() {
		if journal.Site != "" && !strings.HasPrefix(journal.Site, r.Site+"/") {
			r.Log.Warn().Str("game", journal.ID).Str("site", journal.Site).Msg("journal of a game on another server")
			continue // it may be in progress there
		}
		r.Games.start(ctx, journal.ID, Info{Clock: !journal.Clock.IsZero()}, journal)
	}
}
