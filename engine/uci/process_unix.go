//go:build unix

package uci

import (
	"os/exec"
	"syscall"
)

// detach gives a program a process group of its own, so that a ctrl-C in our
// terminal is not for it too.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends a program and what it has started.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
