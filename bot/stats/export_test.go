package stats

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Exported are the rated games of contenders that count, under the contenders' names, with
// another for an opponent who has one of these.
func TestExportPGN(t *testing.T) {
	var text strings.Builder
	for i, tags := range []string{
		`White "ZHbot"|Black "x"|EngineContender "new"`, `White "x"|Black "zhbot"|EngineContender "old"`,
		`White "New"|Black "zhbot"|EngineContender "old"`, `White "x"|Black "y"|EngineContender "old"`,
		`White "zhbot"|Black "x"`,
		`Event "Casual crazyhouse game"|White "zhbot"|Black "x"|EngineContender "new"`,
		`White "zhbot"|Black "x"|EngineContender "new"|Termination "Rules infraction"`,
		`Date "2025.12.31"|White "zhbot"|Black "x"|EngineContender "new"`,
	} {
		for _, tag := range []string{`Event "Rated crazyhouse game"`, `Date "2026.01.01"`, `WhiteElo "2000"`, `BlackElo "2000"`} {
			if name, _, _ := strings.Cut(tag, " "); !strings.Contains(tags, name+" ") {
				tags += "|" + tag
			}
		}
		fmt.Fprintf(&text, "[GameId \"game%d\"]\n[%s]\n\n1. e4 1-0\n\n", i, strings.ReplaceAll(tags, "|", "]\n["))
	}
	path := filepath.Join(t.TempDir(), "2026-01.pgn")
	filetest.Write(t, path, text.String())
	want := []string{"new-x", "x-old", "New (opponent)-old"}
	for _, all := range []bool{false, true} {
		if all {
			want = append(want, "new-x") // by an infraction
		}
		var out strings.Builder
		since := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		n, err := ExportPGN(t.Context(), &out, []string{path}, "zhbot", since, all)
		var got []string
		for h, err := range pgn.Headers(strings.NewReader(out.String())) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, h.Tag("White")+"-"+h.Tag("Black"))
		}
		if err != nil || n != len(got) || !slices.Equal(got, want) {
			t.Errorf("all %t: exported %d games %q, %v, want %q", all, n, got, err, want)
		}
	}
}
