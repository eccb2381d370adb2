package game

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// firstPost shows a game a first line, and returns the move that it posts once it was searched
// for.
func firstPost(t *testing.T, line []byte) (uci string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		full := new(lichess.GameFull)
		if err := json.Unmarshal(line, full); err != nil {
			t.Error(err)
			return
		}
		w := newWalk(t)
		defer w.end()
		now := time.Now()
		err := w.game.handleStream(t.Context(), stream.Item{Event: full, ReceivedAt: now, ConnectedAt: now})
		if err != nil || w.game.move.phase() != thinking {
			return
		}
		if w.do("found"); len(w.client.posts) > 0 && len(w.engine.proceed) == 0 {
			uci = (<-w.client.posts).UCI
		}
	})
	return uci
}

// A first line in which a field has a value of another type, or none, still leads to a move
// that was searched for.
func TestGame_OddFirstLine(t *testing.T) {
	line, _, _ := strings.Cut(fixture.Read(t, "../../lichess/testdata/game.ndjson"), "\n")
	moves := strings.Replace(line, `"moves":""`, `"moves":"e2e4 e7e5"`, 1) // the clocks run
	var whole map[string]any
	if err := json.Unmarshal([]byte(moves), &whole); err != nil {
		t.Fatal(err)
	}
	want := firstPost(t, []byte(moves))
	var check func(name string, object map[string]any)
	check = func(name string, object map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			value, path := object[key], name+"."+key
			if fields, nested := value.(map[string]any); nested {
				check(path, fields)
			}
			for _, odd := range []string{
				"null", "true", "7", "-7", "0", "1500.5", "1e400", "9223372036854775807", `"odd"`, "[]", `[1.5]`,
				"{}", `{"odd":1}`, "",
			} {
				if object[key] = json.RawMessage(odd); odd == "" {
					delete(object, key)
				}
				text, err := json.Marshal(whole)
				if err != nil {
					t.Fatal(err)
				}
				_, isText := value.(string)
				_, isNumber := new(big.Int).SetString(odd, 10)
				switch {
				case path == ".state", path == ".state.moves", path == ".state.status" && isNumber, // another state
					isText && odd == `"odd"`, path == ".variant" && odd == `"odd"`: // another game
				default:
					if got := firstPost(t, text); got != want {
						t.Errorf("%s is %q: played %q, want %q", path, odd, got, want)
					}
				}
			}
			object[key] = value
		}
	}
	check("", whole)
}

// A clock that the server does not tell is the last one, less the time that has passed.
func TestGame_UnknownClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWalk(t)
		defer w.end()
		own := func(moves string, shown lichess.Millis) time.Duration {
			t.Helper()
			full := fullOf(moves, lichess.StatusStarted)
			full.State.WhiteTime = shown
			item := stream.Item{Event: full, ReceivedAt: time.Now(), ConnectedAt: time.Now()}
			if err := w.game.handleStream(t.Context(), item); err != nil {
				t.Fatal(err)
			}
			return w.game.clocks[rules.White].Round(time.Second)
		}
		for i, tt := range []struct {
			passed time.Duration
			moves  string
			shown  lichess.Millis
			want   time.Duration
		}{
			{0, "", -1, 3 * time.Minute}, // the game's
			{0, "e2e4 e7e5", 150_000, 150 * time.Second},
			{10 * time.Second, "e2e4 e7e5 g1f3", -1, 140 * time.Second},          // it was our turn
			{20 * time.Second, "e2e4 e7e5 g1f3 g8f6", 0, 140 * time.Second},      // it was not
			{5 * time.Second, "e2e4 e7e5 g1f3 g8f6", -5, 135 * time.Second},      // it still is
			{5 * time.Second, "e2e4 e7e5 g1f3 g8f6", 1 << 62, 130 * time.Second}, // which no clock shows
			{0, "e2e4 e7e5 g1f3 g8f6", 99_000, 99 * time.Second},
		} {
			time.Sleep(tt.passed)
			if got := own(tt.moves, tt.shown); got != tt.want {
				t.Errorf("step %d: %s left, want %s", i, got, tt.want)
			}
			if note := w.game.board.notes; i == 2 && note[2].HasClock {
				t.Errorf("an estimate is recorded: %s", note[2].Clock)
			}
		}
		time.Sleep(time.Hour) // the server does not end the game
		if l, flag := w.game.limits(); l.White != lostClock || time.Until(flag) != lostClock {
			t.Errorf("limits %+v until %s", l, flag)
		}
	})
}
