// Package webtest tests pages in Chromium.
package webtest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Browser is a Chromium with one open page. Its methods fail the test on errors.
type Browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	messages []string // on the console
}

// timeout limits every wait for something on the page.
const timeout = 90 * time.Second

// chromium starts the browser of all tests of a package once, when the first one needs it, and
// endChromium ends it.
var (
	chromium = sync.OnceValues(func() (context.Context, error) {
		path, err := exec.LookPath("chromium")
		if err != nil {
			path, err = exec.LookPath("google-chrome")
		}
		if err != nil {
			return nil, err
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
		allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, _ := chromedp.NewContext(allocator) // ends with the allocator
		endChromium = func() {
			_ = chromedp.Cancel(ctx) // an error on exit does not matter
			end()
		}
		return ctx, chromedp.Do(ctx)
	})
	endChromium = func() {}
)

// Tests are a package's tests, which may use Chromium.
type Tests struct{ *testing.M }

// Run runs the tests, four at a time since they wait more than they compute, and ends
// Chromium if they have started it.
func (t Tests) Run() int {
	defer func() { endChromium() }()
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	return t.M.Run()
}

// OpenBrowser opens a page in Chromium, with cookies of its own, and closes it after the
// test. The package's tests must be run by [Tests].
func OpenBrowser(t *testing.T) *Browser {
	t.Helper()
	ctx, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	b := &Browser{t: t, ctx: ctx}
	b.Do() // opens the tab
	console := chromedp.Console(ctx)
	var reading sync.WaitGroup
	reading.Go(func() {
		for m, err := range console {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.messages = append(b.messages, fmt.Sprintf("%s: %s %s", m.Type, m.Text, m.URL))
			b.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // an error on exit does not matter
		reading.Wait()
	})
	return b
}

// Context returns the browser's context, for chromedp.
func (b *Browser) Context() context.Context { return b.ctx }

// Do executes actions on the page.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// CheckConsole fails the test if there are messages on the console, other than those with
// one of these texts.
func (b *Browser) CheckConsole(expected ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.messages {
		if !slices.ContainsFunc(expected, func(text string) bool { return strings.Contains(m, text) }) {
			b.t.Errorf("console: %s", m)
		}
	}
}

// Run evaluates a script and decodes its value.
func Run[V any](b *Browser, script string) (v V) {
	b.t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("JSON.stringify("+script+")"))
	if err == nil {
		err = json.Unmarshal([]byte(text), &v)
	}
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return v
}

// Wait waits until a script's value is true; what describes the condition.
func (b *Browser) Wait(what, script string) {
	b.t.Helper()
	for end := time.Now().Add(timeout); ; {
		poll := chromedp.Poll[bool]("!!("+script+")",
			chromedp.WithPollingTimeout(timeout), chromedp.WithPollingInterval(10*time.Millisecond))
		_, err := chromedp.Run(b.ctx, poll)
		switch {
		case err == nil:
			return
		case strings.Contains(err.Error(), "Cannot find context") && time.Now().Before(end):
			continue // the page was still being loaded
		}
		b.t.Fatalf("%s: %v; on the page:\n%s", what, err, Run[string](b, "document.body.innerText"))
	}
}

// BoardFEN is a script that reads the board and the pockets in an element as the first field of
// a FEN.
const BoardFEN = `(root => [8,7,6,5,4,3,2,1].map(rank => [..."abcdefgh"].map(file => {
	const piece = root.querySelector("use[data-square=" + file + rank + "]");
	if (!piece) return "1";
	const letter = piece.getAttribute("href").slice(7);
	return (piece.classList.contains("white") ? letter.toUpperCase() : letter) +
		(piece.nextElementSibling?.classList.contains("mark") ? "~" : "");
}).join("").replace(/1+/g, ones => ones.length)).join("/") + "/" + ["white", "black"].map(color =>
	[...root.querySelectorAll(".pocket[aria-label^=" + color + "] .slot")].map((slot, i) => {
		const letter = color === "white" ? "PNBRQ"[i] : "pnbrq"[i];
		return slot.matches(".has") ? letter.repeat(Number(slot.textContent)) : "";
	}).join("")).join(""))`
