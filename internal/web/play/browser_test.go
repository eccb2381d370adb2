//go:build browser

package play

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/web/webtest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// TestBrowser_Moves plays by click, drag and touch: moves, castling, drops, a promotion, a
// takeback.
func TestBrowser_Moves(t *testing.T) {
	t.Parallel()
	for name, phone := range map[string]bool{"desktop": false, "phone": true} {
		t.Run(name, func(t *testing.T) {
			p := openPlayer(t, Settings{Start: fixture.Position(t, trainingGround)}, phone)
			p.tap(square("e2"))
			p.Wait("the targets are shown", `[...document.querySelectorAll(".cell.target")].map(e => `+
				`e.dataset.at).sort().join() === "e3,e4"`)
			p.tap(square("e2"))
			p.Wait("nothing is selected", `!document.querySelector(".cell.target, .board .selected, .slot.selected")`)
			p.tap(square("e2"), square("e3"))
			p.waitForPly(2)
			p.checkPersonsMove("e2e3")
			p.drag(square("e1"), square("g1"))
			p.waitForPly(4)
			p.checkPersonsMove("e1g1")
			p.drag(inHand("N"), square("c3"))
			p.waitForPly(6)
			p.checkPersonsMove("N@c3")
			p.tap(inHand("N"))
			p.Wait("the squares of drops are shown", `document.querySelectorAll(".cell.target").length > 40`)
			p.tap(square("f3"))
			p.waitForPly(8)
			p.checkPersonsMove("N@f3")
			p.tap(square("a7"), square("a8"))
			p.Wait("the promotion is asked for", `document.querySelectorAll(".promotion button").length === 4`)
			p.tap(square("d4")) // elsewhere: dismissed
			p.Wait("the question is dismissed", `!document.querySelector(".promotion")`)
			p.drag(square("a7"), square("a8"))
			p.Wait("the promotion is asked for again", `document.querySelectorAll(".promotion button").length === 4`)
			p.tap(`.promotion [value=a7a8r]`)
			p.waitForPly(10)
			p.checkPersonsMove("a7a8r")
			p.button("Take back")
			p.waitForPly(8)
			p.drag(square("f3"), square("f4")) // not where a knight goes
			p.checkBoard()
			p.CheckConsole()
		})
	}
}

// TestBrowser_Keyboard plays without a pointer: on the board, from the pocket, in the field
// for moves, in the dialog of the next game.
func TestBrowser_Keyboard(t *testing.T) {
	t.Parallel()
	p := openPlayer(t, Settings{Start: fixture.Position(t, trainingGround)}, false)
	tabTo := func(what, condition string) {
		t.Helper()
		for range 60 {
			if webtest.Run[bool](p.Browser, "!!("+condition+")") {
				return
			}
			p.Do(chromedp.KeyEvent(kb.Tab))
		}
		t.Fatalf("the focus does not reach %s", what)
	}
	keys := func(keys ...string) {
		for _, k := range keys {
			p.Do(chromedp.KeyEvent(k))
		}
	}
	tabTo("the board", `document.activeElement.dataset.at === "e2"`)
	keys(kb.Enter, kb.ArrowUp)
	if label := webtest.Run[string](p.Browser,
		`document.activeElement.getAttribute("aria-label")`); label != "e3, empty, possible" {
		t.Errorf("the square is called %q", label)
	}
	keys(kb.Enter)
	p.waitForPly(2)
	p.checkPersonsMove("e2e3")
	tabTo("the knight in hand", `document.activeElement.dataset.from === "N@"`)
	if label := webtest.Run[string](p.Browser,
		`document.activeElement.getAttribute("aria-label")`); label != "Knight, 2 in hand" {
		t.Errorf("the piece is called %q", label)
	}
	keys(kb.Enter, kb.ArrowRight, kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, kb.ArrowUp, kb.Enter)
	p.waitForPly(4)
	p.checkPersonsMove("N@f2")
	tabTo("the field for moves", `document.activeElement.id === "move"`)
	keys("Nh4", kb.Enter)
	p.Wait("the move is refused", `document.querySelector("#problem").textContent === '"Nh4": not legal in this `+
		`position.'`)
	keys(kb.Backspace, kb.Backspace, "g4", kb.Enter)
	p.waitForPly(6)
	p.checkPersonsMove("f2g4")
	keys("a8=Q", kb.Enter)
	p.waitForPly(8)
	p.checkPersonsMove("a7a8q")
	tabTo("the moves", `document.activeElement.id === "moves"`)
	keys(kb.Home)
	p.Wait("the start is shown", fmt.Sprintf(`document.querySelector("#fen").value === %q`, trainingGround))
	keys(kb.ArrowRight)
	p.Wait("the first move is shown", `document.querySelector("#moves [aria-current]").textContent === "e3"`)
	keys(kb.End)
	p.checkBoard()
	tabTo("the button for a new game", `document.activeElement.textContent === "New game"`)
	keys(kb.Enter)
	p.Wait("the dialog is open", `document.querySelector("#new-game").open`)
	tabTo("the side", `document.activeElement.name === "side"`)
	keys(kb.ArrowDown)
	tabTo("the level", `document.activeElement.name === "level"`)
	keys(kb.End, kb.ArrowLeft)
	tabTo("the position", `document.activeElement.name === "fen"`)
	keys("nonsense", kb.Enter)
	p.Wait("the FEN is refused", `document.querySelector("#new-game .problem").textContent.includes("FEN")`)
	keys(strings.Repeat(kb.Backspace, len("nonsense")), kb.Enter)
	p.Wait("the new game is shown", `!document.querySelector("#new-game").open && `+
		`document.querySelectorAll("#moves li button").length === 1`)
	if g := p.page.game(); g.Us != "black" || g.Level != 19 {
		t.Errorf("the new game is %+v", g)
	}
	p.CheckConsole("status of 422") // the browser's, of what was refused
}

