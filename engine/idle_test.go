package engine

import (
	"context"
	"sync"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// However many searches wait for a thread at once, few workers are made and kept:
// each is large.
func TestEngine_FewIdleWorkers(t *testing.T) {
	e := New(Options{Threads: 2, HashMB: 1})
	var searches sync.WaitGroup
	for range 200 {
		searches.Go(func() {
			r, err := e.Search(context.Background(), rules.NewGame(rules.StartPosition()), Limits{Nodes: 200}, nil)
			if err != nil || r.Move == rules.NoMove {
				t.Errorf("%v, %v", r.Move, err)
			}
		})
	}
	searches.Wait()
	if n := len(e.idle); n == 0 || n > mostIdle+e.threads {
		t.Errorf("%d idle workers", n)
	}
	e.Clear()
	if n := len(e.idle); n == 0 {
		t.Error("the workers are gone although they can be used again")
	}
}
