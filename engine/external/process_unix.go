//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// detach gives a program its own process group, so that Ctrl-C in the terminal does not
// reach it. Where the system can, it kills the program when the thread that has started it
// ends, so that none outlives a process that is killed.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	killWithThread(cmd.SysProcAttr)
}

// kill kills a program and its children.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
