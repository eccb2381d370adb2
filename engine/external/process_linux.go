package external

import "syscall"

func killWithThread(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
