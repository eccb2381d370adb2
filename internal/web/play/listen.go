package play

import (
	"context"
	"net"
	"net/netip"

	"github.com/zhbot/zhbot/internal/web"
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
	here = web.LocalURL(listening.String())
	at, err := netip.ParseAddrPort(listening.String())
	if err != nil || !at.Addr().IsUnspecified() {
		return here, nil
	}
	own, _ := net.InterfaceAddrs() // they are only shown
	for _, a := range own {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Is4() &&
			!prefix.Addr().IsLoopback() {
			elsewhere = append(elsewhere, "http://"+netip.AddrPortFrom(prefix.Addr(), at.Port()).String())
		}
	}
	return here, elsewhere
}
