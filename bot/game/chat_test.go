package game

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

func TestChatLimit_ForgetsIdleUsers(t *testing.T) {
	c, now := newChatLimit(), time.Unix(1e9, 0)
	c.Now = func() time.Time { return now }
	for i := range maxBuckets {
		if !c.allow(fmt.Sprint("user", i), fmt.Sprint("game", i)) {
			t.Fatalf("user %d is not answered", i)
		}
	}
	if c.allow("newcomer", "game") {
		t.Error("one more than can be told apart is answered")
	}
	if now = now.Add(userEvery * userAnswers); !c.allow("newcomer", "game") {
		t.Error("nobody is answered after a rest")
	}
	if n := len(c.users); n > maxBuckets {
		t.Errorf("%d users remembered", n)
	}
}

func TestChatText(t *testing.T) {
	long := strings.Repeat("ü", lichess.MaxChatLength+1)
	wide := strings.Repeat("😀", lichess.MaxChatLength) // each counts twice
	for text, want := range map[string]string{
		"a\n b\t c ": "a b c", long: long[:2*lichess.MaxChatLength], "   ": "", long[:2*lichess.MaxChatLength]: long[:2*lichess.MaxChatLength],
		wide: wide[:2*lichess.MaxChatLength], "x" + wide: "x" + wide[:2*lichess.MaxChatLength-4],
	} {
		if got := chatText(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
