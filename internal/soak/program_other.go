//go:build !unix

package soak

// Processes cannot be stopped here.
func suspend(int) {}
func resume(int)  {}
