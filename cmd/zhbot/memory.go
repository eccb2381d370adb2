package main

import (
	"errors"
	"fmt"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// usableMemory returns how many bytes of memory this program may use: those of
// the machine or, if it is less, of its cgroup; 0 if that is not known.
func usableMemory() uint64 {
	machine, err := memlimit.FromSystem()
	if err != nil {
		machine = 0
	}
	if group, err := memlimit.FromCgroup(); err == nil && (machine == 0 || group < machine) {
		return group
	}
	return machine
}

// limitHeap has Go's garbage collector stay within a limit of the memory, such
// as that of the cgroup, rather than be killed. The transposition table
// does not lie in Go's heap. An operator's GOMEMLIMIT stays.
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
