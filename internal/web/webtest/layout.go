package webtest

import (
	_ "embed"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// EmulateScheme makes the browser prefer a colour scheme, "light" or "dark".
func (b *Browser) EmulateScheme(scheme string) {
	b.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
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

// CheckAccessibility fails the test for texts with too little contrast (WCAG AA), and for
// elements without an accessible name; where describes how the page is shown.
func (b *Browser) CheckAccessibility(where string) {
	b.t.Helper()
	for _, problem := range Run[[]string](b, strings.TrimSpace(accessibilityProblems)) {
		b.t.Errorf("%s: %s", where, problem)
	}
}

// accessibilityProblems is a script that lists them.
//
//go:embed accessibility.js
var accessibilityProblems string
