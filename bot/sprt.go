package bot

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/config"
)

// sprt tests two contenders by the recorded games. Its loop owns all but the report.
type sprt struct {
	report atomic.Pointer[stats.SPRTReport] // nil for no test
	wake   chan struct{}                    // capacity 1: there may be games or settings to look at

	test    config.SPRT
	history *record.History // nil until the test is begun
	seen    map[string]bool // ids of the games that were read
	all     stats.RatedGames
	tested  stats.RatedGames // those that began after the test
}

// SPRT returns the state of the test of two contenders, nil if there is none.
func (b *Bot) SPRT() *stats.SPRTReport { return b.sprt.report.Load() }

// runSPRT looks at the test after each game, as Lichess's ratings of it are known then.
func (b *Bot) runSPRT(ctx context.Context) error {
	for {
		if err := b.lookAtSPRT(ctx); err != nil && ctx.Err() == nil {
			b.log.Warn().Err(err).Msg("test of contenders not brought up to date")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.sprt.wake:
		}
	}
}

// lookAtSPRT reads the new games, and reports a verdict once.
func (b *Bot) lookAtSPRT(ctx context.Context) error {
	s, c := &b.sprt, b.settings()
	if c.SPRT.New == "" {
		s.history = nil
		s.report.Store(nil)
		return nil
	}
	if s.history == nil || s.test != c.SPRT {
		s.test, s.history, s.seen = c.SPRT, record.NewHistory(c.Records.Dir), map[string]bool{}
		s.all, s.tested = stats.RatedGames{}, stats.RatedGames{}
	}
	stored, begins := b.storedSPRT()
	if err := s.read(ctx, b.Account(), stored.Since); err != nil {
		return err
	}
	if begins {
		b.log.Info().Str("test", stored.Test).Msg("test of contenders begins")
	}
	report := s.tested.SPRT(s.test)
	switch {
	case stored.Verdict != "": // as it was reported, even if records have been lost since
		report.Verdict = stats.Verdict(stored.Verdict)
	case report.Verdict != stats.Undecided:
		stored.Verdict = string(report.Verdict)
		b.storeSPRT(stored)
		b.log.Info().Str("test", report.String()).Msg("test of contenders decided")
		b.emit(event.Verdict{Text: "The test of two contenders has a verdict: " + report.String() + "."})
	}
	s.report.Store(report)
	return nil
}

// storedSPRT returns what is stored of the test. A test that is not stored begins now.
func (b *Bot) storedSPRT() (stored record.SPRT, begins bool) {
	test := b.sprt.test.String()
	b.opts.State.View(func(d *record.State) {
		if begins = d.SPRT == nil || d.SPRT.Test != test; !begins {
			stored = *d.SPRT
		}
	})
	if begins {
		stored = record.SPRT{Test: test, Since: time.Now().UTC().Truncate(time.Second)}
		b.storeSPRT(stored)
	}
	return stored, begins
}

// storeSPRT stores the state of the test, at least until the program ends.
func (b *Bot) storeSPRT(s record.SPRT) {
	if err := b.opts.State.Update(func(d *record.State) { d.SPRT = new(s) }); err != nil {
		b.log.Warn().Err(err).Msg("state of the test of contenders not stored")
	}
}

// read adds the games that have been recorded since the last call.
func (s *sprt) read(ctx context.Context, account string, since time.Time) error {
	return s.history.Read(ctx, func(f *record.FinishedGame) {
		view, ok := f.View(account)
		if !ok || s.seen[f.ID] {
			return
		}
		s.seen[f.ID] = f.ID != ""
		s.all.Add(&view)
		if !f.Created.Before(since) {
			s.tested.Add(&view)
		}
	})
}
