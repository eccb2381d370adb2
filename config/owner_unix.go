//go:build unix

package config

import (
	"io/fs"
	"syscall"
)

// isOwnedBy reports whether a file belongs to a user.
func isOwnedBy(info fs.FileInfo, uid int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == uid
}
