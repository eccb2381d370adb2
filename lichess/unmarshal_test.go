package lichess

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/fixture"
)

// oddValues are values of all types, to replace one of another type; "" removes it.
var oddValues = []string{
	"", "null", "true", "7", "-7", "1500.5", "1e400", "9223372036854775807",
	`"odd"`, `""`, "[]", `[1.5,"odd"]`, "{}", `{"odd":1}`,
}

// essential are the fields without which a line, or an answer, is of no use.
var essential = regexp.MustCompile(`^(type|challenge(\.id)?|game|moves|state(\.moves)?` +
	`|Arena:(id|startsAt|minutes)|Create.*:id` +
	`|TestToken:lip_\w+(\.(scopes|userId))?|Playing:nowPlaying|Preferences:prefs)$`)

// wrappers are fields of which only what is in them is returned.
var wrappers = regexp.MustCompile(`^(prefs|lip_\w+)$`)

// sample is a line or an answer that a server sends, and what decodes it.
type sample struct {
	prefix string // of the fields' names in essential
	text   string
	decode func(text string) (any, error)
	whole  []byte // what it decodes to, as JSON
}

func samples(tb testing.TB) (list []sample) {
	add := func(prefix, text string, decode func(string) (any, error)) {
		v, err := decode(text)
		if err != nil {
			tb.Fatal(err)
		}
		whole, _ := json.Marshal(v)
		list = append(list, sample{prefix, text, decode, whole})
	}
	for line := range strings.Lines(fixture.Read(tb, "testdata/events.ndjson")) {
		add("", line, func(text string) (any, error) { return decodeEvent([]byte(text)) })
	}
	for line := range strings.Lines(fixture.Read(tb, "testdata/game.ndjson")) {
		add("", line, func(text string) (any, error) { return decodeGameEvent([]byte(text)) })
	}
	for _, tc := range apiCalls {
		if tc.answer == ok || !json.Valid([]byte(tc.answer)) {
			continue
		}
		c, ctx, answer := clientOf(tb, "https://lichess.org", noRetry), tb.Context(), ""
		for _, transport := range []*transport{c.calls, c.fresh} {
			transport.SetTransport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
				body := io.NopCloser(strings.NewReader(answer))
				return &http.Response{StatusCode: http.StatusOK, Body: body, Request: r}, nil
			}))
		}
		add(tc.method+":", tc.answer, func(text string) (any, error) {
			answer = text
			return tc.call(ctx, c)
		})
	}
	return list
}

// parse returns a JSON value of objects, lists and texts.
func parse(tb testing.TB, text []byte) (v any) {
	tb.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// paths returns the fields and entries of a value, nested ones too.
func paths(v any, path []string) (list [][]string) {
	if path != nil {
		list = append(list, path)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = append(list, paths(v[key], append(slices.Clone(path), key))...)
		}
	case []any:
		for i := range v {
			list = append(list, paths(v[i], append(slices.Clone(path), strconv.Itoa(i)))...)
		}
	}
	return list
}

// replace replaces what is at a path, or the first part of the path that is no object or list.
// A field is removed if there is no other value, and an entry becomes null.
func replace(v any, path []string, raw string) any {
	other := any(json.RawMessage(raw))
	if raw == "" {
		other = nil
	}
	switch v := v.(type) {
	case map[string]any:
		key := path[0]
		for known := range v {
			if strings.EqualFold(known, key) {
				key = known
			}
		}
		if next, sent := v[key]; sent && len(path) > 1 {
			v[key] = replace(next, path[1:], raw)
		} else if raw == "" {
			delete(v, key)
		} else {
			v[key] = other
		}
		return v
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(v) {
			v[i] = other
			if len(path) > 1 {
				v[i] = replace(v[i], path[1:], raw)
			}
		}
		return v
	}
	return other
}

// checkOdd decodes a sample in which a path has another value: that must spoil nothing else.
func checkOdd(t *testing.T, s sample, path []string, raw string) {
	t.Helper()
	text, _ := json.Marshal(replace(parse(t, []byte(s.text)), path, raw))
	got, err := s.decode(string(text))
	name := s.prefix + strings.Join(path, ".")
	if essential.MatchString(name) {
		return
	}
	if err != nil {
		t.Errorf("%s is %q: %v", name, raw, err)
		return
	}
	for _, unit := range []string{"clock", "timeControl", "variant", "status", "Clock"} { // decoded as a whole
		if i := slices.Index(path, unit); i >= 0 {
			path = path[:i+1]
		}
	}
	if len(path) > 1 && wrappers.MatchString(path[0]) {
		path = path[1:]
	}
	rest := func(text []byte) any { return replace(parse(t, text), path, "") }
	text, _ = json.Marshal(got)
	if diff := cmp.Diff(rest(s.whole), rest(text)); diff != "" {
		t.Errorf("%s is %q, which changes (-want +got)\n%s", name, raw, diff)
	}
}

