package play

import (
	"context"
	"net"
	"net/netip"
	"strings"
)

// Listen listens at an address. If that is impossible, as when its port is taken, any other
// port will do if anyPort is true.
func Listen(ctx context.Context, address string, anyPort bool) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	host, _, splitErr := net.SplitHostPort(address)
	if err == nil || !anyPort || splitErr != nil {
		return l, err
	}
	if l, otherErr := config.Listen(ctx, "tcp", net.JoinHostPort(host, "0")); otherErr == nil {
		return l, nil
	}
	return nil, err
}

// URLs returns the URL of a page on this machine and, if it listens on all addresses, those
// for others in the same network.
func URLs(listening net.Addr) (here string, elsewhere []string) {
	host, port, err := net.SplitHostPort(listening.String())
	if err != nil {
		return "http://" + listening.String(), nil
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsUnspecified() {
		return "http://" + net.JoinHostPort(strings.ToLower(host), port), nil
	}
	own, err := net.InterfaceAddrs()
	if err != nil { // they are only shown
		own = nil
	}
	for _, a := range own {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Is4() && !prefix.Addr().IsLoopback() {
			elsewhere = append(elsewhere, "http://"+net.JoinHostPort(prefix.Addr().String(), port))
		}
	}
	return "http://127.0.0.1:" + port, elsewhere
}
