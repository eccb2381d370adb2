package book

import (
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// The book in the program is small, says how it was made, and has a choice in
// most positions.
func TestDefault(t *testing.T) {
	b, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	if len(embedded) > 300<<10 {
		t.Errorf("%d bytes", len(embedded))
	}
	if !strings.HasPrefix(b.Note(), "zhbot book build --positions ") {
		t.Errorf("note %q", b.Note())
	}
	if b.Len() < 2*b.Positions() {
		t.Errorf("%d moves in %d positions, want two each on average", b.Len(), b.Positions())
	}
	start := rules.StartPosition()
	if len(b.Moves(&start)) == 0 {
		t.Error("no first move")
	}
}

// Every entry is legal where it stands: each position is reached from the start
// by moves of the book for one side and any for the other.
func TestDefault_EveryEntryIsReached(t *testing.T) {
	b, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.reached()
	if err != nil {
		t.Fatal(err)
	}
	if again.Len() != b.Len() {
		t.Errorf("%d of %d entries are reached", again.Len(), b.Len())
	}
}
