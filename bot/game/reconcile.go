package game

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// The list of games in progress is read at the start, whenever a stream may have missed
// something, and often while a clock runs.
//
// A game that cannot be followed may still be in progress, with our clock running. So when
// one is abandoned, the list is read at once and again with growing pauses, and the game
// is played again if it is listed; if it is not, its slot is released and its record
// completed.

const (
	minSyncGap   = 2 * time.Second // between two lists
	firstRecheck = 5 * time.Second // pause before abandoned games are checked again, at first
	lastRecheck  = 5 * time.Minute // the longest one
)

// Reconcile keeps the registry in step with the server's list until the context ends, or
// Lichess refuses the token. It calls resumed once the games in progress are played.
func (m *Manager) Reconcile(ctx context.Context, resumed func()) error {
	for first := true; ; first = false {
		if err := m.retry(ctx, func() error { return m.Sync(ctx) }); err != nil {
			return fmt.Errorf("resume games: %w", err)
		}
		if first {
			m.completeUnlisted(ctx)
			resumed()
		}
		if err := lichess.Sleep(ctx, minSyncGap); err != nil {
			return err
		}
		if err := m.await(ctx); err != nil {
			return err
		}
	}
}

// AwaitServer waits until the server answers, and plays the games that it lists; failed is told
// why it does not. A rate limit is an answer too, and so is one that cannot be read.
func (m *Manager) AwaitServer(ctx context.Context, failed func(error)) error {
	return m.retry(ctx, func() error {
		err := m.Sync(ctx)
		if errors.As(err, new(*lichess.RateLimitError)) || !lichess.IsTemporary(err) && !event.IsFatal(err) {
			return nil
		}
		failed(err)
		return err
	})
}

func (m *Manager) retry(ctx context.Context, op func() error) error {
	return event.Backoff{Initial: 100 * time.Millisecond, Max: 5 * time.Second}.Do(ctx, m.opts.Log,
		"listing the games in progress", event.IsFatal, op)
}

// await waits until the list is to be read again.
func (m *Manager) await(ctx context.Context) error {
	interval := m.opts.Timing.SyncInterval
	if m.opts.Games.AnyClock() {
		interval = m.opts.Timing.SyncLive + rand.N(m.opts.Timing.SyncLive) //nolint:gosec // chance, not secrets
	}
	due := time.After(interval)
	for {
		var recheck <-chan time.Time
		if m.recheck > 0 {
			recheck = time.After(m.recheck)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.opts.Games.SyncRequests():
			return nil
		case <-due:
			return nil
		case <-m.opts.Games.gaveUp:
			m.recheck = cmp.Or(m.recheck, firstRecheck)
			if m.atOnce.Allow() {
				return nil
			}
		case <-recheck:
			if m.recheck *= 2; m.recheck > lastRecheck {
				m.recheck = 0
			}
			return nil
		}
	}
}

// Sync plays the games in progress, the most urgent first, and has each compared with its
// board: a line may be lost, even that of a game's end.
func (m *Manager) Sync(ctx context.Context) error {
	soon, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	list, err := m.opts.Client.Playing(soon)
	m.opts.Reachability.Record(err)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i := range list.Games {
		m.join(ctx, &list.Games[i], list.RequestedAt)
	}
	for _, e := range m.opts.Games.Listed(list) { // abandoned games that have ended since
		if m.opts.Archive != nil && m.opts.Archive.Live(e.id) != nil {
			m.opts.Games.complete(ctx, e)
		} else { // it was not tracked
			e.update(done)
		}
	}
	return err
}

// Join plays a game that the event stream has announced, unless it is already played.
func (m *Manager) Join(ctx context.Context, g *lichess.Game) { m.join(ctx, g, time.Time{}) }

var gameID = regexp.MustCompile(`^\w{8}$`)

// join is Join for a game of a list requested at a time; zero for none.
func (m *Manager) join(ctx context.Context, g *lichess.Game, listed time.Time) {
	if !gameID.MatchString(g.ID) || g.Variant.IsOther() || g.Compat != nil && !g.Compat.Bot {
		m.ignored.Do(func() {
			m.opts.Log.Warn().Str("game", fmt.Sprintf("%.20s, %.20s", g.ID, g.Variant.Key)).
				Msg("game ignored: this bot cannot play it, or read its entry in the list")
		})
		return
	}
	// In this list, only the name shows the opponent's title.
	if m.opts.Games.start(ctx, g.ID, Info{
		Opponent: g.Opponent.ID, Bot: strings.HasPrefix(g.Opponent.Username, "BOT "),
		Clock: g.SecondsLeft != nil && g.Speed != lichess.Correspondence,
		Arena: g.TournamentID, announced: listed.IsZero(),
	}, listed, false) {
		m.beyond.Do(func() {
			m.opts.Log.Warn().Str("game", g.ID).Msg("a game beyond games.max has begun: if another program plays on " +
				"this account, stop it, or give it an account of its own")
		})
	}
}

// completeUnlisted completes the records of the games that were in progress when an
// earlier run ended and that the server no longer lists.
func (m *Manager) completeUnlisted(ctx context.Context) {
	if m.opts.Archive == nil {
		return
	}
	for _, id := range m.opts.Archive.Unfinished() {
		l := m.opts.Archive.Live(id)
		switch {
		case l == nil: // it has been saved meanwhile
		case l.Game.Site != "" && !strings.HasPrefix(l.Game.Site, m.opts.Site+"/"): // it may be in progress there
			m.opts.Log.Warn().Str("game", id).Str("site", l.Game.Site).
				Msg("ignoring a game in progress on another server")
		default:
			m.opts.Games.start(ctx, id, Info{Clock: !l.Game.Clock.IsZero()}, time.Time{}, true)
		}
	}
}
