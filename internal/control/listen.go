package control

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"

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
	if p.socket == "" {
		return p.listenPort(ctx)
	}
	l, err = p.listenSocket(ctx)
	return l, "", err
}

// isLive reports whether there is a bot at the place, even one that hangs.
func (p Place) isLive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	c, err := p.client()
	if err != nil {
		return false
	}
	return c.ping(ctx) == nil || ctx.Err() != nil
}

// listenSocket binds a socket in a folder that nobody else can enter, and moves it to its
// place when only its owner can open it.
func (p Place) listenSocket(ctx context.Context) (net.Listener, error) {
	switch info, err := os.Lstat(p.socket); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s exists and is not a socket; set ctl.listen to another path", p.socket)
	}
	dir, err := os.MkdirTemp(filepath.Dir(p.socket), ".ctl-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "ctl")
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if unix, ok := l.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // it will be elsewhere
	}
	info, err := os.Lstat(path)
	if err == nil {
		err = errors.Join(os.Chmod(path, 0o600), os.Rename(path, p.socket))
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &removing{Listener: l, remove: func() { removeSame(p.socket, info) }}, nil
}

// removeSame removes a file, unless it is another one by now.
func removeSame(path string, was fs.FileInfo) {
	if now, err := os.Lstat(path); err == nil && os.SameFile(was, now) {
		_ = os.Remove(path)
	}
}

// removing is a listener that removes a file when it is closed.
type removing struct {
	net.Listener
	once   sync.Once
	remove func()
}

// Close implements net.Listener.
func (r *removing) Close() error {
	r.once.Do(r.remove)
	return r.Listener.Close()
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
	text, err := json.Marshal(s)
	if err == nil {
		err = file.Replace(p.file, append(text, '\n'), 0o600, (*os.File).Sync)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Lstat(p.file)
	}
	if err != nil {
		return nil, "", errors.Join(err, l.Close())
	}
	return &removing{Listener: l, remove: func() { removeSame(p.file, info) }}, s.Secret, nil
}

// readSecrets reads the secret file of a port.
func readSecrets(path string) (s secrets, err error) {
	text, err := os.ReadFile(path)
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
