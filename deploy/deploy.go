// Package deploy embeds the deployment files that the program itself writes.
package deploy

import _ "embed"

// SystemUnit is the systemd unit of a system service.
//
//go:embed zhbot.service
var SystemUnit string

// UserUnit is the systemd unit of a user service.
//
//go:embed zhbot-user.service
var UserUnit string
