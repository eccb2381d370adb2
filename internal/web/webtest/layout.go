package webtest

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// emulateScheme makes the browser prefer a colour scheme, "light" or "dark".
func (b *Browser) emulateScheme(scheme string) {
	b.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	media := emulation.SetEmulatedMediaParams{Features: features}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// CheckWidth fails the test if the page is wider than its window, in CSS pixels.
func (b *Browser) CheckWidth(window int64) {
	b.t.Helper()
	if wide := Run[int64](b, "document.documentElement.scrollWidth"); wide > window {
		b.t.Errorf("at width %d the page is %d wide", window, wide)
	}
}

// axe is a script that runs axe-core, and lists what it finds. Since axe knows nothing of
// graphics, black pieces are compared with the dark squares here.
const axe = `axe.run({ preload: false, resultTypes: ["violations"] }).then(({ violations }) => {
	const found = violations.flatMap(v =>
		v.nodes.map(n => v.impact + ", " + v.id + ": " + n.failureSummary + " " + n.html));
	const color = (selector) => {
		const element = document.querySelector(selector), parsed = new axe.commons.color.Color();
		if (element) parsed.parseString(getComputedStyle(element).fill);
		return element && parsed;
	};
	const [square, piece] = [color(".board .dark"), color(".board .piece.black")];
	const contrast = square && piece ? axe.commons.color.getContrast(square, piece) : 21;
	if (contrast < 3) found.push("black pieces on dark squares have a contrast of " + contrast.toFixed(2));
	return JSON.stringify(found);
})`

// CheckDisplays checks the page's width and what axe-core finds on a desktop and on a phone,
// light and dark, and the width of the narrowest phones.
func (b *Browser) CheckDisplays() {
	b.t.Helper()
	for _, size := range [][2]int64{{320, 568}, {1280, 800}, {390, 844}} {
		b.Do(chromedp.EmulateViewport(size[0], size[1]))
		b.CheckWidth(size[0])
		for _, scheme := range []string{"light", "dark"} {
			if size[0] > 320 {
				b.emulateScheme(scheme)
				b.checkAccessibility(fmt.Sprintf("%s, %d wide", scheme, size[0]))
			}
		}
	}
}

// checkAccessibility fails the test for what axe-core finds, and for black pieces with too
// little contrast; where describes how the page is shown. AXE_CORE names axe-core's file.
func (b *Browser) checkAccessibility(where string) {
	b.t.Helper()
	script, err := os.ReadFile(os.Getenv("AXE_CORE"))
	if err != nil {
		b.t.Fatalf("AXE_CORE, which make sets: %v", err)
	}
	var problems []string
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](string(script)+"\n;"+axe, chromedp.EvalAwaitPromise))
	if err == nil {
		err = json.Unmarshal([]byte(text), &problems)
	}
	if err != nil {
		b.t.Fatalf("%s: axe-core: %v", where, err)
	}
	for _, problem := range problems {
		b.t.Errorf("%s: %s", where, problem)
	}
}
