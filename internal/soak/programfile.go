package soak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// programFile is the engine program of some contenders: our own search, started by a script
// that can be slow, or missing.
type programFile struct{ path, zhbot string }

// restore writes the script, which starts the program after a delay.
func (f *programFile) restore(delay time.Duration) error {
	script := fmt.Sprintf("#!/bin/sh\nsleep %.1f\nexec '%s' uci\n", delay.Seconds(), f.zhbot)
	written := f.path + ".new"                                           // a script that is being written cannot be executed
	if err := os.WriteFile(written, []byte(script), 0o700); err != nil { //nolint:gosec // it is executed
		return err
	}
	return os.Rename(written, f.path)
}

// slowestStart is the longest that the program takes to start.
const slowestStart = 8 * time.Second

// spoil makes the next start of the program slow, or impossible.
func (f *programFile) spoil(rng *rand.Rand) {
	if rng.IntN(2) == 0 {
		_ = os.Remove(f.path)
		return
	}
	_ = f.restore(time.Duration(rng.Int64N(int64(slowestStart))))
}
