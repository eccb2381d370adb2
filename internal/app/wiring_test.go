package app

import (
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/config"
)

// The block list is kept with the records.
func TestBlocklistOptions(t *testing.T) {
	c := config.Default()
	for dir, want := range map[string]string{"there": filepath.Join("there", "blocklist.json"), "": ""} {
		c.Records.Dir = dir
		if got := BlocklistOptions(&c).Cache; got != want {
			t.Errorf("with records in %q the list is kept in %q", dir, got)
		}
	}
}
