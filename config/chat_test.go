package config

import (
	"strings"
	"testing"
)

func TestChat_Placeholders(t *testing.T) {
	for _, tt := range []struct{ text, problem string }{
		{"Hello {opponent} ({rating}), I am {me} {version}. {speed} {result}", ""},
		{"plain", ""},
		{"Hello {speeds}", "chat.greeting: unknown placeholder {speeds}; did you mean {speed}?"},
		{"{}", "chat.greeting: unknown placeholder {}"},
		{"{one } two}", "chat.greeting: unknown placeholder {one }"},
	} {
		c := Default()
		c.Chat.Greeting = tt.text
		var got []string
		for _, p := range c.validate(0, 0) {
			got = append(got, p.Error())
		}
		if joined := strings.Join(got, "; "); joined != tt.problem && (tt.problem == "" || !strings.HasPrefix(joined, tt.problem)) {
			t.Errorf("%q: %q, want %q", tt.text, joined, tt.problem)
		}
	}
}
