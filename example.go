// Package zhbot holds the file that explains the settings. The program is in cmd/zhbot.
package zhbot

import _ "embed"

// Example is a config file that explains every setting and sets it to its default.
//
//go:embed config.example.yaml
var Example string
