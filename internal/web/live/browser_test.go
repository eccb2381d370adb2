//go:build browser

package live_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/internal/web/live"
	"github.com/zhbot/zhbot/internal/web/webtest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// TestBrowser_FollowsAGame watches a game from start to end: each board on the page is a
// position of the game on the server.
func TestBrowser_FollowsAGame(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	s := newTestSetup(t)
	s.AddHuman("greedy", lichesstest.Slow(lichesstest.Greedy(7), 100*time.Millisecond))
	b.Do(chromedp.Navigate(s.url()))
	b.Wait("the page is connected", `document.querySelector("#connection").classList.contains("up")`)
	for _, color := range []string{"white", "black"} {
		id := s.challenge("greedy", color)
		b.Wait("the game is shown", cardOf(id)+"?.dataset.ply > 0")
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
		shown := webtest.Run[shownBoard](b, readBoard+"("+cardOf(id)+")")
		if shown.Ply != len(result.Moves) {
			t.Errorf("the page ends at ply %d of %d", shown.Ply, len(result.Moves))
		}
		shown.check(t, result.Moves)
		b.Wait("the evaluation is shown", cardOf(id)+`.querySelector(".analysis .score").textContent !== "–"`)
	}
	b.Wait("the challenges are listed", `document.querySelectorAll("#challenges tbody tr").length === 2`)
	b.Wait("the score is shown", `document.querySelector("#score tbody td").textContent === "2"`)
	b.Wait("the rating is drawn", `document.querySelector("#rating svg path.path")`)
	b.CheckConsole()
}

// TestBrowser_StepsThroughAGame steps through a finished game with the keyboard only.
func TestBrowser_StepsThroughAGame(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	s := newTestSetup(t)
	s.AddHuman("greedy", lichesstest.Greedy(7))
	b.Do(chromedp.Navigate(s.url()))
	id := s.challenge("greedy", "white")
	b.Wait("the game is listed", fmt.Sprintf(`document.querySelector("[data-review=%s]")`, id))
	result, _ := s.Game(id)
	b.Wait("the game can be stepped through", fmt.Sprintf(`document.querySelectorAll("#viewer .moves button").length === %d`, len(result.Moves)))
	b.Do(chromedp.Focus(chromedp.CSS(fmt.Sprintf("[data-review=%s]", id))), chromedp.KeyEvent("\r"))
	b.Wait("the board has the focus", `document.activeElement.closest("#viewer")`)
	checkAt := func(ply int) {
		t.Helper()
		webtest.Run[shownBoard](b, readBoard+`(document.querySelector("#viewer"))`).check(t, result.Moves[:ply])
	}
	checkAt(len(result.Moves))
	for _, step := range []struct {
		key string
		ply int
	}{
		{kb.Home, 0}, {kb.ArrowRight, 1}, {kb.ArrowRight, 2}, {kb.ArrowLeft, 1}, {kb.ArrowLeft, 0}, {kb.ArrowLeft, 0},
		{kb.End, len(result.Moves)}, {kb.ArrowRight, len(result.Moves)}, {kb.ArrowLeft, len(result.Moves) - 1},
	} {
		b.Do(chromedp.KeyEvent(step.key))
		checkAt(step.ply)
	}
	if text := webtest.Run[string](b, `document.querySelector("#viewer .now").textContent`); !strings.Contains(text, ".") {
		t.Errorf("the description is %q", text)
	}
	if links := webtest.Run[[]string](b, `[...document.querySelectorAll("#viewer .links a")].map(a => a.href)`); !slices.Equal(links, []string{s.url() + "/game/" + id + "/pgn", s.URL() + "/" + id}) {
		t.Errorf("the game's links lead to %s", links)
	}
	search := func(text, want string) {
		t.Helper()
		b.Do(chromedp.Focus(chromedp.CSS("#search")), chromedp.KeyEvent(text))
		b.Wait("the search has a result", fmt.Sprintf(`document.querySelector("#range").textContent === %q && document.querySelector("#no-finished").hidden === %t`, want, want != ""))
	}
	search("Greedy ", "1–1 of 1")
	search("nobody", "")
	b.CheckConsole()
}

