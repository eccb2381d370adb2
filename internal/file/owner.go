package file

import (
	"io/fs"
	"os"
)

// IsOwnedBy reports whether a file belongs to the user with an id. Where files have no such
// owners, as on Windows, it is always true.
func IsOwnedBy(info fs.FileInfo, uid int) bool { return isOwnedBy(info, uid) }

// KeepOwner gives a new file the owner of the one at path, which it is to replace, or of the
// folder if there is none. Only root can, and needs to: a service that runs as another user
// must be able to write its files after root has changed them.
func KeepOwner(f *os.File, path string) error { return keepOwner(f, path) }
