package book

import (
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

func embeddedTable(t *testing.T) *Table {
	t.Helper()
	b, err := Open(Embedded)
	if err != nil {
		t.Fatal(err)
	}
	return b.(*Table)
}

// The embedded book is small, has a note on how it was made, and a choice of moves in some
// positions.
func TestEmbedded(t *testing.T) {
	b := embeddedTable(t)
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

// Each position is reachable from the start by book moves of one side and any moves of the
// other.
func TestEmbedded_EveryEntryIsReachable(t *testing.T) {
	b := embeddedTable(t)
	again, err := b.reachable()
	if err != nil {
		t.Fatal(err)
	}
	if again.Len() != b.Len() {
		t.Errorf("%d of %d entries are reachable", again.Len(), b.Len())
	}
}

func TestEmbedded_NoRepetitionForWhite(t *testing.T) { checkNoRepetitionForWhite(t, embeddedTable(t)) }
