package game

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/config"
)

// awaited returns how long it takes until the list is to be read again.
func (m *Manager) awaited(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	if err := m.await(t.Context()); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

func newTestManager() *Manager {
	m := NewManager(Options{Games: openRegistry(config.Games{Max: 4}), Settings: func() *config.Config { return new(config.Config) }, Timing: LichessTiming()})
	m.atOnce.SetBurst(2)
	return m
}

// The list is read often only while a clock runs, and at once when it is requested.
func TestManager_Await(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestManager()
		r.Games.add("slow", Info{}, playing)
		if wait := r.awaited(t); wait != r.Timing.SyncInterval {
			t.Errorf("without a clock after %s, want %s", wait, r.Timing.SyncInterval)
		}
		r.Games.add("fast", Info{Clock: true}, playing)
		for range 100 {
			if wait := r.awaited(t); wait < r.Timing.SyncLive || wait > 2*r.Timing.SyncLive {
				t.Fatalf("with a clock after %s, want %s to twice that", wait, r.Timing.SyncLive)
			}
		}
		for range 2 {
			r.Games.RequestSync()
		}
		if first, second := r.awaited(t), r.awaited(t); first != 0 || second == 0 {
			t.Errorf("when requested after %s, and again after %s", first, second)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.await(ctx); err == nil {
			t.Error("waits although the bot ends")
		}
	})
}

// After a game was abandoned the list is read at once, but not each time if that happens
// often, and then with growing pauses.
func TestManager_AwaitAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestManager()
		want := []time.Duration{0, 0, 5, 10, 20, 40, 80, 160, 300}
		for i, want := range want {
			if i < 3 {
				r.Games.gaveUp <- struct{}{}
			}
			if wait := r.awaited(t); wait != want*time.Second {
				t.Errorf("list %d after %s, want %d s", i, wait, want)
			}
		}
	})
}
