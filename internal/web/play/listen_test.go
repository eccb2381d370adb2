package play

import (
	"net"
	"slices"
	"strings"
	"testing"
)

// If the usual port is taken another will do, but not if it was asked for.
func TestListen(t *testing.T) {
	taken, err := Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if l, err := Listen(t.Context(), taken.Addr().String(), false); err == nil {
		l.Close()
		t.Error("listens at a port that is taken")
	}
	l, err := Listen(t.Context(), taken.Addr().String(), true)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := Listen(t.Context(), "nonsense", true); err == nil {
		t.Error("listens at nonsense")
	}
}

func TestURLs(t *testing.T) {
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	own = slices.DeleteFunc(own, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return !ok || n.IP.IsLoopback() || n.IP.To4() == nil
	})
	for address, want := range map[string]string{
		"127.0.0.1:8081": "http://127.0.0.1:8081", "[::1]:8081": "http://[::1]:8081",
		"0.0.0.0:8081": "http://127.0.0.1:8081", "[::]:8081": "http://127.0.0.1:8081",
	} {
		a, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		here, elsewhere := URLs(a)
		others := len(own)
		if a.IP.IsLoopback() {
			others = 0
		}
		if here != want || len(elsewhere) != others {
			t.Errorf("%s: here %s, elsewhere %s", address, here, elsewhere)
		}
		for _, url := range elsewhere {
			if !strings.HasSuffix(url, ":8081") || strings.Contains(url, "127.0.0.1") {
				t.Errorf("%s: elsewhere %s", address, url)
			}
		}
	}
}
