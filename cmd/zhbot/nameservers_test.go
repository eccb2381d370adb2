//go:build realclock

package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// The name servers of the namespace in which "make nameservers" runs this test.
const (
	deadNameServer   = "127.77.0.1:53"
	secondNameServer = "127.77.0.2:53"
)

// openConns are connections that can be cut.
type openConns struct {
	mu    sync.Mutex
	conns []net.Conn
}

func (c *openConns) add(conn net.Conn) net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns = append(c.conns, conn)
	return conn
}

func (c *openConns) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		_ = conn.Close() // an error if it is closed already
	}
	c.conns = nil
}

// The bot comes online although the first name server is dead, and plays on when
// connections are lost after the second one has died as well.
func TestNameServers_Dead(t *testing.T) {
	dead, second := startNameServer(t, deadNameServer), startNameServer(t, secondNameServer)
	dead.silent.Store(true)
	open := new(openConns)
	known := httptest.NewTLSServer(nil) // its certificate is for example.com
	t.Cleanup(known.Close)
	s := lichesstest.NewServer(t, lichesstest.Options{TLS: known.TLS, WrapConn: open.add})
	token := s.AddBot("zhbot")
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	resists := lichesstest.Searching(func(ctx context.Context, turn lichesstest.Turn) (rules.Move, error) {
		r, err := e.Search(ctx, turn.Game, engine.Limits{Nodes: 1000}, nil)
		return r.Move, err
	})
	s.AddHuman("alice", lichesstest.After(10, lichesstest.Slow(resists, 300*time.Millisecond), lichesstest.Random(2)))
	address, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, []string{
		"ZHBOT_LICHESS_URL=https://example.com:" + address.Port(), "ZHBOT_LICHESS_TOKEN=" + token,
		"SSL_CERT_FILE=" + saveCertificate(t, known.Certificate()), "NO_PROXY=*", "ZHBOT_RECORDS_DIR=" + t.TempDir(),
		"ZHBOT_ENGINE_HASH_MB=16", "ZHBOT_ENGINE_MAX_NODES=1000", "ZHBOT_WEB_LISTEN=",
	}, "run")
	fixture.Until(t, "the bot is online", func() bool { return s.Online("zhbot") })
	id := s.Challenge("alice", "zhbot", lichesstest.ChallengeSpec{Limit: time.Minute, Color: "white"})
	fixture.Until(t, "the bot plays", func() bool { return s.Audit("zhbot").Moves > 0 })
	second.silent.Store(true)
	for range 3 {
		open.cut()
		moves := s.Audit("zhbot").Moves
		fixture.Until(t, "another move", func() bool { return s.Audit("zhbot").Moves > moves+1 })
	}
	var game lichesstest.Result
	fixture.Until(t, "the game ends", func() bool { game, _ = s.Game(id); return game.Status.Over() })
	if game.Status != "mate" || game.BlackAbsent > 3*time.Second {
		t.Errorf("ended by %s, absent for %s:\n%s", game.Status, game.BlackAbsent, p.String())
	}
	t.Logf("absent for %s", game.BlackAbsent.Round(time.Millisecond))
	if err := p.signalAndWait(t, syscall.SIGTERM); err != nil {
		t.Errorf("drained with %v:\n%s", err, p.String())
	}
}

// saveCertificate saves the certificate of a server, which signs itself, to be trusted.
func saveCertificate(t *testing.T, c *x509.Certificate) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}
	fixture.Write(t, path, pem.EncodeToMemory(block))
	return path
}
