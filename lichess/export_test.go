package lichess

import (
	"strings"
	"testing"
	"time"
)

// FuzzDecodeExportedGame checks that what is decoded can be used as it is.
func FuzzDecodeExportedGame(f *testing.F) {
	for _, call := range apiCalls {
		if call.name == "ExportGame" {
			f.Add([]byte(call.answer))
		}
	}
	f.Add([]byte(`{"id":"a","createdAt":9223372036854775807}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(`{"id":"../a","createdAt":1,"players":null,"clock":null,"clocks":[-1]}`))
	f.Add([]byte(`{"id":"a","createdAt":1,"players":{"white":{"user":null,"ratingDiff":null}},"clock":{"initial":-1}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		g, err := decodeExportedGame(line)
		if err != nil {
			return
		}
		if !segment.MatchString(g.ID) || g.CreatedAt <= 0 || time.UnixMilli(int64(g.CreatedAt)).UTC().Year() > 9999 {
			t.Errorf("game %q, created at %d", g.ID, g.CreatedAt)
		}
	})
}

func TestGameID(t *testing.T) {
	for text, want := range map[string]string{
		"zH4kQ2ab": "zH4kQ2ab", "zH4kQ2abT0kn": "zH4kQ2ab", "https://lichess.org/zH4kQ2ab": "zH4kQ2ab",
		"https://lichess.org/zH4kQ2ab/black#17": "zH4kQ2ab", "http://www.lichess.org/zH4kQ2abT0kn/?x=1": "zH4kQ2ab",
		"lichess.org/zH4kQ2ab/white": "zH4kQ2ab", "https://LICHESS.org/zH4kQ2ab": "zH4kQ2ab",
		"http://127.0.0.1:8080/zH4kQ2ab": "zH4kQ2ab", "127.0.0.1:8080/zH4kQ2ab": "zH4kQ2ab",
		"": "", "zH4kQ2a": "", "zH4kQ2abT0": "", "game.pgn": "", "zH4kQ2ab/white": "", "../zH4kQ2ab": "",
		"https://example.org/zH4kQ2ab": "", "https://lichess.org.evil.org/zH4kQ2ab": "", "https://me@lichess.org/zH4kQ2ab": "",
		"https://lichess.org/": "", "https://lichess.org/study/zH4kQ2ab": "", "https://lichess.org/@/zH4kQ2ab": "",
		"https://lichess.org/zH4kQ2ab/red": "", "ftp://lichess.org/zH4kQ2ab": "", "https://lichess.org:444/zH4kQ2ab": "",
		"https://lichess.org/zH4k%2fab1": "", "javascript://lichess.org/zH4kQ2ab": "",
	} {
		id, err := GameID(text, "http://127.0.0.1:8080")
		if id != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, id, err, want)
		}
	}
}

// FuzzGameID: what is accepted is safe in a path, and the message of what is not is one
// short line.
func FuzzGameID(f *testing.F) {
	for _, text := range []string{"zH4kQ2ab", "https://lichess.org/zH4kQ2ab/black#1", "https://[::1]:80/zH4kQ2ab", "lichess.org\\@evil/zH4kQ2ab", "%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := GameID(text, DefaultURL)
		if err == nil && (len(id) != 8 || !segment.MatchString(id) || !strings.Contains(text, id)) {
			t.Errorf("%q: id %q", text, id)
		}
		if err != nil && (len(err.Error()) > 1200 || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
