//go:build browser

package live_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/zhbot/zhbot/internal/web/webtest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// TestBrowser_Layout checks the page at several widths and in both themes: nothing moves
// while games start and end, nothing overflows, text has enough contrast, and every
// control has an accessible name.
func TestBrowser_Layout(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	s := newTestSetup(t, "")
	var names []string
	for i := range 8 {
		names = append(names, fmt.Sprintf("player%d", i))
		s.AddHuman(names[i], lichesstest.Random(uint64(i)))
	}
	b.Do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(s.url()))
	b.Wait("there are 8 board slots", `document.querySelectorAll("#games > *").length === 8`)
	const places = `[...document.querySelectorAll("#games > *")].map(e => { const r = e.getBoundingClientRect(); ` +
		`return [r.x, r.y, r.width, r.height].map(Math.round).join(" "); })`
	first := webtest.Run[[]string](b, places)
	games := 0
	ctx, cancel := context.WithTimeout(t.Context(), webtest.Timeout)
	defer cancel()
	played := make(chan error, 1)
	go func() {
		played <- s.RunGames(ctx, lichesstest.Schedule{Bot: botName, Opponents: names, Games: 16, Concurrency: 8,
			Spec: func(int) lichesstest.ChallengeSpec {
				return lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Rated: true}
			}}, func(lichesstest.Result) { games++ })
	}()
	for over := false; !over; {
		select {
		case err := <-played:
			if over = true; err != nil || games != 16 {
				t.Fatalf("%d games played: %v", games, err)
			}
		default:
		}
		if now := webtest.Run[[]string](b, places); !slices.Equal(now, first) {
			t.Fatalf("games moved from\n%s to\n%s", strings.Join(first, "; "), strings.Join(now, "; "))
		}
	}
	b.Wait("the finished games are listed", `document.querySelectorAll("#finished tbody tr").length === 16`)
	b.Wait("the contenders are compared", `document.querySelectorAll("#contenders tbody tr").length === 2 && `+
		`document.querySelectorAll("#differences tbody tr").length === 1`)
	b.Wait("the viewer is filled", `document.querySelector("#viewer .moves button")`)
	b.CheckDisplays()
	b.CheckConsole()
}
