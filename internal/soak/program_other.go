//go:build !unix

package soak

import "os/exec"

// Processes cannot be stopped here.
func suspend(int) {}
func resume(int)  {}

func detach(*exec.Cmd) {}
