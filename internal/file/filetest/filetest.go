// Package filetest reads and writes the files of tests, which fail where that fails.
package filetest

import (
	"os"
	"testing"
)

// Write writes a file that only its owner can read.
func Write[Text string | []byte](t testing.TB, path string, text Text) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Read returns the content of a file.
func Read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
