package bot

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// tlsServer is how a server receives new TLS connections.
type tlsServer struct {
	roots       *x509.CertPool
	certificate atomic.Pointer[tls.Certificate] // nil to break off
	mu          sync.Mutex
	conns       []net.Conn
}

func newTLSServer(t *testing.T) *tlsServer {
	s := &tlsServer{roots: x509.NewCertPool()}
	s.certificate.Store(s.sign(t, valid))
	return s
}

// The certificates of the server, and of one that answers in its place.
var (
	loopback = []net.IP{net.IPv4(127, 0, 0, 1)}
	valid    = x509.Certificate{NotAfter: time.Now().Add(time.Hour), IPAddresses: loopback}
	expired  = x509.Certificate{NotAfter: time.Now().Add(-time.Minute), IPAddresses: loopback}
	foreign  = x509.Certificate{NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"portal.example"}}
)

// sign returns a certificate that signs itself.
func (s *tlsServer) sign(t *testing.T, template x509.Certificate) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, template.Subject = big.NewInt(1), pkix.Name{CommonName: "lichesstest"}
	template.NotBefore = template.NotAfter.Add(-2 * time.Hour)
	template.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign
	template.IsCA, template.BasicConstraintsValid = true, true
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	s.roots.AddCert(leaf)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// newRig returns a rig with the server.
func (s *tlsServer) newRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, lichesstest.Options{
		KeepAlive: 100 * time.Millisecond,
		// Without tickets, for a resumed session shows no certificate.
		TLS: &tls.Config{MinVersion: tls.VersionTLS12, SessionTicketsDisabled: true,
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
				if c := s.certificate.Load(); c != nil {
					return c, nil
				}
				return nil, errors.New("fault injection")
			}},
		WrapConn: func(conn net.Conn) net.Conn {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.conns = append(s.conns, conn)
			return conn
		},
	})
	r.change = func(o *lichess.Options) {
		o.RootCAs, o.StreamIdle, o.RetryFor = s.roots, time.Second, 300*time.Millisecond
	}
	return r
}

// cut ends the connections; new ones see another certificate.
func (s *tlsServer) cut(c *tls.Certificate) {
	s.certificate.Store(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		_ = conn.Close() // an error if it is closed already
	}
	s.conns = nil
}

// TLS handshakes that fail, at the start and in the middle of a game, are explained and
// tried again until they succeed.
func TestRun_HandshakeFails(t *testing.T) {
	for name, tt := range map[string]struct {
		certificate *x509.Certificate // nil to break off
		want        string
	}{
		"expired": {&expired, "is this machine's clock right?"},
		"foreign": {&foreign, "another server answers in its place"},
		"fails":   {nil, "tls: internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTLSServer(t)
			good, bad := s.certificate.Load(), (*tls.Certificate)(nil)
			if tt.certificate != nil {
				bad = s.sign(t, *tt.certificate)
			}
			s.certificate.Store(bad)
			r := s.newRig(t)
			r.AddHuman("alice", peaceful(60, 2*time.Millisecond))
			go func() {
				defer s.certificate.Store(good)
				for end := time.Now().Add(patience); r.log.Count(tt.want) == 0 && time.Now().Before(end); {
					time.Sleep(time.Millisecond)
				}
			}()
			bot := r.start(func(b *setup) {
				b.opts.Engine, b.timing.games.Stream.FirstEvent.Initial = &fakeEngine{peace: 60}, 500*time.Millisecond
			})
			if bot.ended() {
				t.Fatalf("the bot ended with %v", bot.err)
			}
			id := r.challenge("alice", "")
			r.plies(id, 4)
			s.cut(bad)
			r.until(tt.want, func() bool {
				return slices.ContainsFunc(seen[event.StreamLost](r), func(e event.StreamLost) bool {
					return e.Err != nil && strings.Contains(e.Err.Error(), tt.want)
				})
			})
			s.certificate.Store(good)
			r.fault("hole x1", "cut x1") // beneath TLS
			r.mated(id)
		})
	}
}
