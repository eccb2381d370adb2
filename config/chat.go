package config

import (
	"regexp"
	"slices"
	"strings"
)

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// placeholderNames returns the placeholders that chat texts may contain, without
// braces.
func placeholderNames() []string {
	return []string{"opponent", "rating", "me", "version", "speed", "result"}
}

// checkPlaceholders adds a problem for each unknown placeholder of a text.
func (p *problems) checkPlaceholders(key, text string) {
	for _, found := range placeholder.FindAllString(text, -1) {
		name := strings.Trim(found, "{}")
		if slices.Contains(placeholderNames(), name) {
			continue
		}
		hint := ""
		if n := nearest(name, placeholderNames()); n != "" {
			hint = "; did you mean {" + n + "}?"
		}
		p.add(key, "unknown placeholder %s%s", found, hint)
	}
}
