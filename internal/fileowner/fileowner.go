// Package fileowner knows whether a file belongs to a user.
package fileowner

import "io/fs"

// Is reports whether a file belongs to the user with an id. Where files have no such ids,
// as on Windows, every file does.
func Is(info fs.FileInfo, uid int) bool { return is(info, uid) }