// A value of a type that is not expected, or none, spoils nothing else.
func TestUnmarshal_OddValues(t *testing.T) {
	for _, s := range samples(t) {
		for _, path := range paths(parse(t, []byte(s.text)), nil) {
			for _, raw := range oddValues {
				checkOdd(t, s, path, raw)
			}
		}
	}
}

// Whether a challenge is rated, and its challenger a bot, is never guessed.
func TestChallengeCreated_Unclear(t *testing.T) {
	for fields, want := range map[string]bool{
		`"rated":true,"challenger":{"title":"BOT","rating":"?"}`: false,
		`"rated":true,"challenger":{"title":null},"speed":7`:     false,
		`"rated":true,"challenger":{"rating":1500,"title":7}`:    true,
		`"speed":[],"rated":"yes"`:                               true,
		`"speed":"blitz"`:                                        true,
		`"rated":null`:                                           true,
	} {
		event, err := decodeEvent([]byte(`{"type":"challenge","challenge":{"id":"a",` + fields + `}}`))
		if err != nil || event.(*ChallengeCreated).Challenge.Unclear != want {
			t.Errorf("%s: %+v, %v", fields, event, err)
		}
	}
}

// A time control is known as a whole, or not at all.
func TestTimeControl_Incomplete(t *testing.T) {
	for text, want := range map[string]TimeControl{
		`{"type":"clock","limit":180,"increment":0,"show":7}`: {
			Type: ClockControl, Clock: Clock{Initial: 3 * time.Minute},
		},
		`{"type":"clock","limit":"180","increment":2}`:         {},
		`{"type":"clock","limit":180}`:                         {},
		`{"type":"clock","limit":-180,"increment":2}`:          {},
		`{"type":"clock","limit":180.5,"increment":2}`:         {},
		`{"type":"correspondence"}`:                            {},
		`{"type":"correspondence","daysPerTurn":2,"limit":[]}`: {},
		`"3+2"`: {},
	} {
		var got TimeControl
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// A game has a clock if its state shows one, whatever its first line says.
func TestGameFull_UnknownClock(t *testing.T) {
	const state = `"state":{"moves":"","wtime":60000,"btime":59000,"winc":1000}`
	for fields, want := range map[string]Clock{
		`"speed":"bullet","clock":null`:                              {Initial: time.Minute, Increment: time.Second},
		`"speed":7,"clock":[1]`:                                      {Initial: time.Minute, Increment: time.Second},
		`"speed":7,"clock":{"initial":0,"increment":3000}`:           {Increment: 3 * time.Second},
		`"speed":"correspondence","daysPerTurn":[1],"clock":null`:    {},
		`"speed":null,"daysPerTurn":3`:                               {},
		`"speed":null,"state":{"moves":"","wtime":2147483647}`:       {},
		`"speed":"blitz","clock":null,"state":{"moves":"e2e4 e7e5"}`: {},
	} {
		event, err := decodeGameEvent([]byte(`{"type":"gameFull",` + state + "," + fields + `}`))
		if err != nil || event.(*GameFull).Clock != want || event.(*GameFull).Speed == "" {
			t.Errorf("%s: %+v, %v", fields, event, err)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	f.Add(uint(0), uint(3), "1500.5")
	f.Add(uint(5), uint(7), `{"initial":[1],"increment":-1}`)
	list := samples(f)
	f.Fuzz(func(t *testing.T, which, field uint, raw string) {
		s := list[which%uint(len(list))]
		if !json.Valid([]byte(raw)) {
			return
		}
		fields := paths(parse(t, []byte(s.text)), nil)
		checkOdd(t, s, fields[field%uint(len(fields))], raw)
	})
}

// TestUnmarshal_Whole: what is no object at all is an error, also for a type with a method of
// its own.
func TestUnmarshal_Whole(t *testing.T) {
	for _, text := range []string{"[]", "5", `"odd"`, "true"} {
		for _, v := range []any{new(Account), new(ChallengeCreated), new(GameFull), new(Arena)} {
			if err := unmarshal([]byte(text), v); err == nil {
				t.Errorf("%s into %T: no error", text, v)
			}
		}
	}
}
