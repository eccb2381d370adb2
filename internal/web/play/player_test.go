//go:build browser

package play

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/web/webtest"
)

// trainingGround is a position in which Black, with a lone king far away, cannot disturb
// what White tries: moves, castling, drops, a promotion.
const trainingGround = "6k1/P7/8/8/8/8/4P3/4K2R/NN w K - 0 1"

// player plays on the page in Chromium.
type player struct {
	*webtest.Browser
	t     *testing.T
	page  *Page
	touch bool
}

// newRealPage returns a page with the real engine at its lowest level.
func newRealPage(t *testing.T, settings Settings) *Page {
	return newPage(t, engine.New(engine.Options{Threads: 1, HashMB: 1}), settings, nil)
}

// serve serves a page at an address until it is stopped.
func serve(t *testing.T, p *Page, address string) (url string, stop func()) {
	t.Helper()
	l, err := Listen(t.Context(), address, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	return "http://" + l.Addr().String(), func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// openPlayer opens the page of a game against the engine's lowest level, on a phone or not.
func openPlayer(t *testing.T, settings Settings, phone bool) *player {
	t.Helper()
	return showPage(t, newRealPage(t, settings), phone)
}

// showPage opens a page, on a phone or not, and waits for the person's turn.
func showPage(t *testing.T, p *Page, phone bool) *player {
	t.Helper()
	b := webtest.OpenBrowser(t)
	url, stop := serve(t, p, "127.0.0.1:0")
	t.Cleanup(stop)
	size := chromedp.EmulateViewport(1280, 900)
	if phone {
		size = chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	b.Do(size, chromedp.Navigate(url))
	pl := &player{b, t, p, phone}
	pl.waitForPly(0)
	return pl
}

// waitForPly waits until a number of moves are shown and it is the person's turn.
func (p *player) waitForPly(ply int) {
	p.t.Helper()
	p.Wait(fmt.Sprintf("ply %d and the person's turn", ply), fmt.Sprintf(`
		document.querySelectorAll("#moves li button").length === %d &&
		document.querySelector("#status").textContent.startsWith("Your move")`, ply))
	p.checkBoard()
}

// checkBoard compares board, FEN and pockets on the page with the game on the server.
func (p *player) checkBoard() {
	p.t.Helper()
	game := p.page.game()
	want := game.Start
	if n := len(game.Steps); n > 0 {
		want = game.Steps[n-1].FEN
	}
	board := webtest.Run[string](p.Browser, webtest.BoardFEN+`(document.querySelector("#stage"))`)
	fen := webtest.Run[string](p.Browser, `document.querySelector("#fen").value`)
	if board != strings.Fields(want)[0] || fen != want {
		p.t.Errorf("the page shows %s and the FEN %s, the server has %s", board, fen, want)
	}
	if n := webtest.Run[int](p.Browser, `document.querySelectorAll(".ghost, .lifted, .hovered").length`); n != 0 {
		p.t.Errorf("%d traces of a drag are left", n)
	}
}

// checkPersonsMove checks the last move but one: the person's, once the engine has answered.
func (p *player) checkPersonsMove(want string) {
	p.t.Helper()
	if steps := p.page.game().Steps; len(steps) < 2 || steps[len(steps)-2].UCI != want {
		p.t.Errorf("the moves on the server are %v, want %s before the last", steps, want)
	}
}

// centre returns the centre of an element in the window.
func (p *player) centre(selector string) (x, y float64) {
	p.t.Helper()
	at := webtest.Run[[2]float64](p.Browser,
		fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({ block: "nearest" }); `+
			`const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
	return at[0], at[1]
}

func square(name string) string { return fmt.Sprintf("[data-at=%s]", name) }

func inHand(letter string) string { return fmt.Sprintf(`[data-from="%s@"]`, letter) }

// tap clicks on elements, or touches them.
func (p *player) tap(selectors ...string) {
	p.t.Helper()
	for _, selector := range selectors {
		x, y := p.centre(selector)
		if p.touch {
			p.Do(chromedp.TapXY(x, y))
		} else {
			p.Do(chromedp.MouseClickXY(x, y))
		}
	}
}

// drag drags from one element to another.
func (p *player) drag(from, to string) {
	p.t.Helper()
	x1, y1 := p.centre(from)
	x2, y2 := p.centre(to)
	const steps = 5
	for i := range steps + 1 {
		x, y := x1+(x2-x1)*float64(i)/steps, y1+(y2-y1)*float64(i)/steps
		if p.touch {
			kind := input.DispatchTouchEventTypeTouchMove
			if i == 0 {
				kind = input.DispatchTouchEventTypeTouchStart
			}
			p.touchEvent(kind, &input.TouchPoint{X: x, Y: y})
			continue
		}
		if i == 0 {
			p.Do(chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
			continue
		}
		p.Do(chromedp.MouseEvent(chromedp.MouseMoved, x, y, chromedp.ButtonLeft,
			func(e *input.DispatchMouseEventParams) { e.Buttons = 1 }))
	}
	p.Wait("the piece follows the pointer", `document.querySelector(".ghost")`)
	if p.touch {
		p.touchEvent(input.DispatchTouchEventTypeTouchEnd)
	} else {
		p.Do(chromedp.MouseEvent(chromedp.MouseReleased, x2, y2, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
}

func (p *player) touchEvent(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
	p.t.Helper()
	if points == nil {
		points = []*input.TouchPoint{}
	}
	if _, err := chromedp.Call(p.Context(), input.DispatchTouchEvent,
		input.DispatchTouchEventParams{Type: kind, TouchPoints: points}); err != nil {
		p.t.Fatal(err)
	}
}

// button clicks on a button by its text. It is no touch: on a busy machine that is a long
// one, which is no click.
func (p *player) button(text string) {
	p.t.Helper()
	p.Wait("there is a button "+text, fmt.Sprintf(`[...document.querySelectorAll("button, `+
		`.button")].find(e => e.textContent === %q && !e.disabled && e.checkVisibility())`, text))
	webtest.Run[bool](p.Browser, fmt.Sprintf(`([...document.querySelectorAll("button, `+
		`.button")].find(e => e.textContent === %q && e.checkVisibility()).click(), true)`, text))
}
