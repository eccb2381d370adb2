package main

import (
	"io"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A win that was claimed is no fault; a draw that was claimed instead fails the
// soak, and so does a game that the opponent could claim.
func TestSoakReport_JudgesClaims(t *testing.T) {
	for _, tt := range []struct {
		name, winner, fault string
	}{
		{"win claimed", "white", ""},
		{"draw claimed", "", "1 games were drawn by claim"},
		{"claimed by the opponent", "black", "1 games were lost to something else but chess"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newSoakReport(&soak{games: 1})
			r.add(lichesstest.Result{ID: "abcd1234", White: demoBot, Black: magpie, Status: "timeout", Winner: tt.winner})
			err := r.print(io.Discard)
			if (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("verdict %v, want %q", err, tt.fault)
			}
		})
	}
}
