package uci

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

// TestServer_Transcripts runs the files in testdata. Lines after > are sent, # starts a
// comment, and the rest is the expected output; … stands for anything up to the end of the
// line.
func TestServer_Transcripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			commands, want := readTranscript(t, file)
			got := runCommands(t, commands)
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || !matches(got[i], want[i]) {
					t.Fatalf("answer differs from line %d\ngot:\n%s\nwant:\n%s", i+1,
						strings.Join(got[min(i, len(got)):], "\n"), strings.Join(want[min(i, len(want)):], "\n"))
				}
			}
		})
	}
}

func readTranscript(t *testing.T, file string) (commands string, want []string) {
	t.Helper()
	text := fixture.Read(t, file)
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "> "); ok {
			commands += command
		} else if !strings.HasPrefix(line, "#") {
			want = append(want, strings.TrimRight(line, "\n"))
		}
	}
	return commands, want
}

func matches(got, want string) bool {
	if start, ok := strings.CutSuffix(want, "…"); ok {
		return strings.HasPrefix(got, start)
	}
	return got == want
}