// TestBrowser_Game goes through a game with a clock: evaluation, resignation, the
// PGN, another game with the sides swapped.
func TestBrowser_Game(t *testing.T) {
	t.Parallel()
	p := openPlayer(t, Settings{Clock: lichess.Clock{Initial: 5 * time.Minute, Increment: 3 * time.Second}}, true)
	p.tap(square("e2"), square("e4"))
	p.waitForPly(2)
	p.Wait("the person's clock runs", `document.querySelectorAll(".clock.runs").length === 1 && `+
		`/^4:5|^5:0/.test(document.querySelector(".clock.runs").textContent)`)
	p.button("Hint")
	p.Wait("the evaluation is shown", `/depth [1-9]/.test(document.querySelector("#depth").textContent) && `+
		`document.querySelector("#line").textContent.startsWith("2. ")`)
	before := webtest.Run[string](p.Browser, `document.querySelector("#stage [data-at]").dataset.at`)
	p.button("Flip")
	p.Wait("the board is flipped", fmt.Sprintf(`document.querySelector("#stage [data-at]").dataset.at !== %q`, before))
	p.tap(square("d2"), square("d4"))
	p.waitForPly(4)

	if path := webtest.Run[string](p.Browser, `document.querySelector("a[download]").pathname`); path != "/api/game.pgn" {
		t.Errorf("the game is saved from %s", path)
	}

	p.button("Resign")
	p.button("Not now")
	p.Wait("the question is gone", `!document.querySelector("dialog[open]")`)
	p.button("Resign")
	p.Wait("the question is asked", `document.activeElement.textContent === "Not now"`)
	webtest.Run[bool](p.Browser, `(document.querySelector("dialog .danger").click(), true)`)
	p.Wait("the game is over", `document.querySelector("#status").textContent === "zhbot won by resignation"`)
	p.button("Again, sides swapped")
	p.Wait("the new game is shown", `document.querySelectorAll("#moves li button").length === 1 && `+
		`document.querySelector("#stage [data-at]").dataset.at === "a8"`) // the board is still flipped
	if g := p.page.game(); g.Us != "black" || g.Control != "5+3" {
		t.Errorf("the new game is %+v", g)
	}
	p.CheckConsole()
}

// TestBrowser_Layout checks the page at several widths and in both themes: nothing
// overflows, text has enough contrast, every control has an accessible name, and the window
// shows the buttons, on a desktop all.
func TestBrowser_Layout(t *testing.T) {
	t.Parallel()
	p := openPlayer(t, Settings{Start: fixture.Position(t, trainingGround), Clock: lichess.Clock{Initial: time.Hour}},
		false)
	p.tap(square("e2"), square("e4"))
	p.waitForPly(2)
	p.button("Hint")
	p.Wait("the evaluation is shown", `/depth [1-9]/.test(document.querySelector("#depth").textContent)`)
	p.tap(square("a7"), square("a8"))
	p.Wait("the promotion is asked for", `document.querySelector(".promotion")`)
	p.CheckDisplays()
	for _, size := range [][2]int64{{1440, 900}, {1280, 800}, {1024, 600}, {844, 390}, {390, 844}, {320, 568}} {
		p.Do(chromedp.EmulateViewport(size[0], size[1]))
		p.CheckWidth(size[0])
		wide := webtest.Run[float64](p.Browser, `document.querySelector(".field").getBoundingClientRect().width`)
		if phone := size[0] < 400; phone && wide != float64(size[0]) || wide > float64(size[1]) && !phone {
			t.Errorf("at %v the board is %g wide", size, wide)
		}
		buttons := webtest.Run[float64](p.Browser, `document.querySelector("#buttons").getBoundingClientRect().bottom`)
		page := webtest.Run[int64](p.Browser, `document.documentElement.scrollHeight`)
		if size[1] >= 800 && (buttons > float64(size[1]) || page > size[1] && size[0] > 400) {
			t.Errorf("at %v the buttons end at %g, the page at %d", size, buttons, page)
		}
	}
	webtest.Run[bool](p.Browser, `(document.querySelector("#connection").className = "badge", `+
		`document.querySelector("#connection").textContent = "connection lost, trying again…", true)`)
	p.CheckWidth(320)
	if top := webtest.Run[float64](p.Browser, `document.querySelector(".top").offsetHeight`); top > 100 {
		t.Errorf("without a connection the header is %g high", top)
	}
	p.CheckConsole()
}

