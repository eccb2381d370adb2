package uci_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/uci"
)

func ExampleServer_Run() {
	server := uci.Server{Version: "1.0", Options: engine.Options{Threads: 1, HashMB: 1}}
	commands := strings.NewReader("isready\nposition startpos moves e2e4\ngo perft 1\nquit\n")
	if err := server.Run(context.Background(), commands, lastLine{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// readyok
	// Nodes searched: 20
}

// lastLine prints readyok and the sum of a perft, and drops the other lines.
type lastLine struct{}

func (lastLine) Write(line []byte) (int, error) {
	if text := strings.TrimSpace(string(line)); text == "readyok" || strings.HasPrefix(text, "Nodes") {
		fmt.Fprintln(os.Stdout, text)
	}
	return len(line), nil
}
