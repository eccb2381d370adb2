//go:build unix

package fileowner

import (
	"io/fs"
	"syscall"
)

func is(info fs.FileInfo, uid int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == uid
}
