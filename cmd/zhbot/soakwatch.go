package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// soakSearch is what the searches for one move came to.
type soakSearch struct {
	time time.Duration // of them all
	move rules.Move    // what the last one chose; NoMove for none
}

// soakWatch is what the soak sees of the bot itself: the time of its searches,
// its reconnects, and games that it left.
type soakWatch struct {
	mu         sync.Mutex
	searches   map[string]map[int]soakSearch // by game and ply
	reconnects map[string]int                // of "event" and "game" streams
	panics     map[string]int                // by where they were
	streamless time.Duration                 // that games were without a stream
	abandoned  []string                      // games, and why
}

func newSoakWatch() *soakWatch {
	return &soakWatch{searches: map[string]map[int]soakSearch{}, reconnects: map[string]int{}, panics: map[string]int{}}
}

// observe records an event of the bot.
func (w *soakWatch) observe(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := e.(type) {
	case event.Searched:
		game := w.searches[e.Game]
		if game == nil {
			game = map[int]soakSearch{}
			w.searches[e.Game] = game
		}
		s := soakSearch{time: game[e.Board.Ply()].time + e.Info.Time}
		if len(e.Info.PV) > 0 {
			s.move = e.Info.PV[0]
		}
		game[e.Board.Ply()] = s
	case event.StreamLost:
		if e.Game == "" {
			w.reconnects["event"]++
		} else {
			w.reconnects["game"]++
		}
	case event.StreamOpened:
		w.streamless += e.Absent
	case event.Panicked:
		w.panics[e.In]++
	case event.GameAbandoned:
		if errors.Is(e.Err, lichess.ErrNotFound) {
			return // it never began
		}
		w.abandoned = append(w.abandoned, e.Game+": "+e.Err.Error())
	}
}

// searchesOf returns the searches of a game that is over, by ply, and forgets them.
func (w *soakWatch) searchesOf(game string) map[int]soakSearch {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer delete(w.searches, game)
	return w.searches[game]
}

// usage is what the process uses.
type usage struct {
	memory     int64 // bytes
	goroutines int
	files      int // descriptors; 0 where that is not known
}

// usageNow samples the process.
func usageNow() usage {
	u := usage{memory: residentMemory(), goroutines: runtime.NumGoroutine()}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.files = len(entries)
	}
	return u
}

// residentMemory is the process's resident memory; where the system does not report it,
// the memory Go has from the system.
func residentMemory() int64 {
	if data, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := bytes.Fields(data); len(fields) > 1 {
			if pages, err := strconv.ParseInt(string(fields[1]), 10, 64); err == nil {
				return pages * int64(os.Getpagesize())
			}
		}
	}
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64()) //nolint:gosec // no machine has more
}

// usages are what the process used: at the first sample, at most, at the last.
type usages struct{ first, most, last usage }

func (u *usages) add(now usage) {
	if u.most == (usage{}) {
		u.first = now
	}
	u.last = now
	u.most.memory = max(u.most.memory, now.memory)
	u.most.goroutines = max(u.most.goroutines, now.goroutines)
	u.most.files = max(u.most.files, now.files)
}

// releaseTimeout is how long connections may take to end after the bot has.
const releaseTimeout = 10 * time.Second

// waitForRelease takes the last sample: when no more is used than at first, or after a
// while.
func (u *usages) waitForRelease() {
	for end := time.Now().Add(releaseTimeout); ; time.Sleep(10 * time.Millisecond) {
		u.add(usageNow())
		if u.last.goroutines <= u.first.goroutines && u.last.files <= u.first.files || time.Now().After(end) {
			return
		}
	}
}

// watch samples the process until the context ends.
func (u *usages) watch(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		u.add(usageNow())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
