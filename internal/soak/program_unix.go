//go:build unix

package soak

import (
	"os/exec"
	"syscall"
)

// suspend stops a process and its children; resume continues them.
func suspend(pid int) { _ = syscall.Kill(-pid, syscall.SIGSTOP) }
func resume(pid int)  { _ = syscall.Kill(-pid, syscall.SIGCONT) }

// detach gives a program its own process group, so that Ctrl-C in the terminal does not
// reach it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
