package fetch

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// exported decodes a game as Lichess sends it, after a change.
func exported(t testing.TB, change string) *lichess.ExportedGame {
	t.Helper()
	const text = `{"id":"zH4kQ2ab","rated":true,"variant":"crazyhouse","speed":"blitz","createdAt":1787400000123,"lastMoveAt":1787400009000,
		"status":"outoftime","players":{"white":{"user":{"name":"zhBot","title":"BOT","id":"zhbot"},"rating":2350},"black":{"user":{"name":"DropFan","id":"dropfan"},"rating":2011}},
		"winner":"black","moves":"e4 d5 exd5 Qxd5 P@e4","clocks":[18003,18003,17900,17800,17707,2],"clock":{"initial":180,"increment":2}}`
	g := new(lichess.ExportedGame)
	for _, part := range []string{text, change} {
		if err := json.Unmarshal([]byte(part), g); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

const sameGame = `{"id":"zH4kQ2ab","createdAt":1787400000123}`

// with returns a change to the exported game.
func with(fields string) string { return strings.TrimSuffix(sameGame, "}") + "," + fields + "}" }

func TestRecord(t *testing.T) {
	g, err := newRecord(exported(t, sameGame), "https://lichess.org")
	if err != nil {
		t.Fatal(err)
	}
	want := record.Summary{
		ID: "zH4kQ2ab", Site: "https://lichess.org/zH4kQ2ab", Rated: true, Created: time.UnixMilli(1787400000123).UTC(),
		White: record.Player{Name: "zhBot", Title: "BOT", Rating: 2350}, Black: record.Player{Name: "DropFan", Rating: 2011},
		Speed: lichess.Blitz, Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, Status: lichess.StatusOutOfTime, Result: rules.BlackWins,
		Uncounted: record.UnknownReason,
	}
	if diff := cmp.Diff(want, g.Summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if len(g.Notes) != 5 || g.Notes[4].Clock != 177070*time.Millisecond || g.Game.Moves()[4].String() != "P@e4" {
		t.Errorf("notes %+v, moves %v", g.Notes, g.Game.Moves())
	}
}

func TestRecord_Players(t *testing.T) {
	for change, want := range map[string]record.Player{
		`"players":{"black":{"aiLevel":3}}`:       {Name: "lichess AI level 3"},
		`"players":{"black":{}}`:                  {Name: "Anonymous"},
		`"players":{"black":{"name":"Kasparov"}}`: {Name: "Kasparov"},
		`"players":{"black":{"user":{"name":"X"},"rating":1500,"ratingDiff":-7,"provisional":true}}`: {Name: "X", Rating: 1500, RatingDiff: -7, Provisional: true},
	} {
		game := exported(t, sameGame)
		game.Players.Black = lichess.ExportedPlayer{}
		if err := json.Unmarshal([]byte(with(change)), game); err != nil {
			t.Fatal(err)
		}
		g, err := newRecord(game, "")
		if err != nil || g.Black != want || g.RatingKnown != (want.RatingDiff != 0) {
			t.Errorf("%s: %+v, ratings known %t, %v; want %+v", change, g.Black, g.RatingKnown, err, want)
		}
	}
}

func TestRecord_TimeControls(t *testing.T) {
	game := exported(t, sameGame)
	game.Clock, game.DaysPerTurn = lichess.Clock{}, 3
	g, err := newRecord(game, "")
	if err != nil || !g.Clock.IsZero() || g.Speed != lichess.Correspondence || g.Notes[0].HasClock {
		t.Errorf("without a clock: %+v, %v", g, err)
	}
	game = exported(t, with(`"clock":{"initial":15,"increment":0},"clocks":[-5,9223372036854775807]`))
	if g, err = newRecord(game, ""); err != nil || g.Speed != lichess.UltraBullet || g.Notes[0].HasClock || g.Notes[1].HasClock {
		t.Errorf("impossible clocks: %+v, %v", g, err)
	}
}

func TestRecord_Invalid(t *testing.T) {
	for change, want := range map[string]string{
		`"variant":"atomic"`: `game zH4kQ2ab, variant "atomic": not a game of crazyhouse`,
		`"moves":"e4 e4"`:    "game zH4kQ2ab: ply 2: illegal move",
		`"moves":"e4 ??"`:    "ply 2: ",
		`"initialFen":"8/8"`: "game zH4kQ2ab: ",
		`"moves":"` + strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", 501) + `"`: "more than 2000 moves",
	} {
		if _, err := newRecord(exported(t, with(change)), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: error %v, want %q", change, err, want)
		}
	}
}

// FuzzRecord: whatever Lichess sends becomes a record that can be written and read, or is
// refused.
func FuzzRecord(f *testing.F) {
	f.Add("e4 d5 exd5 Qxd5 P@e4", "", "DropFan", int64(1787400000123), 180, 18003)
	f.Add("@e4", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/P w KQkq - 0 1", "]\"\n[Site \"x", int64(1), -1, -1)
	f.Fuzz(func(t *testing.T, moves, fen, name string, created int64, initial, clock int) {
		game := exported(t, sameGame)
		game.Moves, game.InitialFEN, game.CreatedAt, game.Clocks = moves, fen, lichess.Millis(created), []int{clock, clock}
		game.Players.Black.User.Name, game.Clock.Initial = name, lichess.Seconds(initial).Duration()
		g, err := newRecord(game, "https://lichess.org")
		if err != nil || created <= 0 || created > 253402300799999 { // the client refuses the others
			return
		}
		dir := t.TempDir()
		archive, err := record.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		if n, err := archive.Import([]*record.Game{g}); err != nil || n.Added != 1 {
			t.Fatalf("imported %+v, %v", n, err)
		}
		list, err := record.ReadFiles(t.Context(), dir)
		if err != nil || len(list) != 1 || list[0].ID != g.ID || list[0].Result != g.Result {
			t.Errorf("read back %+v, %v", list, err)
		}
		if n, err := archive.Import([]*record.Game{g}); err != nil || n.Known != 1 {
			t.Errorf("imported again: %+v, %v", n, err)
		}
	})
}
