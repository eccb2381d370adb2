package mover

import (
	"errors"
	"math"
	"os"
	"runtime/debug"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

func TestLimitHeap(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	none := func(err error) memlimit.Provider { return func() (uint64, error) { return 0, err } }
	for _, tt := range []struct {
		name  string
		total memlimit.Provider
		env   string
		want  int64
		fails bool
	}{
		{name: "less the hash, with some room", total: memlimit.Limit(1 << 30), want: (768 << 20) * 9 / 10},
		{name: "unlimited", total: none(memlimit.ErrNoLimit), want: math.MaxInt64},
		{name: "no cgroups", total: none(memlimit.ErrCgroupsNotSupported), want: 12345},
		{name: "in none", total: none(memlimit.ErrNoCgroup), want: 12345},
		{name: "not readable", total: none(os.ErrPermission), want: 12345, fails: true},
		{name: "the operator knows better", total: memlimit.Limit(1 << 30), env: "12345", want: 12345},
	} {
		t.Run(tt.name, func(t *testing.T) {
			debug.SetMemoryLimit(12345)
			if tt.env != "" {
				t.Setenv("GOMEMLIMIT", tt.env)
			}
			err := limitHeap(256, tt.total)
			if (err != nil) != tt.fails || tt.fails && !errors.Is(err, os.ErrPermission) {
				t.Errorf("error %v", err)
			}
			if got := debug.SetMemoryLimit(-1); got < tt.want-1 || got > tt.want {
				t.Errorf("limit %d, want %d", got, tt.want)
			}
		})
	}
}

// Whatever this machine has, it is more than these tests need.
func TestMemory(t *testing.T) {
	t.Parallel()
	if got := Memory(); got < 100<<20 {
		t.Errorf("%d bytes", got)
	}
}
