package record

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// samplePGN is a rated game that White won by a mating drop.
const samplePGN = `[Event "Rated Crazyhouse game"]
[Site "https://lichess.org/zH4kQ2ab"]
[Date "2026.08.31"]
[Round "-"]
[White "zhbot"]
[Black "Drop \"Fan\""]
[Result "1-0"]
[GameId "zH4kQ2ab"]
[UTCDate "2026.08.31"]
[UTCTime "23:59:58"]
[WhiteElo "2350"]
[BlackElo "2011"]
[WhiteRatingDiff "+3"]
[BlackRatingDiff "-2"]
[WhiteTitle "BOT"]
[Variant "Crazyhouse"]
[TimeControl "180+2"]
[Termination "Normal"]

1. e4 { [%eval 0.35,12] [%clk 0:03:00] } 1... e5 { [%clk 0:02:59.5] } 2. Nf3 Nc6 3. Bc4 Bc5 ` +
	`4. O-O Nf6 5. Nc3 Bf8 6. Bxf7+ Kxf7 7. Ng5+ { [%eval #1,9] [%clk 0:00:07] } 7... Kg8 8. P@f7# 1-0

`

var august = time.Date(2026, 8, 31, 23, 59, 58, 0, time.UTC)

// parsePGN returns the game of a text.
func parsePGN(t *testing.T, text string) *Game {
	t.Helper()
	parsed, err := pgn.NewReader(strings.NewReader(text)).Next()
	must(t, err)
	return parseGame(parsed)
}

// sample returns the sample with another id and time.
func sample(t *testing.T, id string, created time.Time) *Game {
	t.Helper()
	g := parsePGN(t, strings.ReplaceAll(samplePGN, "zH4kQ2ab", id))
	g.Created = created
	return g
}

// withTags returns the sample with other tags, "NAME=VALUE; …", and another end, if any.
func withTags(tags, end string) string {
	text := samplePGN
	if end != "" {
		text, tags = strings.Replace(text, "8. P@f7# 1-0", end, 1), "Result="+end+"; "+tags
	}
	for tag := range strings.SplitSeq(tags, "; ") {
		name, value, _ := strings.Cut(tag, "=")
		text = regexp.MustCompile(`(?m)^\[`+name+` .*\n`).ReplaceAllString(text, "")
		if value != "" {
			text = "[" + name + ` "` + value + "\"]\n" + text
		}
	}
	return text
}

