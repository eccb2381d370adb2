package nnue

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

func TestEmbedded(t *testing.T) {
	n := Default()
	if files, err := filepath.Glob("networks/*"); err != nil ||
		!slices.Equal(files, []string{"networks/" + n.Name() + ".zhnn"}) {
		t.Errorf("the embedded network is %s, the files are %q, %v", n.Name(), files, err)
	}
	if n.Summary() == "" {
		t.Error("it has no summary")
	}
	// An even opening, and a queen and a rook up.
	for fen, won := range map[string]bool{
		"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3": false,
		"rnb1kbn1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/QR w KQq - 0 1":       true,
	} {
		p := fixture.Position(t, fen)
		if score := n.Evaluate(&p); won != (score > 500) {
			t.Errorf("%s: %d centipawns", fen, score)
		}
	}
}
