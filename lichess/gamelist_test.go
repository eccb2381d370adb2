package lichess

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// However many ask for the list of games at once, one request is in flight and one waits, and each
// caller gets the answer to a request that was sent after it asked.
func TestClient_SharesLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lists, inFlight atomic.Int32
		c := bubbleClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/playing") { // a move
				closeConn(w, r)
			}
			if lists.Add(1); inFlight.Add(1) > 1 {
				t.Error("two lists at once")
			}
			time.Sleep(2 * time.Second)
			inFlight.Add(-1)
			inPlay(9, false)(w, r)
		}))
		began := time.Now()
		var callers sync.WaitGroup
		for i := range 190 {
			callers.Go(func() {
				time.Sleep(time.Duration(i) * 10 * time.Millisecond)
				asked, ctx := time.Now(), t.Context()
				switch i % 4 {
				case 0:
					if list, err := c.Playing(ctx); err != nil || list.RequestedAt.Before(asked) || !list.Complete ||
						list.Find("zH4kQ2ab") == nil {
						t.Errorf("asked after %s: %+v, %v", asked.Sub(began), list, err)
					}
				case 1: // which the others do not notice
					ctx, cancel := context.WithTimeout(ctx, time.Second)
					defer cancel()
					if _, err := c.Playing(ctx); !errors.Is(err, context.DeadlineExceeded) ||
						time.Since(asked) != time.Second {
						t.Errorf("after %s: %v", time.Since(asked), err)
					}
				case 2:
					if err := c.Ping(ctx); err != nil {
						t.Error(err)
					}
				case 3:
					if err := c.Move(ctx, MoveRequest{
						GameID: fmt.Sprint("other", i), UCI: "e2e4",
					}); !errors.Is(err, ErrMoveUnconfirmed) {
						t.Error(err)
					}
				}
			})
		}
		callers.Wait()
		if n := lists.Load(); n != 2 || time.Since(began) != 4*time.Second {
			t.Errorf("%d lists in %s, want 2 in 4 s", n, time.Since(began))
		}
	})
}
