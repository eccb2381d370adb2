package lichesstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"sync/atomic"
	"time"
)

// Handshake is how a server in TLS mode receives new connections.
type Handshake int32

// The handshakes.
const (
	HandshakeValid   Handshake = iota
	HandshakeExpired           // its certificate has expired
	HandshakeForeign           // its certificate is another host's
	HandshakeFails             // it breaks off
)

// SetHandshake sets how the server receives new connections. Unless that is valid, they
// cannot resume earlier sessions, and connections end after a response.
func (s *Server) SetHandshake(h Handshake) {
	s.tls.handshake.Store(int32(h))
	s.http.SetKeepAlivesEnabled(h == HandshakeValid)
}

// CertPool returns the certificate pool to trust in TLS mode, nil otherwise.
func (s *Server) CertPool() *x509.CertPool { return s.tls.pool }

// tlsMode is what a server in TLS mode has.
type tlsMode struct {
	pool      *x509.CertPool
	configs   map[Handshake]*tls.Config
	handshake atomic.Int32
}

// start makes the certificates, and serves TLS on a listener.
func (m *tlsMode) start(on net.Listener) (net.Listener, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	m.pool, m.configs = x509.NewCertPool(), map[Handshake]*tls.Config{}
	loopback := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	for h, template := range map[Handshake]x509.Certificate{
		HandshakeValid:   {NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: loopback, DNSNames: []string{"localhost", "lichess.test"}},
		HandshakeExpired: {NotAfter: time.Now().Add(-time.Minute), IPAddresses: loopback},
		HandshakeForeign: {NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{"portal.example"}},
	} {
		certificate, err := selfSigned(key, template)
		if err != nil {
			return nil, fmt.Errorf("make certificate: %w", err)
		}
		m.pool.AddCert(certificate.Leaf)
		m.configs[h] = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, SessionTicketsDisabled: h != HandshakeValid}
	}
	return tls.NewListener(on, &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		if c := m.configs[Handshake(m.handshake.Load())]; c != nil {
			return c, nil
		}
		return nil, errors.New("fault injection")
	}}), nil
}

// selfSigned signs a certificate with its own key.
func selfSigned(key *ecdsa.PrivateKey, template x509.Certificate) (tls.Certificate, error) {
	template.SerialNumber, template.Subject = big.NewInt(1), pkix.Name{CommonName: "lichesstest"}
	template.NotBefore = time.Now().Add(-time.Hour)
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageDigitalSignature|x509.KeyUsageCertSign, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IsCA, template.BasicConstraintsValid = true, true
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := x509.ParseCertificate(der)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}
