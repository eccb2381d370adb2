//go:build !unix

package fileowner

import "io/fs"

func is(fs.FileInfo, int) bool { return true }