// What a record says is read and written again, whole and as a summary; the summaries alone
// are lenient.
func TestGame_PGN(t *testing.T) {
	eval := func(s pgn.Score, depth int) pgn.Eval { return pgn.Eval{Known: true, Score: s, Depth: depth} }
	base := func() *Game {
		g := &Game{
			Summary: Summary{
				ID: "zH4kQ2ab", Site: "https://lichess.org/zH4kQ2ab", Rated: true, Created: august,
				White: Player{Name: "zhbot", Title: "BOT", Rating: 2350, RatingDiff: 3},
				Black: Player{Name: `Drop "Fan"`, Rating: 2011, RatingDiff: -2}, RatingKnown: true,
				Speed: "blitz", Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
				Status: "mate", Result: rules.WhiteWins,
			},
			Board: fixture.Game(t, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6 b1c3 c5f8 c4f7 e8f7 f3g5 f7g8 P@f7"),
			Notes: make([]Note, 15),
		}
		g.Notes[0] = Note{HasClock: true, Clock: 3 * time.Minute, Eval: eval(pgn.Score{Centipawns: 35}, 12)}
		g.Notes[1] = Note{HasClock: true, Clock: 179500 * time.Millisecond}
		g.Notes[12] = Note{HasClock: true, Clock: 7 * time.Second, Eval: eval(pgn.Score{Mate: 1}, 9)}
		return g
	}
	unrated := func(g *Game) { g.RatingKnown, g.White.RatingDiff, g.Black.RatingDiff = false, 0, 0 }
	const noDiffs = "WhiteRatingDiff=; BlackRatingDiff=; "
	for _, tt := range []struct {
		tags, end string
		status    lichess.Status
		change    func(*Game)
		lenient   bool // it is not written so
	}{
		{"", "", "mate", func(*Game) {}, false},
		{noDiffs + "Event=Casual Crazyhouse game; WhiteElo=?; TimeControl=-", "", "mate", func(g *Game) {
			unrated(g)
			g.Rated, g.White.Rating, g.Clock, g.Speed = false, 0, lichess.Clock{}, "correspondence"
		}, false},
		{"TimeControl=15+0.2", "", "mate", func(g *Game) {
			g.Clock, g.Speed = lichess.Clock{Initial: 15 * time.Second, Increment: 200 * time.Millisecond},
				"ultraBullet"
		}, false},
		{"", "1-0", "resign", func(*Game) {}, false},
		{"", "1/2-1/2", "draw", func(*Game) {}, false},
		{"Termination=Time forfeit", "", "outoftime", func(*Game) {}, false},
		{"Termination=Time forfeit", "0-1", "outoftime", func(*Game) {}, false},
		{"Termination=Time forfeit; PlayerLeft=yes", "1/2-1/2", "timeout", func(*Game) {}, false},
		{"Termination=Rules infraction", "1-0", "cheat", func(*Game) {}, false},
		{"Termination=Abandoned", "*", "aborted", func(*Game) {}, false},
		{"Termination=Unknown", "*", "unknownFinish", func(*Game) {}, false},
		{noDiffs + "RatingUncounted=farming", "", "mate", func(g *Game) { unrated(g); g.Uncounted = Farming }, false},
		{
			noDiffs + "RatingUncounted=cosmic rays", "", "mate",
			func(g *Game) { unrated(g); g.Uncounted = UnknownReason }, true,
		},
		{"RatingUncounted=farming", "", "mate", func(*Game) {}, true},
		{"EngineFallbacks=-1", "", "mate", func(*Game) {}, true},
		{"EngineVersion=v1; EngineNetwork=n; EngineProgram=p; EngineContender=c; EngineContenderFor=color: white; " +
			"EngineLevel=7.5; " +
			"EngineFallbacks=3; WhiteProvisional=yes; BlackProvisional=yes", "", "mate",
			func(g *Game) {
				g.Version, g.Network, g.Program, g.Contender, g.ContenderFor = "v1", "n", "p", "c", "color: white"
				g.Level, g.Fallbacks, g.White.Provisional, g.Black.Provisional = "7.5", 3, true, true
			}, false},
	} {
		want, text := base(), withTags(tt.tags, tt.end)
		if tt.change(want); tt.end != "" {
			want.Board.TakeBack(1)
			want.Notes = want.Notes[:14]
			want.Result, _ = rules.ParseResult(tt.end)
		}
		want.Status = tt.status
		got := parsePGN(t, text)
		if diff := cmp.Diff(want, got, compareGames); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.tags, diff)
		}
		if diff := cmp.Diff([]*Summary{&want.Summary}, summariesIn(t, text)); diff != "" {
			t.Errorf("%s: summary (-want +got):\n%s", tt.tags, diff)
		}
		sorted := cmpopts.SortSlices(func(a, b string) bool { return a < b })
		if diff := cmp.Diff(strings.Split(text, "\n"), strings.Split(got.PGN().String(), "\n"), sorted); diff != "" &&
			!tt.lenient {
			t.Errorf("%s: written as (-want +got):\n%s", tt.tags, diff)
		}
	}
	if got := base().PGN().String(); got != samplePGN {
		t.Errorf("written as\n%s", got)
	}
}

func summariesIn(t *testing.T, text string) (list []*Summary) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "games.pgn")
	fixture.Write(t, path, text)
	list, _, err := ReadFiles(t.Context(), path)
	must(t, err)
	return list
}

