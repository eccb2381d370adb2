//go:build !unix

package bridge

import "testing"

func stopProcess(t *testing.T, _ int) {
	t.Helper()
	t.Skip("processes cannot be stopped here")
}
