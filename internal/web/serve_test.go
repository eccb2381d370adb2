package web

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// However many connections are silent, halfway through a request or idle after one, requests
// are answered, and viewers stay. The page can be served again after its context has ended.
func TestPage_Serve(t *testing.T) {
	var floods atomic.Int32
	p := testPage(t, func(bool) (any, <-chan struct{}) { return floods.Load(), nil })
	var closed net.Listener
	for range 2 {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- p.Serve(ctx, l) }()
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		viewer, err := client.Get("http://" + l.Addr().String() + "/api/stream")
		if err != nil {
			t.Fatal(err)
		}
		defer viewer.Body.Close()
		for i := range 3 * maxConnections {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, []string{"", "GET / HTTP/1.1\r\nHost: ",
				"GET /robots.txt HTTP/1.1\r\nHost: localhost\r\n\r\n"}[i%3])
		}
		client.Timeout = headerTimeout - time.Second // others may take so long for their headers
		answer, err := client.Get("http://" + l.Addr().String() + "/robots.txt")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		lines := bufio.NewScanner(viewer.Body)
		floods.Add(1)
		for range 6 { // two events
			if !lines.Scan() {
				t.Fatalf("the stream has ended: %v", lines.Err())
			}
		}
		stop()
		if err := <-served; err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("status %d, served until the end with %v", answer.StatusCode, err)
		}
		closed = l
	}
	if err := p.Serve(t.Context(), closed); err == nil {
		t.Error("served on a closed listener")
	}
}

func TestLocalURL(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", ":8080": "http://127.0.0.1:8080",
		"0.0.0.0:8080": "http://127.0.0.1:8080",
		"[::]:8080":    "http://127.0.0.1:8080", "[::1]:8080": "http://[::1]:8080", "Bot.lan:80": "http://bot.lan:80",
	} {
		if got := LocalURL(address); got != want {
			t.Errorf("%s is asked at %s, want %s", address, got, want)
		}
	}
}
