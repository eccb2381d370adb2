package config

import (
	"regexp"
	"slices"
	"strings"
)

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// placeholderNames are what a text of the section chat may hold in braces.
func placeholderNames() []string {
	return []string{"opponent", "rating", "me", "version", "speed", "result"}
}

// checkPlaceholders reports those of a text that stand for nothing.
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
		p.add(key, "%s stands for nothing%s", found, hint)
	}
}
