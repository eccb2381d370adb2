package chat

import (
	"strings"
	"unicode/utf16"

	"github.com/zhbot/zhbot/lichess"
)

// Line normalizes and truncates a text to a line of chat.
func Line(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	units := 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > lichess.MaxChatLength {
			return text[:i]
		}
	}
	return text
}
