package game

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
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
	m := NewManager(Options{
		Games: openRegistry(config.Games{Max: 4}), Settings: func() *config.Config { return new(config.Config) },
		Timing: LichessTiming(), Reachability: stream.NewReachability(),
	})
	m.atOnce.SetBurst(2)
	return m
}

// The list is read often only while a clock runs, and at once when it is requested.
func TestManager_Await(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestManager()
		r.opts.Games.add("slow", Info{}, playing)
		if wait := r.awaited(t); wait != r.opts.Timing.SyncInterval {
			t.Errorf("without a clock after %s, want %s", wait, r.opts.Timing.SyncInterval)
		}
		r.opts.Games.add("fast", Info{Clock: true}, playing)
		for range 100 {
			if wait := r.awaited(t); wait < r.opts.Timing.SyncLive || wait > 2*r.opts.Timing.SyncLive {
				t.Fatalf("with a clock after %s, want %s to twice that", wait, r.opts.Timing.SyncLive)
			}
		}
		for range 2 {
			r.opts.Games.RequestSync()
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
				r.opts.Games.gaveUp <- struct{}{}
			}
			if wait := r.awaited(t); wait != want*time.Second {
				t.Errorf("list %d after %s, want %d s", i, wait, want)
			}
		}
	})
}

// A list brings back a game that had ended before the list was requested, and no other; what is
// announced does not.
func TestManager_SyncAfterEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		m := newTestManager()
		client := new(fakeClient)
		m.opts.Client = client
		before := listedGames(true, "aaaaaaaa")
		time.Sleep(time.Second)
		e := m.opts.Games.add("aaaaaaaa", Info{}, playing)
		e.update(over)
		e.update(done)
		time.Sleep(time.Second)
		for _, tt := range []struct {
			list *lichess.GameList
			want bool
		}{{before, false}, {listedGames(false), false}, {listedGames(true, "aaaaaaaa"), true}} {
			m.Join(ctx, &before.Games[0])
			client.list = tt.list
			err := m.Sync(ctx)
			e := m.opts.Games.find("aaaaaaaa")
			if err != nil || (e != nil) != tt.want || e != nil && !e.concluded {
				t.Errorf("%+v: %v; played as %+v, want %t", tt.list, err, e, tt.want)
			}
		}
		stop()
		m.opts.Games.Wait()
	})
}

// Above games.max, games that are announced are played once a list has them.
func TestManager_SyncAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		m := newTestManager()
		m.opts.Client = &fakeClient{list: listedGames(false, "game0000", "aaaaaaaa")}
		m.opts.Games.Resize(config.Games{Max: 1})
		m.opts.Games.add("aaaaaaaa", Info{}, playing)
		for i := range 20000 {
			m.Join(ctx, &listedGames(true, fmt.Sprintf("game%04d", i)).Games[0])
		}
		if n := m.opts.Games.Use().Games; n != 1 || len(m.opts.Games.syncRequested) != 1 {
			t.Errorf("%d games before the list, lists requested: %d", n, len(m.opts.Games.syncRequested))
		}
		if err := m.Sync(ctx); err != nil || !m.opts.Games.Has("game0000") || m.opts.Games.Use().Games != 2 {
			t.Errorf("%v; %d games after the list", err, m.opts.Games.Use().Games)
		}
		stop()
		m.opts.Games.Wait()
	})
}

// What is no id of a game is ignored, and so are other variants, with one line in the log.
func TestManager_JoinChecksGames(t *testing.T) {
	m, log := newTestManager(), new(fixture.Log)
	m.opts.Log = zerolog.New(log)
	for _, id := range []string{"", "short", "twelveletter", "../../aa", "aaaaaaa\n", strings.Repeat("x", 1<<20)} {
		m.Join(t.Context(), &lichess.Game{ID: id, Variant: lichess.Variant{Key: lichess.Crazyhouse}})
	}
	m.Join(t.Context(), &lichess.Game{ID: "aaaaaaaa", Variant: lichess.Variant{Key: strings.Repeat("y", 1<<20)}})
	if text := log.String(); m.opts.Games.Use().Games != 0 || strings.Count(text, "\n") != 1 || len(text) > 200 {
		t.Errorf("%d games; log %.1000q", m.opts.Games.Use().Games, text)
	}
}

// listedGames returns a list of games of crazyhouse, requested now.
func listedGames(complete bool, ids ...string) *lichess.GameList {
	list := listOf(ids...)
	list.Complete = complete
	for i := range list.Games {
		list.Games[i].Variant.Key = lichess.Crazyhouse
	}
	return list
}
