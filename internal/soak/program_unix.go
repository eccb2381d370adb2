//go:build unix

package soak

import "syscall"

// suspend stops a process and its children; resume continues them.
func suspend(pid int) { _ = syscall.Kill(-pid, syscall.SIGSTOP) }
func resume(pid int)  { _ = syscall.Kill(-pid, syscall.SIGCONT) }
