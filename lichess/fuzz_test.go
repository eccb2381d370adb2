package lichess

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// addLines seeds a fuzz target with the sample lines.
func addLines(f *testing.F, names ...string) {
	for _, name := range names {
		for line := range strings.Lines(readFile(f, "testdata/"+name)) {
			f.Add([]byte(line))
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	addLines(f, "events.ndjson", "unknown.ndjson", "bot-limit.json")
	f.Fuzz(func(t *testing.T, line []byte) {
		event, err := decodeEvent(line)
		checkDecoded(t, line, event == nil, err)
		switch e := event.(type) {
		case *GameStart:
			if e.Game.ID == "" {
				t.Error("a start without a game id")
			}
		case *ChallengeCreated:
			if e.Challenge.ID == "" {
				t.Error("a challenge without an id")
			}
		case *UnknownEvent:
			if !bytes.Equal(e.Raw, line) {
				t.Error("an unknown event that is not its line")
			}
		}
	})
}

func FuzzDecodeGameEvent(f *testing.F) {
	addLines(f, "game.ndjson", "unknown.ndjson")
	f.Add([]byte(`{"type":"gameState","moves":"e2e4","wtime":1,"status":"started","type":"chatLine"}`))
	f.Add([]byte(`{"type":"gameState","GameState":{"moves":"e2e4"},"gamestate":null}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		event, err := decodeGameEvent(line)
		checkDecoded(t, line, event == nil, err)
		if state, ok := event.(*GameState); ok { // by either decoder
			slow, err := decodeAs(line, new(GameState))
			if diff := cmp.Diff(slow, state); err != nil || diff != "" {
				t.Errorf("read twice, %v: %s", err, diff)
			}
		}
		if full, ok := event.(*GameFull); ok && full.State.Status == "" {
			t.Error("a gameFull without a state")
		}
	})
}

func FuzzDecodeArena(f *testing.F) {
	f.Add([]byte(`{"id":"a","startsAt":"2026-05-25T18:00:00Z","variant":"crazyhouse","minutes":9223372036854775807}`))
	f.Add([]byte(`{"id":"a","startsAt":1716930043067,"finishesAt":1,"variant":{"key":"atomic"},"status":30}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var a Arena
		if json.Unmarshal(line, &a) == nil && (a.ID == "" || a.Starts.IsZero() || a.Finishes.IsZero()) {
			t.Errorf("an arena without an id or a time: %+v", a)
		}
	})
}

// checkDecoded checks that there is an event or an error, and that only JSON
// objects are events.
func checkDecoded(t *testing.T, line []byte, none bool, err error) {
	t.Helper()
	if none != (err != nil) {
		t.Errorf("no event: %t, error: %v", none, err)
	}
	var object map[string]json.RawMessage
	if isObject := json.Unmarshal(line, &object) == nil && object != nil; err == nil && !isObject {
		t.Errorf("%q was taken as an event", line)
	}
}

// FuzzNDJSON compares the line reader with a plain split, for any chunk size.
func FuzzNDJSON(f *testing.F) {
	f.Add([]byte("{}\n\n{\"a\":1}\r\n{"))
	f.Add([]byte(strings.Repeat("x", 40) + "\n{}"))
	f.Add([]byte(strings.Repeat("0", 30) + "\u2005"))
	f.Add([]byte("\n \n" + strings.Repeat(" ", 40) + "{}\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		const most = 32
		for _, src := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in))} {
			lines := newLineReader(src, most)
			for _, want := range bytes.Split(in, []byte("\n")) {
				if len(bytes.TrimRight(want, whitespace)) > most || len(bytes.Trim(want, whitespace)) == 0 {
					continue
				}
				checkNext(t, lines, bytes.Trim(want, whitespace))
			}
			if line, err := nextShort(lines); err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("after the last line: %q, %v", line, err)
			}
		}
	})
}

// checkNext checks a line, of which the last one may be truncated.
func checkNext(t *testing.T, lines *lineReader, want []byte) {
	t.Helper()
	got, err := nextShort(lines)
	if !bytes.Equal(got, want) || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("line %q, error %v, want %q", got, err, want)
	}
}

// nextShort skips lines that are too long.
func nextShort(lines *lineReader) ([]byte, error) {
	for {
		line, err := lines.next()
		if len(line) == 0 && err == nil {
			panic("a blank line")
		}
		if !errors.Is(err, ErrLineTooLong) {
			return line, err
		}
	}
}

// FuzzParseAPIError checks that no body makes parsing fail.
func FuzzParseAPIError(f *testing.F) {
	addLines(f, "bot-limit.json")
	f.Add([]byte(`{"error":{"clock.limit":["a"],"global":{"x":1}},"ratelimit":{"seconds":"x"}}`))
	f.Add([]byte("<html>"))
	f.Add([]byte(`{"error":null,"ratelimit":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		refused := parseAPIError(body)
		if shown := excerpt(refused.Message); len(shown) > 200 || strings.ContainsAny(shown, "\r\n\x1b") {
			t.Errorf("message %q", shown)
		}
	})
}
