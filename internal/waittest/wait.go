// Package waittest waits in tests for what other goroutines do.
package waittest

import (
	"testing"
	"time"
)

// patience is more than any machine should need, however busy it is.
const patience = 5 * time.Minute

// Until waits until something holds, and fails the test if it does not within five
// minutes.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
