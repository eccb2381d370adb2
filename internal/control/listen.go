package control

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/zhbot/zhbot/internal/file"
)

// ErrInUse means that another bot listens at a place.
var ErrInUse = errors.New("another bot listens there; give this one its own ctl.listen")

// listen listens at the place. What a bot that was killed has left there is replaced. The
// secret is that which clients must send, "" if they need none.
func (p Place) listen(ctx context.Context) (l net.Listener, secret string, err error) {
	if p.private != "" {
		if err := os.MkdirAll(p.private, 0o700); err != nil {
			return nil, "", err
		}
	}
	if err := p.checkPrivate(); err != nil {
		return nil, "", err
	}
	if p.isLive(ctx) {
		return nil, "", fmt.Errorf("%s: %w", p, ErrInUse)
	}
	if p.address == "" {
		l, err = p.listenSocket()
		return l, "", err
	}
	return p.listenPort(ctx)
}

// pingTimeout is the time within which a bot answers, unless it hangs.
const pingTimeout = 2 * time.Second

// isLive reports whether there is a bot at the place, even one that hangs.
func (p Place) isLive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	answer, err := p.send(ctx, http.MethodGet, pingPath, nil)
	if err != nil {
		return ctx.Err() != nil
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusNoContent
}

// listenSocket binds a socket in a folder that nobody else can enter, and moves it to its
// place when only its owner can open it.
func (p Place) listenSocket() (net.Listener, error) {
	switch info, err := os.Lstat(p.path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s exists and is not a socket; set ctl.listen to another path", p.path)
	}
	dir, err := os.MkdirTemp(filepath.Dir(p.path), ".ctl-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "ctl")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it will be elsewhere
	if err := errors.Join(os.Chmod(path, 0o600), os.Rename(path, p.path)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// secrets is the content of the secret file of a port.
type secrets struct {
	Address string `json:"address"`
	Secret  string `json:"secret"`
}

// listenPort listens at a port, and writes it to the file with a new secret.
func (p Place) listenPort(ctx context.Context) (net.Listener, string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", p.address)
	if err != nil {
		return nil, "", err
	}
	s := secrets{Address: l.Addr().String(), Secret: rand.Text()}
	if err := file.WriteJSON(p.path, s, 0o600); err != nil {
		return nil, "", errors.Join(err, l.Close())
	}
	return l, s.Secret, nil
}

// readSecrets reads the secret file of a port.
func readSecrets(path string) (s secrets, err error) {
	text, err := file.ReadRegular(path, file.MaxSize)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	host, _, err := net.SplitHostPort(s.Address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return s, fmt.Errorf("%s: %q is not an address of this machine", path, s.Address)
	}
	return s, nil
}
