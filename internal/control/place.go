package control

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/zhbot/zhbot/config"
)

// Place is where a bot with certain settings is controlled.
type Place struct {
	path    string // of the Unix socket, or of the file with the port and its secret
	address string // host:port to listen at; "" for a socket
}

// ErrOff means that the settings disable control.
var ErrOff = errors.New("ctl.listen is empty, so the bot cannot be controlled")

// maxSocket is the longest path of a socket on the systems that we know.
const maxSocket = 103

// PlaceOf returns the place of the settings, or ErrOff.
func PlaceOf(c *config.Config) (p Place, err error) {
	name := "ctl.secret"
	switch listen := c.Ctl.Listen; {
	case listen == "":
		return p, ErrOff
	case listen == config.CtlAuto && runtime.GOOS == "windows":
		p.address = "127.0.0.1:0"
	case listen == config.CtlAuto:
		name = "ctl.sock"
	case !config.IsPath(listen):
		p.address = listen
	default:
		p.path = listen
	}
	if p.path == "" {
		if c.Records.Dir == "" {
			return p, errors.New("ctl.listen: there is no folder of records for it; set it to the path of a socket")
		}
		p.path = filepath.Join(c.Records.Dir, name)
	}
	p.path, err = filepath.Abs(p.path)
	if err == nil && p.address == "" && tooLong(p.path) {
		err = fmt.Errorf("%s is too long for a socket, whose path may have about %d bytes; set it to another",
			p.path, maxSocket)
	}
	if err != nil {
		return Place{}, fmt.Errorf("ctl.listen: %w", err)
	}
	return p, nil
}

// tooLong reports whether a path is too long for a socket, or the one in the same folder
// to which it is first bound.
func tooLong(path string) bool {
	return max(len(path), len(filepath.Dir(path))+len("/.ctl-0123456789/ctl")) > maxSocket
}

// String describes the place.
func (p Place) String() string { return p.path }
