// Package deploy has the files with which the bot is deployed, as far as the program
// itself writes them.
package deploy

import _ "embed"

// SystemUnit is the systemd unit of a service of the whole machine.
//
//go:embed zhbot.service
var SystemUnit string

// UserUnit is the systemd unit of a user's own service.
//
//go:embed zhbot-user.service
var UserUnit string
