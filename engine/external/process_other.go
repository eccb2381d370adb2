//go:build !unix

package external

import "os/exec"

func detach(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
