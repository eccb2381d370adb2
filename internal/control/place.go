package control

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file"
)

// Place is the address at which a bot with certain settings is controlled.
type Place struct {
	socket  string // path of the Unix socket; "" for a port
	address string // host:port to listen at
	file    string // that has the port and the secret
	private string // folder that only its owner may enter; "" if that does not matter
}

// ErrOff means that the settings disable control.
var ErrOff = errors.New("ctl.listen is empty, so the bot cannot be controlled")

// PlaceOf returns the place of the settings, or ErrOff.
func PlaceOf(c *config.Config) (Place, error) {
	listen := c.Ctl.Listen
	switch {
	case listen == "":
		return Place{}, ErrOff
	case listen == config.CtlAuto && runtime.GOOS == "windows":
		return portPlace(c, "127.0.0.1:0")
	case listen == config.CtlAuto:
		return socketPlace(c)
	case !config.IsPath(listen):
		return portPlace(c, listen)
	}
	path, err := filepath.Abs(listen)
	if err != nil {
		return Place{}, fmt.Errorf("ctl.listen: %w", err)
	}
	if tooLong(path) {
		return Place{}, fmt.Errorf("ctl.listen: %s is too long for a socket, whose path may have about %d bytes", path, maxSocket)
	}
	return Place{socket: path}, nil
}

// The names of the files in the folder of records.
const (
	socketFile = "ctl.sock"
	secretFile = "ctl.secret"
)

// maxSocket is the longest path of a socket on the systems that we know.
const maxSocket = 103

// tooLong reports whether a path is too long for a socket, or the one in the same folder
// to which it is first bound.
func tooLong(path string) bool {
	return max(len(path), len(filepath.Dir(path))+len("/.ctl-0123456789/ctl")) > maxSocket
}

// socketPlace is a socket in the folder of records, or in the runtime directory where
// that path is too long or there are no records.
func socketPlace(c *config.Config) (Place, error) {
	dir, private, name, err := home(c, socketFile)
	if err == nil && private == "" && tooLong(filepath.Join(dir, name)) {
		dir, private, name, err = runtimeHome(c, socketFile)
	}
	if err != nil {
		return Place{}, err
	}
	return Place{socket: filepath.Join(dir, name), private: private}, nil
}

// portPlace is a loopback port, with a secret file next to the records.
func portPlace(c *config.Config, address string) (Place, error) {
	dir, private, name, err := home(c, secretFile)
	if err != nil {
		return Place{}, err
	}
	return Place{address: address, file: filepath.Join(dir, name), private: private}, nil
}

// home returns where a file with a name is, by default.
func home(c *config.Config, name string) (dir, private, file string, err error) {
	if c.Records.Dir == "" {
		return runtimeHome(c, name)
	}
	dir, err = filepath.Abs(c.Records.Dir)
	return dir, "", name, err
}

// runtimeHome returns a folder of the user for files that do not outlive the machine's
// next start, and a name there for the bot with the settings.
func runtimeHome(c *config.Config, name string) (dir, private, file string, err error) {
	dir = filepath.Join(os.TempDir(), "zhbot-"+strconv.Itoa(os.Getuid()))
	if runtimeDir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtimeDir) {
		dir = filepath.Join(runtimeDir, "zhbot")
	}
	records := c.Records.Dir
	if records != "" {
		if records, err = filepath.Abs(records); err != nil {
			return "", "", "", err
		}
	}
	// Without records the page's address tells two bots apart.
	sum := sha256.Sum256([]byte(cmp.Or(records, c.Lichess.URL+" "+c.Web.Listen)))
	return dir, dir, hex.EncodeToString(sum[:4]) + "-" + name, nil
}

// String describes the place.
func (p Place) String() string { return cmp.Or(p.socket, p.file) }

// checkPrivate returns an error unless a folder is the user's own and closed to others.
func (p Place) checkPrivate() error {
	if p.private == "" {
		return nil
	}
	info, err := os.Lstat(p.private)
	if err != nil {
		return err
	}
	if !info.IsDir() || !file.IsOwnedBy(info, os.Getuid()) || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s should be a folder that only its owner can open; set ctl.listen to a path in another folder", p.private)
	}
	return nil
}
