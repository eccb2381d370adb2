package lichesstest

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"golang.org/x/net/dns/dnsmessage"
)

// NameServer is a name server on UDP that knows one address for every name.
type NameServer struct {
	conn   net.PacketConn
	answer dnsmessage.AResource
	silent atomic.Bool
	wg     sync.WaitGroup
}

// StartNameServer starts a name server at a UDP address, such as "127.0.0.1:0". The caller
// closes it.
func StartNameServer(addr string, answer netip.Addr) (*NameServer, error) {
	conn, err := new(net.ListenConfig).ListenPacket(context.Background(), "udp", addr)
	if err != nil {
		return nil, fmt.Errorf("start name server: %w", err)
	}
	n := &NameServer{conn: conn, answer: dnsmessage.AResource{A: answer.As4()}}
	n.wg.Go(n.serve)
	return n, nil
}

// Addr returns the address of the name server.
func (n *NameServer) Addr() string { return n.conn.LocalAddr().String() }

// SetSilent makes the name server receive queries without answering them, or ends that.
func (n *NameServer) SetSilent(silent bool) { n.silent.Store(silent) }

// Close stops the name server.
func (n *NameServer) Close() {
	_ = n.conn.Close()
	n.wg.Wait()
}

func (n *NameServer) serve() {
	query := make([]byte, 512)
	for {
		size, from, err := n.conn.ReadFrom(query)
		if err != nil {
			return
		}
		if reply, err := n.reply(query[:size]); err == nil && !n.silent.Load() {
			_, _ = n.conn.WriteTo(reply, from) // a lost reply is asked for again
		}
	}
}

// reply answers a query: with the address if it asks for one of IPv4, else with nothing.
func (n *NameServer) reply(query []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return nil, err
	}
	m.Header = dnsmessage.Header{
		ID: m.ID, Response: true, RecursionDesired: m.RecursionDesired, RecursionAvailable: true,
	}
	m.Answers, m.Additionals = nil, nil
	for _, q := range m.Questions {
		if q.Type == dnsmessage.TypeA {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}, Body: &n.answer,
			})
		}
	}
	return m.Pack()
}
