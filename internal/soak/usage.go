package soak

import (
	"context"
	"os"
	"runtime"
	"time"

	"github.com/prometheus/procfs"

	"github.com/zhbot/zhbot/lichess"
)

// usage is what the process uses.
type usage struct {
	memory     int // MiB
	goroutines int
	files      int // descriptors; 0 where that is not known
}

// usageOf samples a process, of which only this one's goroutines are known. Where the system
// does not report the memory, it is what Go has here.
func usageOf(pid int) usage {
	var u usage
	if pid == os.Getpid() {
		u.goroutines = runtime.NumGoroutine()
	}
	if process, err := procfs.NewProc(pid); err == nil {
		u.files, _ = process.FileDescriptorsLen() // 0 if it has just ended
		stat, _ := process.Stat()
		u.memory = stat.ResidentMemory() >> 20
	}
	if u.memory == 0 {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		u.memory = int(memory.Sys >> 20) //nolint:gosec // no machine has more
	}
	return u
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
	for {
		if pid := id(); pid != 0 {
			u.add(usageOf(pid))
		}
		if lichess.Sleep(ctx, time.Second) != nil {
			return
		}
	}
}