// heldEngine begins each search when it is released.
type heldEngine struct {
	Engine
	release chan struct{}
}

func (e heldEngine) Search(ctx context.Context, g *rules.Game, l engine.Limits,
	report func(engine.Info)) (engine.Result, error) {
	select {
	case <-e.release:
	case <-ctx.Done():
	}
	return e.Engine.Search(ctx, g, l, report)
}

// TestBrowser_Premove enters moves while the engine thinks: a legal one is played in the
// person's turn, an illegal or cancelled one is not.
func TestBrowser_Premove(t *testing.T) {
	t.Parallel()
	e := heldEngine{engine.New(engine.Options{Threads: 1, HashMB: 1}), make(chan struct{})}
	b := showPage(t, newPage(t, e, Settings{Start: fixture.Position(t, trainingGround)}, nil), false)
	marked := func(want string) {
		t.Helper()
		b.Wait("premove "+want, fmt.Sprintf(`[...document.querySelectorAll(".cell.premove")].map(e => `+
			`e.dataset.at).sort().join() === %q`, want))
	}
	thinkingAt := func(ply int) {
		t.Helper()
		b.Wait("the engine thinks", fmt.Sprintf(`document.querySelectorAll("#moves li button").length === %d && `+
			`document.querySelector("#status").textContent.includes("thinking")`, ply))
	}
	b.tap(square("e2"), square("e3"))
	thinkingAt(1)
	b.tap(square("e3"), square("e4"))
	marked("e3,e4")
	b.button("Take back") // the premove, too
	b.waitForPly(0)
	marked("")
	b.tap(square("e2"), square("e3"))
	thinkingAt(1)
	b.tap(square("e3"), square("e4"))
	marked("e3,e4")
	e.release <- struct{}{}
	thinkingAt(3) // the premove has been played
	marked("")
	b.drag(inHand("N"), square("c3"))
	marked("c3")
	b.tap(square("d8")) // elsewhere: cancelled
	marked("")
	b.tap(square("h1"), square("a1")) // the king is in the way
	marked("a1,h1")
	e.release <- struct{}{}
	b.waitForPly(4)
	b.checkPersonsMove("e3e4")
	marked("")
	b.tap(square("e4"), square("e5"))
	thinkingAt(5)
	b.tap(square("e5")) // selected while the engine thinks
	e.release <- struct{}{}
	b.waitForPly(6)
	b.tap(square("e6"))
	thinkingAt(7)
	b.CheckConsole()
}

// TestBrowser_Windows shows what another window does, also after a reload.
func TestBrowser_Windows(t *testing.T) {
	t.Parallel()
	p := openPlayer(t, Settings{Start: fixture.Position(t, trainingGround)}, false)
	p.page.send("move", `"move":"e3"`)
	p.waitForPly(2)
	p.Do(chromedp.Reload())
	p.waitForPly(2)
	p.page.send("new", `"side":"white","level":1,"clock":"none","fen":""`)
	p.waitForPly(0)
	p.CheckConsole()
}

// TestBrowser_SurvivesARestart loses the server, and shows the game of the next one with
// nothing of the last.
func TestBrowser_SurvivesARestart(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	first := newRealPage(t, Settings{})
	url, stop := serve(t, first, "127.0.0.1:0")
	b.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(url))
	pl := &player{b, t, first, false}
	pl.waitForPly(0)
	pl.button("Hint")
	b.Wait("the evaluation is shown", `!document.querySelector("#analysis").hidden`)
	stop()
	b.Wait("the page reports the lost connection", `document.querySelector("#connection").textContent.includes("lost")`)
	pl.tap(square("e2"), square("e4"))
	b.Wait("the move is refused", `document.querySelector("#problem").textContent.includes("cannot be reached")`)
	second := newRealPage(t, Settings{Start: fixture.Position(t, trainingGround)})
	_, stop = serve(t, second, strings.TrimPrefix(url, "http://"))
	t.Cleanup(stop)
	b.Wait("the page is connected again", `document.querySelector("#connection").classList.contains("up")`)
	pl.page = second
	pl.waitForPly(0)
	b.Wait("the evaluation is gone", `document.querySelector("#analysis").hidden`)
	pl.tap(square("e2"), square("e3"))
	pl.waitForPly(2)
	pl.checkPersonsMove("e2e3")
}
