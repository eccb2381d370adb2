//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// detach gives a program its own process group, so that Ctrl-C in the terminal does not
// reach it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill kills a program and its children.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
