package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// gatedEngine is our engine as a program: "gated-engine ADDRESS" answers only after a byte
// from the address, and does not end with its input.
func gatedEngine() {
	gate, err := net.Dial("tcp", os.Args[1])
	if err != nil {
		panic(err)
	}
	if _, err := gate.Read(make([]byte, 1)); err != nil {
		panic(err)
	}
	server := uci.Server{Version: "gated", Options: engine.Options{Threads: 1, HashMB: 1}}
	_ = server.Run(context.Background(), os.Stdin, os.Stdout)
	select {}
}

// programRig is an embedded Lichess with a game of a bot that was killed; it is the bot's
// turn at its second move.
type programRig struct {
	*testing.T
	server      *lichesstest.Server
	environment []string
	dir, game   string
}

// newProgramRig plays the first moves with a contender's own search.
func newProgramRig(t *testing.T) *programRig {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	r := &programRig{T: t, server: s, dir: t.TempDir()}
	r.environment = []string{"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + s.AddBot("zhbot")}
	s.AddHuman("alice", lichesstest.Idle())
	s.AddHuman("bob", lichesstest.Idle())
	p := r.start("{name: old, weight: 1}")
	fixture.Until(t, "the bot is online", func() bool { return s.Online("zhbot") })
	r.game = s.Challenge("alice", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Color: "black"})
	fixture.Until(t, "the bot has moved", func() bool { return p.games("moved")[r.game] })
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	s.Perform(r.game, "alice", lichesstest.Action{Move: rules.NewMove(52, 36)}) // e7e5
	return r
}

// start starts the bot with a list of contenders.
func (r *programRig) start(contenders string) *process {
	r.Helper()
	path := filepath.Join(r.dir, "config.yaml")
	settings := fmt.Sprintf("web: {listen: \"\"}\ngames: {max: 2}\nlog: {level: debug}\nrecords: {dir: %s/records}\n"+
		"contenders: [%s]\nengine: {hash_mb: 1, max_nodes: 100, book: []}\n", r.dir, contenders)
	if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
		r.Fatal(err)
	}
	return startProcess(r, r.environment, "run", "--config", path)
}

// awaitMove waits until a bot that was started again has moved in the game.
func (r *programRig) awaitMove(p *process) {
	r.Helper()
	fixture.Until(r, "the bot moves after the restart", func() bool { return p.games("moved")[r.game] })
}

// accepts reports whether a challenge has become a game.
func (r *programRig) accepts(challenge string) bool {
	_, known := r.server.Game(challenge)
	return known
}

// After a restart the game goes on before any of the programs has answered; new games wait
// for them. The programs end with the bot, also if it is killed.
func TestRun_SlowPrograms(t *testing.T) {
	t.Parallel()
	r := newProgramRig(t)
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_ = l.SetDeadline(time.Now().Add(time.Minute))
	slow := "gated-engine " + l.Addr().String()
	p := r.start("{name: old, weight: 0, command: " + slow + "}, " +
		"{name: new, weight: 1, command: " + slow + ", options: [Threads=1]}, " +
		"{name: retired, weight: 0, command: /no/such/engine}")
	var gates []net.Conn
	for range 4 { // not those of the third one
		gate, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		gates = append(gates, gate)
	}
	r.awaitMove(p)
	challenge := r.server.Challenge("bob", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute})
	fixture.Until(t, "the challenge has arrived", func() bool { return strings.Contains(p.String(), challenge) })
	if r.accepts(challenge) {
		t.Error("a new game begins before the programs are ready")
	}
	for _, gate := range gates {
		if _, err := gate.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	fixture.Until(t, "a new game begins", func() bool { return r.accepts(challenge) })
	if strings.Contains(p.String(), "/no/such/engine") {
		t.Error("a program that no game needs is started")
	}
	_ = p.cmd.Process.Kill()
	for _, gate := range gates {
		_ = gate.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.Copy(io.Discard, gate); os.IsTimeout(err) {
			t.Error("a program outlives the bot")
		}
	}
}
