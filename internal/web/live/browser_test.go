//go:build browser

package live_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/web/live"
	"github.com/zhbot/zhbot/internal/web/webtest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules/pgn"
)

// TestBrowser_FollowsAGame watches a game from start to end: each board on the page is a
// position of the game on the server. Then it steps through the game with the keyboard only.
func TestBrowser_FollowsAGame(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	s := newTestSetup(t, "")
	s.AddHuman("greedy", lichesstest.Slow(lichesstest.Greedy(7), 300*time.Millisecond))
	b.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(s.url()))
	b.Wait("the page is connected", `document.querySelector("#connection").classList.contains("up")`)
	id := s.challenge("greedy", "white")
	b.Wait("the game is shown", cardOf(id)+"?.dataset.ply > 0")
	b.Do(chromedp.Click(chromedp.CSS(fmt.Sprintf("[data-game=%s] .board", id))))
	b.Wait("its board is enlarged", `document.querySelector("#large[open] #viewer .moves button")`)
	b.Do(chromedp.KeyEvent(kb.Home))
	b.Wait("more moves are shown when they are made", `document.querySelectorAll("#viewer .moves button").length > 4`)
	webtest.Run[shownBoard](b, readBoard+`(document.querySelector("#viewer"))`).check(t, nil)
	b.Do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Escape))
	b.Wait("it is small again", `document.querySelector("#review > #viewer")`)
	for over := false; !over; {
		shown := webtest.Run[shownBoard](b, readBoard+"("+cardOf(id)+")")
		result, _ := s.Game(id)
		if shown.Ply > len(result.Moves) {
			t.Fatalf("the page is at ply %d, the server at %d", shown.Ply, len(result.Moves))
		}
		shown.check(t, result.Moves[:shown.Ply])
		over = shown.Over
	}
	result, _ := s.Game(id)
	plies := len(result.Moves)
	shown := webtest.Run[shownBoard](b, readBoard+"("+cardOf(id)+")")
	if shown.Ply != plies {
		t.Errorf("the page ends at ply %d of %d", shown.Ply, plies)
	}
	b.Wait("the evaluation is shown", cardOf(id)+`.querySelector(".analysis .score").textContent !== "–"`)
	b.Wait("the challenge is listed", `document.querySelectorAll("#challenges tbody tr").length === 1`)
	b.Wait("the score is shown", `document.querySelector("#score tbody td").textContent === "1"`)
	b.Wait("the rating is shown", `document.querySelector("#rating").textContent.startsWith("One rated game")`)

	b.Wait("the game is listed", fmt.Sprintf(`document.querySelector("[data-review=%s]")`, id))
	b.Do(chromedp.Focus(chromedp.CSS(fmt.Sprintf("[data-review=%s]", id))), chromedp.KeyEvent("\r"))
	b.Wait("the board has the focus", `document.activeElement.closest("#viewer")`)
	b.Wait("the result is shown", `/ (won|drawn) /i.test(document.querySelector("#viewer .now").textContent)`)
	for _, step := range []struct {
		key string
		ply int
	}{
		{kb.End, plies}, {kb.Home, 0}, {kb.ArrowRight, 1}, {kb.ArrowRight, 2}, {kb.ArrowLeft, 1}, {kb.ArrowLeft, 0},
		{kb.ArrowLeft, 0},
		{kb.End, plies}, {kb.ArrowRight, plies}, {kb.ArrowLeft, plies - 1},
	} {
		b.Do(chromedp.KeyEvent(step.key))
		webtest.Run[shownBoard](b, readBoard+`(document.querySelector("#viewer"))`).check(t, result.Moves[:step.ply])
	}
	links := webtest.Run[[]string](b, `[...document.querySelectorAll("#viewer .links a")].map(a => a.href)`)
	if !slices.Equal(links, []string{s.url() + "/game/" + id + "/pgn", s.URL() + "/" + id}) {
		t.Errorf("the game's links lead to %s", links)
	}
	search := func(text, want string) {
		t.Helper()
		b.Do(chromedp.Focus(chromedp.CSS("#search")), chromedp.KeyEvent(text))
		b.Wait("the search has a result", fmt.Sprintf(
			`document.querySelector("#range").textContent === %q && document.querySelector("#no-finished").hidden === %t`,
			want, want != ""))
	}
	search("Greedy ", "1–1 of 1")
	search("nobody", "")
	b.Do(chromedp.Click(chromedp.CSS("#viewer .enlarge")))
	b.Wait("the game is enlarged", `document.querySelector("#large[open] #viewer")`)
	b.CheckDisplays()
	b.CheckConsole()
}

