package external_test

import (
	"context"
	"fmt"
	"io"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/rules"
)

// connection joins two pipes. A program is started with [external.StartProcess] instead.
type connection struct {
	io.Reader
	io.WriteCloser
}

// A server of this module is played with over pipes.
func ExampleNew() {
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	go func() {
		server := uci.Server{Options: engine.Options{Threads: 1, HashMB: 1}}
		serverOut.CloseWithError(server.Run(context.Background(), serverIn, serverOut))
	}()

	ctx := context.Background()
	e, err := external.New(ctx, connection{fromServer, toServer}, external.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	p, err := rules.ParseFEN("6rk/6pp/8/8/8/8/8/K7/N w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := e.NewGame(ctx); err != nil {
		fmt.Println(err)
		return
	}
	r, err := e.Search(ctx, rules.NewGame(p), engine.Limits{Depth: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.SAN(r.Move), r.Info.Score)
	// Output: N@f7# mate 1
}
