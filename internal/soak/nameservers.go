package soak

import (
	"cmp"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// nameServers are those that a child asks for the server's address: the first is dead, and
// the second can fail as well. A nil one stands for those of the system.
type nameServers struct {
	dead, second *lichesstest.NameServer
	folder       string // of the files that replace those in /etc
}

// The addresses of the name servers: a resolver asks port 53 only.
const (
	deadNameServer   = "127.77.0.1"
	secondNameServer = "127.77.0.2"
)

// startNameServers starts the name servers. Only root can, on Linux.
func startNameServers(folder string) (*nameServers, error) {
	if _, err := exec.LookPath("unshare"); err != nil {
		return nil, err
	}
	n := &nameServers{folder: folder}
	loopback := netip.MustParseAddr("127.0.0.1")
	var err1, err2 error
	n.dead, err1 = lichesstest.StartNameServer(deadNameServer+":53", loopback)
	n.second, err2 = lichesstest.StartNameServer(secondNameServer+":53", loopback)
	text := fmt.Sprintf("nameserver %s\nnameserver %s\noptions timeout:1\n", deadNameServer, secondNameServer)
	err := cmp.Or(err1, err2, os.WriteFile(filepath.Join(folder, "resolv.conf"), []byte(text), 0o600), os.WriteFile(filepath.Join(folder, "hosts"), nil, 0o600))
	if err == nil {
		err = exec.Command("unshare", "--mount", "true").Run() //nolint:noctx // it does nothing
	}
	if err != nil {
		n.Close()
		return nil, err
	}
	n.dead.SetSilent(true)
	return n, nil
}

// wrap returns a command line that runs another with these name servers.
func (n *nameServers) wrap(line string) string {
	if n == nil {
		return line
	}
	const script = `mount --bind "$0/resolv.conf" /etc/resolv.conf && mount --bind "$0/hosts" /etc/hosts && exec "$@"`
	return fmt.Sprintf("unshare --mount sh -c '%s' '%s' %s", script, n.folder, line)
}

// Close stops the name servers.
func (n *nameServers) Close() {
	for _, server := range []*lichesstest.NameServer{n.dead, n.second} {
		if server != nil {
			server.Close()
		}
	}
}
