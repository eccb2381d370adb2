package uci

import (
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine"
)

// A search that panics is reported, and answered by a move all the same.
func TestServer_SearchPanics(t *testing.T) {
	s := Server{Version: "test", Options: engine.Options{Threads: 1, HashMB: 1, Network: new(engine.Network)}}
	var out strings.Builder
	if err := s.Run(t.Context(), strings.NewReader("position startpos\ngo depth 3\n"), &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "panic while searching") || !strings.Contains(text, "\nbestmove ") {
		t.Errorf("answered:\n%s", text)
	}
}