// What is no known way to end is not called one.
func TestEndingOf(t *testing.T) {
	for _, tt := range []struct{ termination, comment, result, want string }{
		{"", "White forfeits on time", "0-1", "outoftime"}, // FICS
		{"", "Black ran out of time and White has no material to mate", "1/2-1/2", "draw"},
		{"", "Game drawn by mutual agreement", "1/2-1/2", "draw"},
		{"", "Black resigns", "1-0", "resign"},
		{"", "White checkmated", "0-1", "mate"},
		{"", "White forfeits by disconnection", "0-1", "timeout"},
		{"", "Game aborted on move 1", "*", "unknownFinish"},
		{"bert won on time", "", "0-1", "outoftime"}, // chess.com
		{"bert won by checkmate", "", "0-1", "mate"},
		{"bert won - game abandoned", "", "0-1", "timeout"},
		{"Game drawn by timeout vs insufficient material", "", "1/2-1/2", "draw"},
		{"time forfeit", "White loses on time", "0-1", "outoftime"}, // cutechess and fastchess
		{"", "Black mates", "0-1", "mate"},
		{"", "Draw by 3-fold repetition", "1/2-1/2", "draw"},
		{"stalled connection", "", "0-1", "timeout"},
		{"illegal move", "", "0-1", "unknownFinish illegal move"},
		{"adjudication", "", "1-0", "unknownFinish adjudication"},
		{"unterminated", "", "*", "unknownFinish"},
		{"time forfeit (engine): late by 3.968ms", "", "0-1", "outoftime"}, // our matches
		{"crash (opponent): the engine ended: exit status 1", "", "1-0", "unknownFinish crash"},
		{"resignation (opponent): it resigned", "", "1-0", "resign"},
		{"threefold repetition", "", "1/2-1/2", "draw"},
		{"death", "", "1-0", "unknownFinish death"}, // the standard
		{"Normal", "a fine game", "1-0", "resign"},  // Lichess
		{"", "a fine game", "1-0", "unknownFinish"},
		{"", "", "1/2-1/2", "draw"},
		{"", "", "*", "unknownFinish"},
	} {
		result, _ := rules.ParseResult(tt.result)
		status, words := endingOf(tt.termination, tt.comment, result, false)
		if got := strings.TrimSpace(string(status) + " " + words); got != tt.want {
			t.Errorf("%q, {%s} %s: %s, want %s", tt.termination, tt.comment, tt.result, got, tt.want)
		}
	}
}

func TestSummaries_Foreign(t *testing.T) {
	const text = `[Event "rated crazyhouse game"]
[Site "https://lichess.org/AbCdEfGh"]
[Variant "crazyhouse"]
[Date "2019.05.04"]
[White "a"]
[WhiteElo "?"]
[Result "0-1"]
[TimeControl "60+0"]

1. e4 e5 2. Nf3??

[Event "x"]
[Variant "Standard"]

1. e4 *

[Event "FICS rated crazyhouse game"]
[Date "2019.??.??"]
[WhiteElo "99999999999"]
[BlackElo "1338?"]
[Result "1/2-1/2"]
[Termination "Time forfeit"]

1/2-1/2

[Event "crazyhouse"]
[Site "https://lichess.org/study/AbCdEfGh"]

1. f3 e5 2. g4 Qh4#!! 0-1
`
	want := []*Summary{
		{Black: Player{Rating: 1338}, Result: rules.Draw, Status: lichess.StatusOutOfTime},
		{Site: "https://lichess.org/study/AbCdEfGh", Result: rules.BlackWins, Status: lichess.StatusMate},
		{
			ID: "AbCdEfGh", Site: "https://lichess.org/AbCdEfGh", Created: time.Date(2019, 5, 4, 0, 0, 0, 0, time.UTC),
			White: Player{Name: "a"}, Rated: true, Speed: "bullet", Clock: lichess.Clock{Initial: time.Minute},
			Result: rules.BlackWins, Status: lichess.StatusUnknownFinish,
		},
	}
	if diff := cmp.Diff(want, summariesIn(t, text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
