package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// Each text has the depth and the score of the main worker, then those of its helpers.
func TestWorker_AdoptDeepest(t *testing.T) {
	for text, want := range map[string]string{
		"0:-30":                  "0:-30",    // no helper
		"9:10 8:90":              "9:10",     // none got far
		"9:10 8:90 10:-50 9:70":  "10:-50",   // one got deeper
		"9:10 9:9":               "9:10",     // as deep, with a lower score
		"9:10 9:40 9:60 9:20":    "9:60",     // as deep, the highest score
		"9:10 7:31995 10:30":     "7:31995",  // a mate found early
		"9:31995 10:30 10:31993": "9:31995",  // the main worker's mate
		"9:-31995 8:30":          "9:-31995", // being mated is no shortcut
	} {
		s := &search{rootMoves: make([]rules.Move, 2)}
		var main *worker
		for i, found := range strings.Fields(text) {
			w := &worker{search: s}
			if _, err := fmt.Sscanf(found, "%d:%d", &w.depth, &w.score); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				main = w
			} else {
				s.deepest.offer(w)
			}
		}
		main.adoptDeepest()
		if got := fmt.Sprintf("%d:%d", main.depth, main.score); got != want {
			t.Errorf("of %s adopted %s, want %s", text, got, want)
		}
	}
}
