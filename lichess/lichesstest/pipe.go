package lichesstest

import (
	"context"
	"net"
	"syscall"
)

// pipeListener listens in memory, so that a server and its clients can live in a bubble
// of testing/synctest, whose clock stands still while one of them computes.
type pipeListener struct {
	conns chan net.Conn
	open  context.Context
	close context.CancelFunc
}

func newPipeListener() *pipeListener {
	l := &pipeListener{conns: make(chan net.Conn)}
	l.open, l.close = context.WithCancel(context.Background())
	return l
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.open.Done():
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.close()
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 64} }

// Dial connects to a server that listens in memory, whatever the address.
func (s *Server) Dial(ctx context.Context, network, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case s.pipe.conns <- server:
		return client, nil
	case <-s.pipe.open.Done():
		return nil, &net.OpError{Op: "dial", Net: network, Addr: s.pipe.Addr(), Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