// TestBrowser_MarkupStaysText puts HTML with scripts into every text from outside.
func TestBrowser_MarkupStaysText(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror="document.title='caught'"><script>document.title='caught'</script>`
	b := webtest.OpenBrowser(t)
	player := record.Player{Name: evil, Title: evil}
	running, over := gameStatus("running"), gameStatus("over")
	running.Arena = evil
	running.URL, running.Us, running.Opponent = "javascript:document.title='caught'", player, player
	running.LastMove, running.Search.Line = evil, evil
	over.Opponent, over.Result, over.Score = player, evil, "draw"
	p := newStatusPage(t, live.Options{Password: "sesame"}, bot.Status{
		Account: evil, Network: evil, Version: evil, Server: evil, Games: []bot.GameStatus{running},
		Ended: []bot.GameStatus{over},
		Decisions: []bot.ChallengeStatus{{ID: evil, Opponent: player, Clock: evil, Outcome: evil, Reason: evil,
			Rule:   evil,
			Sender: evil}},
		Notices: []string{evil, "Paused."},
	})
	b.Do(chromedp.Navigate("http://x:sesame@" + strings.TrimPrefix(p.url, "http://")))
	b.Wait("the game is shown", cardOf("running")+`?.querySelector(".name").textContent.startsWith("<img")`)
	b.Wait("its end is shown", cardOf("over")+`?.querySelector(".state.draw").textContent.startsWith("<img")`)
	b.Wait("the challenge is shown", `document.querySelector("#challenges tbody td").textContent.includes("<img")`)
	b.Wait("the notices are shown", `/^<img.*\nPaused\.$/.test(document.querySelector("#notice").textContent)`)
	if n := webtest.Run[int](b, `document.querySelectorAll("img, script").length`); n != 2 { // the logo and app.js
		t.Errorf("%d images and scripts on the page, want 2", n)
	}
	if links := webtest.Run[[]string](b, `[...document.querySelectorAll("a")].map(a => a.href).filter(h => `+
		`!h.startsWith("http"))`); len(links) > 0 {
		t.Errorf("links %q", links)
	}
	if title := webtest.Run[string](b, "document.title"); title == "caught" {
		t.Error("a script from outside has run")
	}
	b.CheckConsole()
}

// TestBrowser_Trust opens pages with and without a password: scores of games in progress are
// shown with the password or the link, those of finished games always.
func TestBrowser_Trust(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	s := bot.Status{Account: "zhbot", Connected: true, Games: []bot.GameStatus{gameStatus("abc")}}
	view := &event.GameView{
		Summary: record.Summary{ID: "abc", Status: "started"}, Board: fixture.Game(t, "e2e4", "d7d5"),
		Notes: []record.Note{{Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: 77}, Depth: 12}}},
	}
	enlarge := func() {
		t.Helper()
		b.Do(chromedp.Click(chromedp.CSS("[data-game=abc] header button")))
		b.Wait("the board is enlarged, with our clock", `document.querySelectorAll("#large[open] .moves button").length `+
			`=== 2 && document.querySelector("#large .pocket + .side .clock").textContent === "1:00"`)
		b.Do(chromedp.KeyEvent(kb.ArrowLeft))
	}
	locked := newStatusPage(t, live.Options{Listen: "0.0.0.0:8080", Password: "open sesame"}, s)
	b.Do(chromedp.Navigate("http://x:open%20sesame@" + strings.TrimPrefix(locked.url, "http://")))
	b.Wait("the page is connected", `document.querySelector("#connection").classList.contains("up")`)
	b.Wait("the evaluation is shown with the password", cardOf("abc")+`?.innerText.includes("+0.77")`)
	b.Wait("the records are read", `document.querySelectorAll("#score tbody tr").length === 2`)

	open := newStatusPage(t, live.Options{Game: func(string) *event.GameView { return view }}, s)
	b.Do(chromedp.Navigate(open.url))
	b.Wait("the evaluation is withheld", cardOf("abc")+`?.innerText.includes("evaluation after the game")`)
	if text := webtest.Run[string](b, cardOf("abc")+".innerText"); strings.Contains(text, "0.77") {
		t.Errorf("the page shows the evaluation:\n%s", text)
	}
	enlarge()
	if text := webtest.Run[string](b, `document.querySelector("#large").innerText + `+
		`document.querySelector(".curve:not([hidden])")?.outerHTML`); strings.Contains(text, "0.77") ||
		!strings.HasSuffix(text, "undefined") {
		t.Errorf("the enlarged board shows the evaluation:\n%s", text)
	}
	for want, end := range map[string][2]string{
		"Won on time":             {"White won on time", "win"},
		"Lost because White left": {"Black won because White left", "loss"},
		"Drawn by stalemate":      {"Drawn by stalemate", "draw"},
	} {
		over := gameStatus("abc")
		over.Result, over.Score, over.Search = end[0], end[1], &bot.SearchStatus{Centipawns: 77, Depth: 12}
		open.set(func(s *bot.Status) {
			s.Games, s.Ended = []bot.GameStatus{gameStatus("next")}, []bot.GameStatus{over}
		})
		b.Wait("the page says "+want,
			fmt.Sprintf(`%s?.querySelector(".state").textContent === %q`, cardOf("abc"), want))
	}
	b.Wait("after the game it is shown", cardOf("abc")+`?.innerText.includes("+0.77")`)
	b.Wait("that of the next game is withheld", cardOf("next")+`?.innerText.includes("evaluation after the game")`)
	b.Do(chromedp.Navigate(open.Link(open.url)))
	b.Wait("with the link it is shown", cardOf("next")+`?.innerText.includes("+0.77")`)
	b.Wait("the address bar shows no key, and scripts see no cookie",
		fmt.Sprintf("location.href === %q && !document.cookie", open.url+"/"))
	open.set(func(changed *bot.Status) { *changed = s })
	b.Do(chromedp.Navigate(open.url))
	b.Wait("it is shown from then on", cardOf("abc")+`?.innerText.includes("+0.77")`)
	enlarge()
	b.Wait("so it is on the enlarged board, with the curve", `document.querySelector("#large .curve:not([hidden])") && `+
		`document.querySelector("#large").innerText.includes("+0.77")`)
	b.CheckConsole()
}

// TestBrowser_Analysis has a game analysed that cannot be: the page says that it waits, and then
// why in vain; what a proxy says is not for people.
func TestBrowser_Analysis(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	dir, release := t.TempDir(), make(chan struct{})
	fixture.Write(t, filepath.Join(dir, "2026-01.pgn"), `[GameId "abc"] [White "zhbot"] [Black "alice"] `+
		`[UTCDate "2026.01.02"] [Variant "Crazyhouse"] [Result "1-0"] 1. e4 1-0`)
	p := newStatusPage(t, live.Options{
		Password: "sesame", Records: record.NewHistory(dir),
		Analyse: func(context.Context, *pgn.Game) (*analysis.Analysis, error) {
			<-release
			return nil, errors.New("out of memory")
		},
	}, bot.Status{Account: "zhbot"})
	b.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate("http://x:sesame@"+strings.TrimPrefix(p.url, "http://")))
	says := func(text string, disabled bool) {
		b.Wait("the page says "+text, fmt.Sprintf(`document.querySelector("#viewer .links")?.textContent.includes(%q) && `+
			`document.querySelector("#viewer .links button").disabled === %t`, text, disabled))
	}
	says("Analyse", false)
	b.Do(chromedp.Click(chromedp.CSS("#viewer .links button")))
	says("It waits for a minute at most.", true)
	close(release)
	const failed = "This game cannot be analysed; the bot's log says why."
	says(failed, false)
	for _, other := range []string{"x", "y"} { // a finished game is not fetched again
		p.set(func(s *bot.Status) { s.Ended = []bot.GameStatus{gameStatus("abc"), gameStatus(other)} })
		b.Wait("the page has the game "+other, fmt.Sprintf(`document.querySelector('[data-game="%s"]') !== null`, other))
	}
	says(failed, false)
	webtest.Run[bool](b, `(window.fetch = async () => new Response("<h1>Timeout</h1>", { status: 504, headers: `+
		`{ "Content-Type": "text/html" } }), document.querySelector("#viewer .links button").click(), true)`)
	says("The server answers 504.", false)
}

// TestBrowser_Slots begins and ends games: a board keeps its slot, a new one gets the first that
// is free, and there are as many as games or slots. The page survives a restart of the server, and
// has no stream while it is hidden.
func TestBrowser_Slots(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	p := newStatusPage(t, live.Options{}, bot.Status{Slots: game.Use{Max: 3}})
	b.Do(chromedp.Navigate(p.url))
	for _, step := range []struct{ games, ended, want string }{
		{"a b", "", "a b -"}, {"b c", "a", "a b c"}, {"b c d", "", "d b c"}, {"b c d e", "", "d b c e"},
		{"c d", "", "d - c"}, {"", "", "- - -"},
	} {
		list := func(ids string) (games []bot.GameStatus) {
			for _, id := range strings.Fields(ids) {
				games = append(games, gameStatus(id))
			}
			return games
		}
		p.set(func(s *bot.Status) { s.Games, s.Ended = list(step.games), list(step.ended) })
		b.Wait("the slots are "+step.want, fmt.Sprintf(`[...document.querySelectorAll("#games > *")].map(e => `+
			`e.dataset.game ?? "-").join(" ") === %q`, step.want))
	}
	p.stop()
	b.Wait("the page reports the lost connection", `document.querySelector("#connection").textContent.includes("lost")`)
	p.set(func(s *bot.Status) { s.Connected, s.Slots.Max = true, 5 })
	p.serve()
	b.Wait("the page is connected again", `document.querySelector("#connection").classList.contains("up")`)
	b.Wait("it is up to date", `document.querySelectorAll("#games > *").length === 5`)
	const hide = `(value => { Object.defineProperty(document, "hidden", { value, configurable: true }); ` +
		`document.dispatchEvent(new Event("visibilitychange")); return document.querySelector("#connection").textContent; })`
	b.Wait("a hidden page has no stream", hide+`(true) === "connecting…" && `+hide+`(false)`)
	b.Wait("in sight it has", `document.querySelector("#connection").classList.contains("up")`)
}

// TestBrowser_Controls has the bot obey the buttons of a page with a password, on a wide
// screen and on a phone, and nothing else. The token that commands need may come late.
func TestBrowser_Controls(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	s := newTestSetup(t, "sesame")
	s.AddHuman("sleeper", lichesstest.Idle())
	s.AddHuman("bob", lichesstest.Idle())
	s.tokenless.Store(true)
	b.Do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate("http://alice:sesame@"+s.address))
	b.Wait("the page has controls", `document.querySelector("#controls button")`)
	const (
		dialog  = `document.querySelector("dialog[open]")`
		outcome = `document.querySelector("#outcome").textContent`
	)
	click := func(root, text string) {
		t.Helper()
		b.Wait("there is "+text, fmt.Sprintf(`[...%s.querySelectorAll("button")].some(b => b.textContent === %q && `+
			`!b.disabled)`, root, text))
		webtest.Run[bool](b, fmt.Sprintf(`([...%s.querySelectorAll("button")].find(b => b.textContent === %q).click(), `+
			`true)`, root, text))
	}
	controls := `document.querySelector("#controls")`

	click(controls, "Drain…")
	click(dialog, "Not now")
	s.tokenless.Store(false) // the page is to load it when it needs it
	click(controls, "Pause…")
	b.Wait("there is a question", dialog+`?.innerText.includes("Games in progress continue")`)
	webtest.Run[bool](b, `(document.querySelector("#keep").click(), true)`)
	click(dialog, "Pause")
	b.Wait("the bot is paused", `document.querySelector("#notice").innerText.startsWith("Paused since") && `+
		`document.querySelector("#pause").textContent === "Resume"`)
	b.Wait("the outcome is shown", outcome+` === "paused, also after a restart; games in progress: 0"`)
	declined := s.challenge("sleeper", "white")
	b.Wait("a challenge is declined", `document.querySelector("#challenges tbody")?.innerText.includes("paused by the `+
		`operator")`)
	click(controls, "Resume")
	b.Wait("the bot is resumed", `document.querySelector("#notice").hidden`)

	click(controls, "Start matchmaking")
	click(controls, "Stop matchmaking")
	b.Wait("matchmaking is off again", `document.querySelector("#matchmaking").textContent === "Start matchmaking"`)

	click(controls, "Users…")
	b.Do(chromedp.Focus(chromedp.CSS("dialog input")), chromedp.KeyEvent("pest\r"))
	b.Wait("a user is blocked", outcome+`.startsWith("done, but only until the program ends")`)

	click(controls, "Challenge…")
	b.Wait("there is a form, which takes hours", dialog+`?.querySelectorAll("input, select").length === 4 && `+
		`RegExp("^" + document.querySelector("dialog [pattern]").pattern + "$").test("1h+0s")`)
	b.Do(chromedp.Focus(chromedp.CSS("dialog input")), chromedp.KeyEvent("bob\r"))
	b.Wait("bob has accepted", outcome+`.startsWith("bob has accepted: game ")`)
	id := s.Challenges("bob")[0].ID
	if id == declined {
		t.Fatal("the declined challenge was accepted")
	}
	card := cardOf(id)
	b.Wait("its game is shown", card)

	click(card, "Say…")
	b.Do(chromedp.Focus(chromedp.CSS("dialog input")), chromedp.KeyEvent("<b>hello</b>\r"))
	b.Wait("it is said", outcome+` === "game `+id+`: said"`)

	b.CheckDisplays()
	end := webtest.Run[string](b, card+`.querySelector(".game-controls .danger").textContent`)
	click(card, end)
	b.Wait("the question says which game, and has a safe answer first",
		dialog+`?.innerText.includes("Game against bob, 3+2 rated") && document.activeElement.textContent === "Not now"`)
	b.Do(chromedp.KeyEvent("\r"))
	b.Wait("nothing is done", "!"+dialog)
	if r, _ := s.Game(id); r.Status != "started" {
		t.Errorf("the game is %s", r.Status)
	}
	click(card, end)
	click(dialog, strings.TrimSuffix(end, "…"))
	b.Wait("the game is over", card+`.classList.contains("over")`)
	b.Wait("its buttons are off", `[...`+card+`.querySelectorAll(".game-controls button")].every(b => b.disabled)`)

	click(controls, "Drain…")
	click(dialog, "Drain")
	b.Wait("the bot drains", outcome+`.startsWith("draining")`)
	b.CheckConsole("503", "403", "409")
	if got := s.journal(); len(got) != 9 ||
		!strings.Contains(got[0], `"origin":"page (alice)","command":"pause","keep":true`) {
		t.Errorf("journal %q", got)
	}
}
