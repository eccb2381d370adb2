//go:build browser

package live_test

import (
	"fmt"
	"testing"

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
	b.Do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(s.url()))
	b.Wait("there are 8 board slots", `document.querySelectorAll("#games > *").length === 8`)
	const places = `[...document.querySelectorAll("#games > *")].map(e => {
		const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
	}).join("; ")`
	first := webtest.Run[string](b, places)
	const finished = `document.querySelectorAll("#finished tbody tr").length`
	for games, sent := 0, 0; games < 16; games = webtest.Run[int](b, finished) {
		for ; sent < min(16, games+8); sent++ {
			name := fmt.Sprint("player", sent)
			s.AddHuman(name, lichesstest.Random(uint64(sent)))
			s.challenge(name, "white")
		}
		if now := webtest.Run[string](b, places); now != first {
			t.Fatalf("games moved from\n%s to\n%s", first, now)
		}
	}
	b.Wait("the contenders are compared", `document.querySelectorAll("#contenders tbody tr").length === 2 && `+
		`document.querySelectorAll("#differences tbody tr").length === 1`)
	b.Wait("the viewer is filled", `document.querySelector("#viewer .moves button")`)
	b.CheckDisplays()
	b.CheckConsole()
}
