// Package resources says what of the machine this process may use, and keeps the
// garbage collector within it.
package resources

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// cores is what Go knows before anybody asks it for more threads.
var cores = runtime.GOMAXPROCS(0)

// Cores returns how many threads can run at once: a container's share of the
// processor, if there is one.
func Cores() int { return cores }

// Memory returns how many bytes of memory this program may use: those of
// the machine or, if it is less, of its cgroup; 0 if that is not known.
func Memory() uint64 {
	machine, err := memlimit.FromSystem()
	if err != nil {
		machine = 0
	}
	if group, err := memlimit.FromCgroup(); err == nil && (machine == 0 || group < machine) {
		return group
	}
	return machine
}

// LimitHeap has Go's garbage collector stay within the memory of the cgroup, less the
// transposition table, which does not lie in Go's heap, rather than be killed. An operator's GOMEMLIMIT stays.
func LimitHeap(hashMB int) error { return limitHeap(hashMB, memlimit.FromCgroup) }

func limitHeap(hashMB int, total memlimit.Provider) error {
	_, err := memlimit.Set(memlimit.WithProvider(func() (uint64, error) {
		limit, err := total()
		if hash := uint64(hashMB) << 20; err == nil && limit > hash {
			return limit - hash, nil
		}
		return limit, err
	}))
	switch {
	case errors.Is(err, memlimit.ErrNoCgroup), errors.Is(err, memlimit.ErrCgroupsNotSupported):
		return nil // nothing limits us
	case err != nil:
		return fmt.Errorf("limit Go's heap: %w", err)
	}
	return nil
}
