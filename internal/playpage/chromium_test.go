package playpage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zhbot/zhbot/internal/localgame"
	"github.com/zhbot/zhbot/internal/webpage/pagetest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// trainingGround is a position in which Black, with a lone king far away, cannot disturb
// what White tries: moves, castling, drops, a promotion.
const trainingGround = "6k1/P7/8/8/8/8/4P3/4K2R/NN w K - 0 1"

// player plays on the page in Chromium.
type player struct {
	*pagetest.Browser
	t     *testing.T
	page  *Page
	touch bool
}

// openPlayer opens the page of a game against the engine's lowest level, on a phone or not.
func openPlayer(t *testing.T, settings localgame.Settings, phone bool) *player {
	t.Helper()
	b := pagetest.OpenBrowser(t)
	p := newTestPage(t, settings)
	size := chromedp.EmulateViewport(1280, 900)
	if phone {
		size = chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	b.Do(size, chromedp.Navigate(serve(t, p)))
	pl := &player{b, t, p, phone}
	pl.waitForPly(0)
	return pl
}

// position reads a position from a FEN.
func position(t *testing.T, fen string) rules.Position {
	t.Helper()
	p, err := rules.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// waitForPly waits until a number of moves are shown and it is the person's turn.
func (p *player) waitForPly(ply int) {
	p.t.Helper()
	p.Wait(fmt.Sprintf("ply %d and the person's turn", ply),
		fmt.Sprintf(`document.querySelectorAll("#moves li button").length === %d && document.querySelector("#status").textContent.startsWith("Your move")`, ply))
	p.checkBoard()
}

// readPlacement is a script that reads the pieces on the board as a FEN has them.
const readPlacement = `[8,7,6,5,4,3,2,1].map(rank => [..."abcdefgh"].map(file => {
	const piece = document.querySelector("#stage use[data-square=" + file + rank + "]");
	if (!piece) return "1";
	const letter = piece.getAttribute("href").slice(7);
	return (piece.classList.contains("white") ? letter.toUpperCase() : letter) + (piece.nextElementSibling?.classList.contains("mark") ? "~" : "");
}).join("").replace(/1+/g, ones => ones.length)).join("/")`

// checkBoard compares board, FEN and pockets on the page with the game on the server.
func (p *player) checkBoard() {
	p.t.Helper()
	state := p.page.opts.Session.State()
	position := state.Game.Position()
	want := position.FEN()
	board := want[:strings.LastIndexByte(strings.Fields(want)[0], '/')]
	if got := pagetest.Run[string](p.Browser, readPlacement); got != board {
		p.t.Errorf("the page shows %s, the server has %s", got, want)
	}
	if got := pagetest.Run[string](p.Browser, `document.querySelector("#fen").value`); got != want {
		p.t.Errorf("the page shows the FEN %s, the server has %s", got, want)
	}
	for _, c := range []rules.Color{rules.White, rules.Black} {
		text := pagetest.Run[string](p.Browser, fmt.Sprintf(`[...document.querySelectorAll("#stage .pocket[aria-label^=%s] .slot.has .count")].map(e => Number(e.textContent)).reduce((a, b) => a + b, 0) + ""`, c))
		if text != fmt.Sprint(position.Pocket(c).Total()) {
			p.t.Errorf("%s has %s pieces in hand on the page, %d on the server", c, text, position.Pocket(c).Total())
		}
	}
	if n := pagetest.Run[int](p.Browser, `document.querySelectorAll(".ghost, .lifted, .hovered").length`); n != 0 {
		p.t.Errorf("%d traces of a drag are left", n)
	}
}

// checkPersonsMove checks the last move but one: the person's, once the engine has answered.
func (p *player) checkPersonsMove(want string) {
	p.t.Helper()
	moves := p.page.opts.Session.State().Game.Moves()
	if len(moves) < 2 || moves[len(moves)-2].String() != want {
		p.t.Errorf("the moves on the server are %v, want %s before the last", moves, want)
	}
}

// center returns the center of an element in the window.
func (p *player) center(selector string) (x, y float64) {
	p.t.Helper()
	at := pagetest.Run[[2]float64](p.Browser, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({ block: "nearest" }); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
	return at[0], at[1]
}

func square(name string) string { return fmt.Sprintf("[data-at=%s]", name) }

func inHand(letter string) string { return fmt.Sprintf(`[data-from="%s@"]`, letter) }

// tap clicks on elements, or touches them.
func (p *player) tap(selectors ...string) {
	p.t.Helper()
	for _, selector := range selectors {
		x, y := p.center(selector)
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
	x1, y1 := p.center(from)
	x2, y2 := p.center(to)
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
		p.Do(chromedp.MouseEvent(chromedp.MouseMoved, x, y, chromedp.ButtonLeft, func(e *input.DispatchMouseEventParams) { e.Buttons = 1 }))
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
	if _, err := chromedp.Call(p.Context(), input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points}); err != nil {
		p.t.Fatal(err)
	}
}

// button clicks on a button by its text. It is no touch: on a busy machine that is a long
// one, which is no click.
func (p *player) button(text string) {
	p.t.Helper()
	p.Wait("there is a button "+text, fmt.Sprintf(`[...document.querySelectorAll("button, .button")].find(e => e.textContent === %q && !e.disabled && e.checkVisibility())`, text))
	pagetest.Run[bool](p.Browser, fmt.Sprintf(`([...document.querySelectorAll("button, .button")].find(e => e.textContent === %q && e.checkVisibility()).click(), true)`, text))
}

// TestBrowser_Moves plays by click, drag and touch: moves, castling, drops, a promotion, a
// takeback.
func TestBrowser_Moves(t *testing.T) {
	t.Parallel()
	for name, phone := range map[string]bool{"desktop": false, "phone": true} {
		t.Run(name, func(t *testing.T) {
			p := openPlayer(t, localgame.Settings{Start: position(t, trainingGround)}, phone)
			p.tap(square("e2"))
			p.Wait("the targets are shown", `[...document.querySelectorAll(".cell.target")].map(e => e.dataset.at).sort().join() === "e3,e4"`)
			p.tap(square("e2"))
			p.Wait("nothing is selected", `!document.querySelector(".cell.target, .cell.selected")`)
			p.tap(square("e2"), square("e3"))
			p.waitForPly(2)
			p.checkPersonsMove("e2e3")
			p.drag(square("e1"), square("g1"))
			p.waitForPly(4)
			p.checkPersonsMove("e1h1")
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
	p := openPlayer(t, localgame.Settings{Start: position(t, trainingGround)}, false)
	tabTo := func(what, condition string) {
		t.Helper()
		for range 60 {
			if pagetest.Run[bool](p.Browser, "!!("+condition+")") {
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
	if label := pagetest.Run[string](p.Browser, `document.activeElement.getAttribute("aria-label")`); label != "e3, empty, possible" {
		t.Errorf("the square is called %q", label)
	}
	keys(kb.Enter)
	p.waitForPly(2)
	p.checkPersonsMove("e2e3")
	tabTo("the knight in hand", `document.activeElement.dataset.from === "N@"`)
	if label := pagetest.Run[string](p.Browser, `document.activeElement.getAttribute("aria-label")`); label != "Knight, 2 in hand" {
		t.Errorf("the piece is called %q", label)
	}
	keys(kb.Enter, kb.ArrowRight, kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, kb.ArrowUp, kb.Enter)
	p.waitForPly(4)
	p.checkPersonsMove("N@f2")
	tabTo("the field for moves", `document.activeElement.id === "move"`)
	keys("Nh4", kb.Enter)
	p.Wait("the move is refused", `document.querySelector("#problem").textContent === '"Nh4": not legal in this position.'`)
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
	p.Wait("the new game is shown", `!document.querySelector("#new-game").open && document.querySelectorAll("#moves li button").length === 1`)
	if s := p.page.opts.Session.State().Settings; s.Side != rules.Black || s.Level != 19 {
		t.Errorf("the new game has the settings %+v", s)
	}
	p.CheckConsole("status of 422") // the browser's, of what was refused
}

// TestBrowser_Game goes through a game with a clock: pause, evaluation, resignation, the
// PGN, another game with the sides swapped.
func TestBrowser_Game(t *testing.T) {
	t.Parallel()
	p := openPlayer(t, localgame.Settings{Clock: localgame.Clock{Initial: 5 * time.Minute, Increment: 3 * time.Second}}, true)
	p.tap(square("e2"), square("e4"))
	p.waitForPly(2)
	p.Wait("the person's clock runs", `document.querySelectorAll(".clock.runs").length === 1 && /^4:5|^5:0/.test(document.querySelector(".clock.runs").textContent)`)
	p.button("Pause")
	p.Wait("the game is paused", `document.querySelector("#status").textContent === "Paused" && !document.querySelector(".clock.runs")`)
	p.tap(square("d2"), square("d4"))
	p.button("Go on")
	p.waitForPly(2)
	p.button("Evaluate")
	p.Wait("the evaluation is shown", `/depth [1-9]/.test(document.querySelector("#depth").textContent) && document.querySelector("#line").textContent.startsWith("2. ")`)
	before := pagetest.Run[string](p.Browser, `document.querySelector("#stage [data-at]").dataset.at`)
	p.button("Flip board")
	p.Wait("the board is flipped", fmt.Sprintf(`document.querySelector("#stage [data-at]").dataset.at !== %q`, before))
	p.tap(square("d2"), square("d4"))
	p.waitForPly(4)

	dir := t.TempDir()
	if _, err := chromedp.CallBrowser(p.Context(), browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir}); err != nil {
		t.Fatal(err)
	}
	p.button("Save PGN")
	game := p.savedGame(dir)
	if len(game.Moves) != 4 || game.Moves[0].Move.String() != "e2e4" || !game.Moves[2].HasClock {
		t.Errorf("the saved game is %+v", game)
	}

	p.button("Resign")
	p.button("Cancel")
	p.button("Resign")
	p.Wait("the question is asked", `document.querySelector("#confirm").open`)
	pagetest.Run[bool](p.Browser, `(document.querySelector("#confirm [value=yes]").click(), true)`)
	p.Wait("the game is over", `document.querySelector("#status").textContent === "zhbot won by resignation"`)
	p.button("Again, sides swapped")
	p.Wait("the new game is shown", `document.querySelectorAll("#moves li button").length === 1 && document.querySelector("#stage [data-at]").dataset.at === "a8"`) // the board is still flipped
	if s := p.page.opts.Session.State().Settings; s.Side != rules.Black || s.Clock.String() != "5+3" {
		t.Errorf("the new game has the settings %+v", s)
	}
	p.CheckConsole()
}

// savedGame waits for a PGN file in a folder, and reads it.
func (p *player) savedGame(dir string) *pgn.Game {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		names, err := filepath.Glob(filepath.Join(dir, "zhbot-*.pgn"))
		if err != nil || len(names) == 0 {
			continue
		}
		f, err := os.Open(names[0])
		if err != nil {
			p.t.Fatal(err)
		}
		defer f.Close()
		g, err := pgn.NewReader(f).Next()
		if err != nil {
			p.t.Fatal(err)
		}
		return g
	}
	p.t.Fatal("no PGN file after a minute")
	return nil
}

// TestBrowser_Layout checks the page at several widths and in both themes: nothing
// overflows, text has enough contrast, and every control has an accessible name.
func TestBrowser_Layout(t *testing.T) {
	t.Parallel()
	p := openPlayer(t, localgame.Settings{Start: position(t, trainingGround), Clock: localgame.Clock{Initial: time.Hour}}, false)
	p.tap(square("e2"), square("e4"))
	p.waitForPly(2)
	p.button("Evaluate")
	p.Wait("the evaluation is shown", `/depth [1-9]/.test(document.querySelector("#depth").textContent)`)
	p.tap(square("a7"), square("a8"))
	p.Wait("the promotion is asked for", `document.querySelector(".promotion")`)
	for _, scheme := range []string{"light", "dark"} {
		p.EmulateScheme(scheme)
		for _, size := range [][2]int64{{1440, 900}, {1024, 600}, {844, 390}, {390, 844}, {320, 568}} {
			p.Do(chromedp.EmulateViewport(size[0], size[1]))
			p.CheckWidth(size[0])
			p.CheckAccessibility(fmt.Sprintf("%s, %dx%d", scheme, size[0], size[1]))
			wide := pagetest.Run[float64](p.Browser, `document.querySelector(".field").getBoundingClientRect().width`)
			if phone := size[0] < 400; phone && wide != float64(size[0]) || wide > float64(size[1]) && !phone {
				t.Errorf("at %v the board is %g wide", size, wide)
			}
		}
	}
	p.CheckConsole()
}

// TestBrowser_Windows plays in another window: this one shows it, also after a reload.
func TestBrowser_Windows(t *testing.T) {
	t.Parallel()
	b := pagetest.OpenBrowser(t)
	p := newTestPage(t, localgame.Settings{Start: position(t, trainingGround)})
	url := serve(t, p)
	pl := &player{b, t, p, false}
	b.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(url))
	pl.waitForPly(0)
	other := openWindow(t, url)
	other.send("move", `,"move":"e3"`)
	pl.waitForPly(2)
	b.Do(chromedp.Reload())
	pl.waitForPly(2)
	other.until("it has the game", func() bool { return len(other.game.Steps) == 2 })
	other.send("new", `,"side":"white","level":1,"clock":"none","fen":""`)
	pl.waitForPly(0)
	b.CheckConsole()
}

// TestBrowser_SurvivesARestart loses the server, and shows the game of the next one with
// nothing of the last.
func TestBrowser_SurvivesARestart(t *testing.T) {
	t.Parallel()
	b := pagetest.OpenBrowser(t)
	first := newTestPage(t, localgame.Settings{})
	url, stop := serveAt(t, first, "127.0.0.1:0")
	b.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(url))
	pl := &player{b, t, first, false}
	pl.waitForPly(0)
	pl.button("Evaluate")
	b.Wait("the evaluation is shown", `!document.querySelector("#analysis").hidden`)
	stop()
	b.Wait("the page reports the lost connection", `document.querySelector("#connection").textContent.includes("lost")`)
	pl.tap(square("e2"), square("e4"))
	b.Wait("the move is refused", `document.querySelector("#problem").textContent.includes("cannot be reached")`)
	second := newTestPage(t, localgame.Settings{Start: position(t, trainingGround)})
	_, stop = serveAt(t, second, strings.TrimPrefix(url, "http://"))
	t.Cleanup(stop)
	b.Wait("the page is connected again", `document.querySelector("#connection").classList.contains("up")`)
	pl.page = second
	pl.waitForPly(0)
	b.Wait("the evaluation is gone", `document.querySelector("#analysis").hidden`)
	pl.tap(square("e2"), square("e3"))
	pl.waitForPly(2)
	pl.checkPersonsMove("e2e3")
}
