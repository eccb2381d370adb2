package book

import (
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// The embedded book is small, has a note on how it was made, and a choice of moves in some
// positions.
func TestEmbedded(t *testing.T) {
	opened, err := Open(Embedded)
	if err != nil {
		t.Fatal(err)
	}
	b := opened.(*Table)
	if len(embedded) > 300<<10 {
		t.Errorf("%d bytes", len(embedded))
	}
	if !strings.HasPrefix(b.Note(), "zhbot book build --positions ") {
		t.Errorf("note %q", b.Note())
	}
	if 4*b.Len() < 5*b.Positions() {
		t.Errorf("%d moves in %d positions, want one and a quarter each on average", b.Len(), b.Positions())
	}
	start := rules.StartPosition()
	if len(b.Moves(&start)) == 0 {
		t.Error("no first move")
	}
}
