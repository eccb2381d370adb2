//go:build browser

package analysis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/web/webtest"
)

func TestMain(m *testing.M) { os.Exit(webtest.Tests{M: m}.Run()) }

// openPage opens the page of a game as a file, at a fragment.
func openPage(t *testing.T, text, fragment string) *webtest.Browser {
	t.Helper()
	path := filepath.Join(t.TempDir(), "analysis.html")
	fixture.Write(t, path, write(t, text))
	b := webtest.OpenBrowser(t)
	b.Do(chromedp.EmulateViewport(1200, 900), chromedp.Navigate("file://"+path+fragment))
	return b
}

// TestBrowser opens the file as a person would, without a server, and steps through the
// game by buttons, keys, the curve and the list of judgments.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := openPage(t, evil, "")
	b.Wait("the board is drawn", `document.querySelectorAll(".board use").length === 32`)
	now := func(part string) {
		t.Helper()
		if text := webtest.Run[string](b, `document.querySelector(".now").textContent`); !strings.Contains(text, part) {
			t.Errorf("the page says %q, want %q", text, part)
		}
	}
	now("Start position")
	b.Do(chromedp.Click(chromedp.CSS(`[aria-label="One move forward"]`)))
	now("1. f3")
	b.Wait("White's clock is shown", `document.querySelector(".pocket + .side .clock").textContent === "2:58"`)
	b.Wait("the curve ends with Black's win at the end",
		`document.querySelector(".curve .path").getAttribute("d").endsWith("L100.00 40.0")`)
	b.Do(chromedp.KeyEvent(kb.End))
	now("2… Qh4#")
	now("0–1, checkmate")
	b.Do(chromedp.Click(chromedp.CSS(`.judgment[data-ply="3"]`)))
	now("2. g4??")
	b.Wait("a better move is shown", `document.querySelector(".better").textContent.startsWith("Better was: 2. ")`)
	b.Wait("the best move has an arrow", `document.querySelector(".hint-arrow").childElementCount === 1`)
	b.Do(chromedp.Click(chromedp.CSS(`.lines p:last-child .line-move`)))
	b.Wait("the line's mate is on the board, without an arrow", `document.querySelector(".board .check") && `+
		`document.querySelector('use[data-square="h4"]') && `+
		`document.querySelector(".hint-arrow").childElementCount === 0`)
	now("2… Qh4# best line, −#1")
	b.Do(chromedp.KeyEvent(kb.ArrowRight)) // the line has ended
	now("2… Qh4# best line, −#1")
	b.Do(chromedp.KeyEvent(kb.ArrowLeft))
	now("2. g4??")
	b.Do(chromedp.Click(chromedp.CSS(`.judgments .line-move`)), chromedp.KeyEvent(kb.ArrowRight),
		chromedp.KeyEvent(kb.ArrowLeft))
	if line := webtest.Run[string](b, `document.querySelector(".judgments `+
		`.line-move").textContent`); !strings.HasPrefix(line, "1. ") {
		t.Errorf("the first line begins with %s", line)
	} else {
		now(line + " best line, ")
	}
	b.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.Home)) // from the move after the start
	now("Start position")
	b.Do(chromedp.Click(chromedp.CSS(`.judgment[data-ply="3"]`)))
	now("2. g4??")
	b.Wait("the move is marked", `document.querySelector(".moves [aria-current]").textContent === "g4??"`)
	webtest.Run[any](b, `(() => { const r = document.querySelector(".curve").getBoundingClientRect(); `+
		`document.querySelector(".curve").dispatchEvent(new MouseEvent("click", { clientX: r.left + r.width / 2, `+
		`clientY: r.top + 5 })); return 0; })()`)
	now("1… e5")
	b.Do(chromedp.Click(chromedp.CSS(`[aria-label="Flip the board"]`)))
	b.Wait("White is above the board, seen from Black",
		`document.querySelector(".stage .side").textContent.includes("<script>alert(1)</script>")`)
	b.CheckDisplays()
	b.CheckConsole()
}

// A page opens at the ply that its address names, with the move in sight.
func TestBrowser_Fragment(t *testing.T) {
	t.Parallel()
	b := openPage(t, "[Variant \"Crazyhouse\"]\n\n"+strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", 20)+"1/2-1/2", "#78")
	b.Wait("the move is marked", `document.querySelector(".moves [aria-current]")?.textContent.startsWith("Nf6")`)
	const inSight = `(() => { const list = document.querySelector(".moves").getBoundingClientRect(), ` +
		`move = document.querySelector(".moves [aria-current]").getBoundingClientRect(); return move.top >= list.top && ` +
		`move.bottom <= list.bottom && move.right <= list.right; })()`
	if !webtest.Run[bool](b, inSight) {
		t.Error("the move is out of sight")
	}
	b.CheckConsole()
}
