// Package term writes to terminals: progress bars, prompts, and text stripped of
// control characters.
package term

import (
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Is reports whether what is written to w appears on a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Printable returns a text from a file or the network without control characters, line
// separators and the right-to-left override.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u202e' {
			return -1
		}
		return r
	}, s)
}

// Short returns a name from elsewhere as it can be shown anywhere: without what is not
// printable, and cut to a number of characters.
func Short(name string, limit int) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > limit {
		name = string(runes[:limit])
	}
	return strings.TrimSpace(name)
}
