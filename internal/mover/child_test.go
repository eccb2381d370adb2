package mover

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/internal/logtest"
)

func TestStderrLog(t *testing.T) {
	t.Parallel()
	var out logtest.Log
	w := newStderrLog(zerolog.New(&out))
	long := strings.Repeat("x", 5000)
	for _, part := range []string{"loading ", "network\n", long, long + "\nbad \xff\n", strings.Repeat("again\n", 1000)} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	text := out.String()
	if !strings.Contains(text, `"text":"loading network"`) || strings.Contains(text, strings.Repeat("x", maxStderrLine+1)) || !strings.Contains(text, `"text":"bad ?"`) {
		t.Errorf("the log says %.1000s", text)
	}
	if n := strings.Count(text, "\n"); n > stderrBurst {
		t.Errorf("%d lines were logged", n)
	}
}
