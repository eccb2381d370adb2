//go:build realclock

package main

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer is a name server on UDP.
type nameServer struct {
	conn   net.PacketConn
	silent atomic.Bool // it receives queries without answering them
	wg     sync.WaitGroup
}

// startNameServer starts a name server at a UDP address, which says that every host is this
// machine.
func startNameServer(t *testing.T, addr string) *nameServer {
	t.Helper()
	conn, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	n := &nameServer{conn: conn}
	n.wg.Go(n.serve)
	t.Cleanup(func() {
		_ = conn.Close() // which ends serve
		n.wg.Wait()
	})
	return n
}

func (n *nameServer) serve() {
	query := make([]byte, 512)
	for {
		size, from, err := n.conn.ReadFrom(query)
		if err != nil {
			return
		}
		if reply, err := replyTo(query[:size]); err == nil && !n.silent.Load() {
			_, _ = n.conn.WriteTo(reply, from) // a lost reply is asked for again
		}
	}
}

// replyTo answers a query: with the address if it asks for one of IPv4, else with nothing.
func replyTo(query []byte) ([]byte, error) {
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
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			})
		}
	}
	return m.Pack()
}
