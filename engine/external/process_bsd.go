//go:build unix && !linux

package external

import "syscall"

func killWithThread(*syscall.SysProcAttr) {}
