package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// TestBrowser_Layout checks the page at several widths and in both themes: nothing moves
// while games start and end, nothing overflows, text has enough contrast, and every
// control has an accessible name.
func TestBrowser_Layout(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	s := newTestSetup(t)
	var names []string
	for i := range 8 {
		names = append(names, fmt.Sprintf("player%d", i))
		s.AddHuman(names[i], lichesstest.Random(uint64(i)))
	}
	b.do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(s.url()))
	b.wait("there are 8 board slots", `document.querySelectorAll("#games > *").length === 8`)
	const places = `[...document.querySelectorAll("#games > *")].map(e => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].map(Math.round).join(" "); })`
	first := run[[]string](b, places)
	games := 0
	ctx, cancel := context.WithTimeout(t.Context(), pageTimeout)
	defer cancel()
	played := make(chan error, 1)
	go func() {
		played <- s.RunGames(ctx, lichesstest.Schedule{Bot: botName, Opponents: names, Games: 16, Concurrency: 8, Spec: func(int) lichesstest.ChallengeSpec {
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
		if now := run[[]string](b, places); !slices.Equal(now, first) {
			t.Fatalf("games moved from\n%s to\n%s", strings.Join(first, "; "), strings.Join(now, "; "))
		}
	}
	b.wait("the finished games are listed", `document.querySelectorAll("#finished tbody tr").length === 16`)
	b.wait("the viewer is filled", `document.querySelector("#viewer .moves button")`)
	for _, scheme := range []string{"light", "dark"} {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{1440, 390, 320} {
			b.do(chromedp.EmulateViewport(width, 844))
			if wide := run[int](b, "document.documentElement.scrollWidth"); wide > int(width) {
				t.Errorf("at width %d the page is %d wide", width, wide)
			}
			for _, problem := range run[[]string](b, accessibilityProblems) {
				t.Errorf("%s, width %d: %s", scheme, width, problem)
			}
		}
	}
	b.checkConsole()
}

// accessibilityProblems lists texts with too little contrast (WCAG AA), and elements
// without an accessible name.
const accessibilityProblems = `(() => {
	const problems = [];
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgba = color => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data];
	};
	const behind = element => {
		for (let e = element; e; e = e.parentElement) {
			const color = rgba(getComputedStyle(e).backgroundColor);
			if (color[3] === 255) return color;
		}
		return [255, 255, 255, 255];
	};
	const luminance = color => {
		const [r, g, b] = color.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const contrast = (a, b) => {
		const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x);
		return (hi + 0.05) / (lo + 0.05);
	};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const element = node.parentElement;
		if (!node.data.trim() || element.closest("svg, .visually-hidden, .skip, [inert], .slot:not(.has)") || !element.checkVisibility({ visibilityProperty: true })) continue;
		const ratio = contrast(rgba(getComputedStyle(element).color), behind(element));
		if (ratio < 4.5) problems.push(ratio.toFixed(2) + " is too low a contrast of " + JSON.stringify(node.data.trim()) + " in " + element.className + " " + element.localName);
	}
	for (const e of document.querySelectorAll("button, a, [role=img], [role=region], [role=group], section, nav, article")) {
		if (e.closest("[inert]")) continue;
		const by = e.getAttribute("aria-labelledby");
		const name = (by ? document.getElementById(by)?.textContent : e.getAttribute("aria-label") ?? (/^(BUTTON|A)$/.test(e.tagName) ? e.textContent : "")) ?? "";
		if (!name.trim() && !e.classList.contains("free")) problems.push("no name: " + e.outerHTML.slice(0, 120));
	}
	for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) problems.push("no alt: " + e.outerHTML);
	const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
	for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) problems.push("id used twice: " + id);
	return [...new Set(problems)];
})()`
