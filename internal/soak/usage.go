package soak

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"
)

// usage is what the process uses.
type usage struct {
	memory     int64 // bytes
	goroutines int
	files      int // descriptors; 0 where that is not known
}

// usageOf samples a process, of which only this one's goroutines are known.
func usageOf(pid int) usage {
	u := usage{memory: residentMemory(pid)}
	if pid == os.Getpid() {
		u.goroutines = runtime.NumGoroutine()
	}
	if entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)); err == nil {
		u.files = len(entries)
	}
	return u
}

// residentMemory is a process's resident memory; where the system does not report it,
// the memory that Go has here.
func residentMemory(pid int) int64 {
	if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
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

// usages are the resources that the process used at the first and last sample, and the peak.
type usages struct{ first, peak, last usage }

func (u *usages) add(now usage) {
	if u.peak == (usage{}) {
		u.first = now
	}
	u.last = now
	u.peak.memory = max(u.peak.memory, now.memory)
	u.peak.goroutines = max(u.peak.goroutines, now.goroutines)
	u.peak.files = max(u.peak.files, now.files)
}

// releaseTimeout is how long connections may take to end after the bot has.
const releaseTimeout = 10 * time.Second

// waitForRelease takes the last sample: when no more is used than at first, or after a
// while.
func (u *usages) waitForRelease() {
	for end := time.Now().Add(releaseTimeout); ; time.Sleep(10 * time.Millisecond) {
		u.add(usageOf(os.Getpid()))
		if u.last.goroutines <= u.first.goroutines && u.last.files <= u.first.files || time.Now().After(end) {
			return
		}
	}
}

// watch samples the process with an id, which is 0 while there is none, until the context
// ends.
func (u *usages) watch(ctx context.Context, id func() int) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if pid := id(); pid != 0 {
			u.add(usageOf(pid))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
