//go:build !unix

package config

import "io/fs"

func isOwnedBy(fs.FileInfo, int) bool { return true }
