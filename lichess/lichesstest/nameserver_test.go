package lichesstest_test

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestNameServer(t *testing.T) {
	server, err := lichesstest.StartNameServer("127.0.0.1:0", netip.MustParseAddr("127.0.0.9"))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Addr())
	}}
	found, err := resolver.LookupHost(t.Context(), "lichess.test.")
	if err != nil || !slices.Equal(found, []string{"127.0.0.9"}) {
		t.Errorf("found %v, %v", found, err)
	}
	server.SetSilent(true)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if found, err := resolver.LookupHost(ctx, "lichess.test."); err == nil {
		t.Errorf("a silent server: %v", found)
	}
}
