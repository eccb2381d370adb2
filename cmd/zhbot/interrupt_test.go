package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// execute runs a command line in this process and returns what it has written.
func execute(ctx context.Context, in io.Reader, args ...string) (output string, err error) {
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(&out)
	root.SetErr(&out)
	err = root.ExecuteContext(ctx)
	return out.String(), err
}

// A signal ends work that would take years, and says so.
func TestCommands_Interrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"perft", "20"}, {"perft", "--divide", "20"}, {"bench", "--depth", "60"}} {
		output, err := execute(ctx, nil, args...)
		if err == nil || err.Error() != args[0]+": interrupted" {
			t.Errorf("%s: error %v, output %q", args, err, output)
		}
	}
}

// cancelOnText cancels a context when a text is written.
type cancelOnText struct {
	text   string
	cancel context.CancelFunc
}

func (c cancelOnText) Write(b []byte) (int, error) {
	if strings.Contains(string(b), c.text) {
		c.cancel()
	}
	return len(b), nil
}

// A signal while upgrade waits for an answer means no.
func TestUpgrade_InterruptedAtTheQuestion(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	t.Setenv("ZHBOT_LICHESS_URL", s.URL())
	t.Setenv("ZHBOT_LICHESS_TOKEN", s.AddUser("Tester", "", "bot:play"))
	ctx, cancel := context.WithCancel(t.Context())
	in, closeInput := io.Pipe() // nobody ever answers
	defer closeInput.Close()
	root := newRoot()
	root.SetArgs([]string{"upgrade"})
	root.SetIn(in)
	root.SetOut(cancelOnText{text: "NOT be undone", cancel: cancel})
	if err := root.ExecuteContext(ctx); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("error %v", err)
	}
}
