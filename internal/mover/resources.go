package mover

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// cores is the initial GOMAXPROCS.
var cores = runtime.GOMAXPROCS(0)

// Cores returns how many threads can run at once, within a container's CPU limit if there
// is one.
func Cores() int { return cores }

// Memory returns how many bytes of memory this program may use: those of the machine or,
// if that is less, of its cgroup; 0 if unknown.
func Memory() uint64 {
	machine, _ := memlimit.FromSystem() // 0 if unknown
	if group, err := memlimit.FromCgroup(); err == nil && (machine == 0 || group < machine) {
		return group
	}
	return machine
}

// LimitHeap makes Go's garbage collector stay within the memory of the cgroup, less the
// transposition table, which is not in Go's heap, so that the process is not killed. An
// operator's GOMEMLIMIT takes precedence.
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
