package app

import (
	"path/filepath"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/config"
)

// BlocklistOptions returns options that keep a copy of the block list with the records.
func BlocklistOptions(c *config.Config) challenge.BlocklistOptions {
	o := challenge.BlocklistOptions{Agent: UserAgent()}
	if c.Records.Dir != "" {
		o.Cache = filepath.Join(c.Records.Dir, "blocklist.json")
	}
	return o
}
