// Package fileowner reports and preserves the owner of a file.
package fileowner

import (
	"io/fs"
	"os"
)

// Is reports whether a file belongs to the user with an id. Where files have no such
// owners, as on Windows, it is always true.
func Is(info fs.FileInfo, uid int) bool { return is(info, uid) }

// Keep gives a new file the owner of the one at path, which it is to replace, or of the
// folder if there is none. Only root can, and needs to: a service that runs as another user
// must be able to write its files after root has changed them.
func Keep(f *os.File, path string) error { return keep(f, path) }
