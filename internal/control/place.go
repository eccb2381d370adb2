package control

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file"
)

// Place is where a bot with certain settings is controlled.
type Place struct {
	path    string // of the Unix socket, or of the file with the port and its secret
	address string // host:port to listen at; "" for a socket
	private string // folder that only its owner may enter; "" if that does not matter
}

// ErrOff means that the settings disable control.
var ErrOff = errors.New("ctl.listen is empty, so the bot cannot be controlled")

// maxSocket is the longest path of a socket on the systems that we know.
const maxSocket = 103

// PlaceOf returns the place of the settings, or ErrOff. Its file is in the folder of
// records or, where a socket's path would be too long or there are no records, in a folder
// of the user for what does not outlive the machine's next start.
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
		if p.path, err = filepath.Abs(listen); err == nil && tooLong(p.path) {
			err = fmt.Errorf("%s is too long for a socket, whose path may have about %d bytes", p.path, maxSocket)
		}
		if err != nil {
			return Place{}, fmt.Errorf("ctl.listen: %w", err)
		}
		return p, nil
	}
	// Without records the page's address tells two bots apart.
	identity := c.Lichess.URL + " " + c.Web.Listen
	if c.Records.Dir != "" {
		if identity, err = filepath.Abs(c.Records.Dir); err != nil {
			return Place{}, err
		}
		p.path = filepath.Join(identity, name)
		if p.address != "" || !tooLong(p.path) {
			return p, nil
		}
	}
	p.private = filepath.Join(os.TempDir(), "zhbot-"+strconv.Itoa(os.Getuid()))
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		p.private = filepath.Join(dir, "zhbot")
	}
	sum := sha256.Sum256([]byte(identity))
	p.path = filepath.Join(p.private, fmt.Sprintf("%x-%s", sum[:4], name))
	return p, nil
}

// tooLong reports whether a path is too long for a socket, or the one in the same folder
// to which it is first bound.
func tooLong(path string) bool {
	return max(len(path), len(filepath.Dir(path))+len("/.ctl-0123456789/ctl")) > maxSocket
}

// String describes the place.
func (p Place) String() string { return p.path }

// checkPrivate returns an error unless a folder is the user's own and closed to others.
func (p Place) checkPrivate() error {
	if p.private == "" {
		return nil
	}
	info, err := os.Lstat(p.private)
	if err != nil {
		return err
	}
	isOpen := runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
	if !info.IsDir() || !file.IsOwnedBy(info, os.Getuid()) || isOpen {
		return fmt.Errorf("%s should be a folder that only its owner can open; "+
			"set ctl.listen to a path in another folder", p.private)
	}
	return nil
}
