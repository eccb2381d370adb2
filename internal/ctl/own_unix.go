//go:build unix

package ctl

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a file belongs to the user.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