// TestBrowser_MarkupStaysText puts HTML with scripts into every text from outside.
func TestBrowser_MarkupStaysText(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror="document.title='caught'"><script>document.title='caught'</script>`
	b := webtest.OpenBrowser(t)
	s := newTestSetup(t)
	b.Do(chromedp.Navigate(s.url()))
	b.Wait("the page is connected", `document.querySelector("#connection").classList.contains("up")`)
	board := rules.NewGame(rules.StartPosition())
	view := event.GameView{Board: board, Summary: record.Summary{
		ID: "evil", Site: "javascript:document.title='caught'", White: record.Player{Name: evil, Title: evil}, Black: record.Player{Name: evil},
		Speed: evil, Status: evil, Result: rules.Draw,
	}}
	s.page.Observe(event.Duplicate{RetryIn: time.Minute})
	b.Wait("another program is named, with its stream", `/took over the event stream, .* opens it again at /.test(document.querySelector("#notice").textContent)`)
	s.page.Observe(event.Duplicate{Game: evil})
	b.Wait("the stream of a game, too", `document.querySelector("#notice").textContent.includes("And at ")`)
	s.page.Observe(event.LoggedIn{Account: evil, Network: evil})
	s.page.Observe(event.ChallengeDecided{ID: evil, Challenger: record.Player{Name: evil, Title: evil}, Decision: event.Decision{Reason: evil, Rule: evil}})
	view.Status = "started"
	s.page.Observe(event.GameChanged{GameView: view})
	b.Wait("the game is shown", cardOf("evil")+`?.querySelector(".name").textContent.startsWith("<img")`)
	view.Status = evil // unknown, so that the game goes on
	s.page.Observe(event.GameChanged{GameView: view})
	view.Status = lichess.StatusVariantEnd
	s.page.Observe(event.GameEnded{GameView: view})
	b.Wait("its end is shown", cardOf("evil")+`.querySelector(".state").className !== "state"`)
	b.Wait("the challenge is shown", `document.querySelector("#challenges tbody td").textContent.includes("<img")`)
	if n := webtest.Run[int](b, `document.querySelectorAll("img, script").length`); n != 2 { // the logo and app.js
		t.Errorf("%d images and scripts on the page, want 2", n)
	}
	if links := webtest.Run[[]string](b, `[...document.querySelectorAll("a")].map(a => a.href).filter(h => !h.startsWith("http"))`); len(links) > 0 {
		t.Errorf("links %q", links)
	}
	if title := webtest.Run[string](b, "document.title"); title == "caught" {
		t.Error("a script from outside has run")
	}
	b.CheckConsole()
}

// TestBrowser_SurvivesARestart restarts bot and page.
func TestBrowser_SurvivesARestart(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	s := newTestSetup(t)
	moves, random := make(chan struct{}, 3), lichesstest.Random(1)
	s.AddHuman("patient", func(ctx context.Context, turn lichesstest.Turn) lichesstest.Action {
		select { // so that the game lasts, however slow the browser is
		case <-moves:
		case <-ctx.Done():
		}
		return random(ctx, turn)
	})
	b.Do(chromedp.Navigate(s.url()))
	id := s.challenge("patient", "white")
	moves <- struct{}{}
	b.Wait("the game is shown", cardOf(id)+"?.dataset.ply > 1")
	s.page.Observe(event.GameChanged{GameView: event.GameView{Summary: record.Summary{ID: "gone", Status: "started"}, Board: rules.NewGame(rules.StartPosition())}})
	b.Wait("another game is shown", cardOf("gone"))
	s.stop()
	b.Wait("the page reports the lost connection", `document.querySelector("#connection").textContent.includes("lost")`)
	ply := webtest.Run[int](b, cardOf(id)+".dataset.ply * 1")
	s.start()
	b.Wait("the page is connected again", `document.querySelector("#connection").classList.contains("up")`)
	moves <- struct{}{}
	moves <- struct{}{}
	b.Wait("the game continues", fmt.Sprintf("%s?.dataset.ply > %d", cardOf(id), ply+1))
	b.Wait("the vanished game is not shown", "!"+cardOf("gone"))
}

// serveOnly serves a handler without a bot and returns its address.
func serveOnly(t *testing.T, h http.Handler) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := web.Serve(ctx, l, h, zerolog.Nop()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { stop(); serving.Wait() })
	return l.Addr().String()
}

// TestBrowser_Password opens a page with a password, which shows everything, also beyond
// loopback.
func TestBrowser_Password(t *testing.T) {
	b := webtest.OpenBrowser(t)
	page, err := live.New(live.Options{Listen: "0.0.0.0:8080", Password: "open sesame", Slots: noSlots, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	address := serveOnly(t, page.Handler())
	page.Observe(event.LoggedIn{Account: "zhbot", Rating: 1777})
	page.Observe(event.StreamOpened{})
	board := rules.NewGame(rules.StartPosition())
	page.Observe(event.GameChanged{GameView: event.GameView{Summary: record.Summary{ID: "abc", Status: "started"}, Board: board}})
	page.Observe(event.Searching{Game: "abc", Board: board, Info: engine.Info{Depth: 12, Score: 77}})
	b.Do(chromedp.Navigate("http://x:open%20sesame@" + address))
	b.Wait("the page is connected", `document.querySelector("#connection").classList.contains("up")`)
	b.Wait("the evaluation is shown", cardOf("abc")+`?.innerText.includes("+0.77")`)
	b.Wait("the records are read", `document.querySelectorAll("#score tbody tr").length === 2`)
	b.CheckConsole()
}

// TestBrowser_Link opens a page without a password, on this machine, first without its link.
func TestBrowser_Link(t *testing.T) {
	b := webtest.OpenBrowser(t)
	page, err := live.New(live.Options{Listen: "127.0.0.1:0", Slots: noSlots, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + serveOnly(t, page.Handler())
	board := rules.NewGame(rules.StartPosition())
	view := event.GameView{Summary: record.Summary{ID: "abc", Status: "started", White: record.Player{Name: "a"}, Black: record.Player{Name: "b"}}, Board: board}
	searching := event.Searching{Game: "abc", Board: board, Info: engine.Info{Depth: 12, Score: 77}}
	page.Observe(event.GameChanged{GameView: view})
	page.Observe(searching)
	b.Do(chromedp.Navigate(url))
	b.Wait("the evaluation is withheld", cardOf("abc")+`?.innerText.includes("evaluation after the game")`)
	if text := webtest.Run[string](b, cardOf("abc")+".innerText"); strings.Contains(text, "0.77") {
		t.Errorf("the page shows the evaluation:\n%s", text)
	}
	view.Status, view.Result = "resign", rules.WhiteWins
	page.Observe(event.GameEnded{GameView: view})
	b.Wait("after the game it is shown", cardOf("abc")+`?.innerText.includes("+0.77")`)
	view.ID, searching.Game, view.Status = "next", "next", "started"
	page.Observe(event.GameChanged{GameView: view})
	page.Observe(searching)
	b.Wait("that of the next game is withheld", cardOf("next")+`?.innerText.includes("evaluation after the game")`)
	b.Do(chromedp.Navigate(page.Link(url)))
	b.Wait("with the link it is shown", cardOf("next")+`?.innerText.includes("+0.77")`)
	if address := webtest.Run[string](b, "location.href"); address != url+"/" {
		t.Errorf("the address bar shows %s", address)
	}
	if cookies := webtest.Run[string](b, "document.cookie"); cookies != "" {
		t.Errorf("scripts can read the cookies %s", cookies)
	}
	b.Do(chromedp.Navigate(url))
	b.Wait("it is shown from then on", cardOf("next")+`?.innerText.includes("+0.77")`)
	b.CheckConsole()
}

// TestBrowser_Results ends games: the page describes each result from our side.
func TestBrowser_Results(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	page, err := live.New(live.Options{Listen: "127.0.0.1:0", Slots: noSlots, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.Navigate("http://" + serveOnly(t, page.Handler())))
	for want, end := range map[string]record.Summary{
		"Won on time":             {ID: "flagged", Status: "outoftime", Result: rules.WhiteWins},
		"Lost because White left": {ID: "absent", Status: "timeout", Result: rules.BlackWins},
		"Drawn by stalemate":      {ID: "stuck", Status: "stalemate", Result: rules.Draw},
		"Ended without a result":  {ID: "unseen", Status: "unknownFinish", Result: rules.NoResult},
	} {
		view := event.GameView{Summary: end, Us: rules.White, Board: rules.NewGame(rules.StartPosition())}
		view.Status = "started"
		page.Observe(event.GameChanged{GameView: view})
		view.Status = end.Status
		page.Observe(event.GameEnded{GameView: view})
		b.Wait("the page says "+want, fmt.Sprintf(`%s?.querySelector(".state").textContent === %q`, cardOf(end.ID), want))
	}
	b.CheckConsole()
}

// TestBrowser_Controls has the bot obey the buttons of a page with a password, on a wide
// screen and on a phone.
func TestBrowser_Controls(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	s := &testSetup{Server: lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, Seed: 3}), t: t, records: t.TempDir(), address: "127.0.0.1:0", password: "sesame"}
	s.token = s.AddBot(botName)
	s.start()
	t.Cleanup(func() { s.stop() })
	s.AddHuman("sleeper", lichesstest.Idle())
	s.AddHuman("bob", lichesstest.Idle())
	b.Do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate("http://alice:sesame@"+s.address))
	b.Wait("the page has controls", `document.querySelector("#controls button")`)
	const (
		dialog  = `document.querySelector("dialog[open]")`
		outcome = `document.querySelector("#outcome").textContent`
	)
	click := func(root, text string) {
		t.Helper()
		b.Wait("there is "+text, fmt.Sprintf(`[...%s.querySelectorAll("button")].some(b => b.textContent === %q && !b.disabled)`, root, text))
		webtest.Run[bool](b, fmt.Sprintf(`([...%s.querySelectorAll("button")].find(b => b.textContent === %q).click(), true)`, root, text))
	}
	controls := `document.querySelector("#controls")`

	click(controls, "Pause…")
	b.Wait("there is a question", dialog+`?.innerText.includes("Games in progress continue")`)
	webtest.Run[bool](b, `(document.querySelector("#keep").click(), true)`)
	click(dialog, "Pause")
	b.Wait("the bot is paused", `document.querySelector("#notice").innerText.startsWith("Paused since") && document.querySelector("#pause").textContent === "Resume"`)
	b.Wait("the outcome is shown", outcome+` === "paused, also after a restart; games in progress: 0"`)
	declined := s.challenge("sleeper", "white")
	b.Wait("a challenge is declined", `document.querySelector("#challenges tbody")?.innerText.includes("paused by the operator")`)
	click(controls, "Resume")
	b.Wait("the bot is resumed", `document.querySelector("#notice").hidden`)

	click(controls, "Start matchmaking")
	click(controls, "Stop matchmaking")
	b.Wait("matchmaking is off again", `document.querySelector("#matchmaking").textContent === "Start matchmaking"`)

	click(controls, "Challenge…")
	b.Wait("there is a form", dialog+`?.querySelectorAll("input, select").length === 4`)
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
	b.Wait("the question says which game, and has a safe answer first", dialog+`?.innerText.includes("Game against bob, 3+2 rated") && document.activeElement.textContent === "Not now"`)
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
	b.CheckConsole()
	if got := s.journal(); len(got) != 8 || !strings.Contains(got[0], `"origin":"page (alice)","command":"pause","keep":true`) {
		t.Errorf("journal %q", got)
	}
}

// countingOperator counts the commands to drain.
type countingOperator struct{ drains atomic.Int64 }

func (o *countingOperator) Execute(_ context.Context, _ string, r control.Request) (control.Result, error) {
	if r.Command == "drain" {
		o.drains.Add(1)
	}
	return control.Result{Message: r.Command + " done", Status: &bot.Status{}}, nil
}

// TestBrowser_ControlsUnanswered has the page load its token again when a command needs it,
// and send nothing unasked.
func TestBrowser_ControlsUnanswered(t *testing.T) {
	t.Parallel()
	b := webtest.OpenBrowser(t)
	page, err := live.New(live.Options{Listen: "127.0.0.1:0", Password: "sesame", Slots: noSlots, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	var operator countingOperator
	page.Operator = &operator
	page.Observe(event.LoggedIn{Account: "zhbot"})
	var up atomic.Bool
	h := page.Handler()
	address := serveOnly(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up.Load() && r.Method == http.MethodGet && r.URL.Path == "/api/control" {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	}))
	b.Do(chromedp.Navigate("http://alice:sesame@" + address))
	b.Wait("the page has controls", `document.querySelector("#drain")`)
	webtest.Run[bool](b, `(document.querySelector("#drain").click(), true)`)
	b.Wait("there is a question", `document.querySelector("dialog[open]")?.innerText.includes("end the program")`)
	up.Store(true)
	if n := operator.drains.Load(); n != 0 {
		t.Errorf("%d commands to drain without an answer to the question", n)
	}
	webtest.Run[bool](b, `(document.querySelector("dialog[open] .danger").click(), true)`)
	b.Wait("the outcome is shown", `document.querySelector("#outcome").textContent === "drain done"`)
	b.CheckConsole("503", "403")
}
