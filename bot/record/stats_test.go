package record

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

func summaries(t *testing.T, text string) (list []*Summary) {
	t.Helper()
	for s, err := range Summaries(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// The statistics read all that the archive writes.
func TestSummaries_OwnRecord(t *testing.T) {
	g := sample(t, "zH4kQ2ab", august)
	g.Version, g.Network = "v1.2.3", "zh-0123456789ab"
	var text strings.Builder
	if _, err := g.PGN().WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	want := []*Summary{{
		ID: "zH4kQ2ab", Site: "https://lichess.org/zH4kQ2ab", Created: august, White: g.White, Black: g.Black,
		RatingKnown: true, Rated: true, Speed: "blitz", HasClock: true, Initial: 3 * time.Minute, Increment: 2 * time.Second, Result: rules.WhiteWins, Status: lichess.StatusMate,
		Version: "v1.2.3", Network: "zh-0123456789ab",
	}}
	if diff := cmp.Diff(want, summaries(t, text.String())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
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

[Event "FICS"]
[Date "2019.??.??"]
[WhiteElo "99999999999"]
[Result "1/2-1/2"]
[Termination "Time forfeit"]

1/2-1/2
`
	want := []*Summary{
		{
			ID: "AbCdEfGh", Site: "https://lichess.org/AbCdEfGh", Created: time.Date(2019, 5, 4, 0, 0, 0, 0, time.UTC),
			White: Player{Name: "a"}, Rated: true, Speed: "bullet", HasClock: true, Initial: time.Minute, Result: rules.BlackWins, Status: lichess.StatusResign,
		},
		{Result: rules.Draw, Status: lichess.StatusOutOfTime},
	}
	if diff := cmp.Diff(want, summaries(t, text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSummaries_Error(t *testing.T) {
	broken := errors.New("broken")
	for _, err := range Summaries(iotest.ErrReader(broken)) {
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		return
	}
	t.Error("no error")
}

func TestSummary_Speed(t *testing.T) {
	for control, want := range map[string]lichess.Speed{
		"15+0": "ultraBullet", "29+0": "ultraBullet", "30+0": "bullet", "0+1": "bullet", "60": "bullet", "120+1": "bullet",
		"180+0": "blitz", "180+2": "blitz", "479+0": "blitz", "480+0": "rapid", "600+5": "rapid", "1500+0": "classical",
		"15+0.2": "ultraBullet", "-": "correspondence", "1/259200": "correspondence", "": "", "?": "", "40/9000": "", "60+x": "",
	} {
		var s Summary
		if s.setTimeControl(control); s.Speed != want {
			t.Errorf("%q is %q, want %q", control, s.Speed, want)
		}
	}
}

func TestStatusFrom(t *testing.T) {
	for _, tt := range []struct {
		result            rules.Result
		termination, last string
		want              lichess.Status
	}{
		{rules.WhiteWins, "Normal", "Qh5#", lichess.StatusMate},
		{rules.WhiteWins, "", "P@f7#!!", lichess.StatusMate},
		{rules.WhiteWins, "Normal", "Qh5+", lichess.StatusResign},
		{rules.Draw, "Normal", "Kh1", lichess.StatusDraw},
		{rules.BlackWins, "Time forfeit", "Qh5#", lichess.StatusOutOfTime},
		{rules.NoResult, "Unknown", "e4", lichess.StatusUnknownFinish},
		{rules.NoResult, "Abandoned", "", lichess.StatusAborted},
		{rules.WhiteWins, "Rules infraction", "e4", lichess.StatusCheat},
	} {
		if got := statusFrom(tt.termination, tt.result, isMate(tt.last)); got != tt.want {
			t.Errorf("%+v ended by %q", tt, got)
		}
	}
}

// The expected score of the logistic curve: 1/(1+10^(-d/400)).
func TestPerformance(t *testing.T) {
	for _, tt := range []struct {
		name             string
		won, drawn, lost int
		want             *Performance
	}{
		{"nothing", 0, 0, 0, nil},
		{"even", 50, 0, 50, &Performance{Rating: 2000, Error: 68}},
		{"draws reduce the error", 10, 80, 10, &Performance{Rating: 2000, Error: 30}},
		{"three of four", 75, 0, 25, &Performance{Rating: 2191, Error: 79}},
		{"all won", 10, 0, 0, &Performance{Rating: 2512, Error: 113, Bound: ">"}},
		{"all lost", 0, 0, 10, &Performance{Rating: 1488, Error: 113, Bound: "<"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var o scoreByRating
			o.add(0, 1) // unrated opponents are ignored
			for score, n := range map[float64]int{1: tt.won, 0.5: tt.drawn, 0: tt.lost} {
				for range n {
					o.add(2000, score)
				}
			}
			got := o.performance()
			if (got == nil) != (tt.want == nil) || got != nil && (got.Rating != tt.want.Rating || got.Bound != tt.want.Bound || math.Abs(float64(got.Error-tt.want.Error)) > 1) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// A win and a loss against 1800 and 2200: the mean, by symmetry.
func TestPerformance_MixedOpponents(t *testing.T) {
	var o scoreByRating
	o.add(1800, 1)
	o.add(2200, 0)
	if got := o.performance().Rating; got != 2000 {
		t.Errorf("performance %d, want 2000", got)
	}
}

// season is a few games of one player, in order.
func season() []*Summary {
	us := func(elo, diff int) Player { return Player{Name: "zhbot", Rating: elo, RatingDiff: diff} }
	a, b := Player{Name: "a", Rating: 2000}, Player{Name: "b", Rating: 2000, Title: "BOT"}
	day := func(month, day int) time.Time { return time.Date(2026, time.Month(month), day, 12, 0, 0, 0, time.UTC) }
	return []*Summary{
		{Created: day(7, 1), White: us(2000, 5), Black: a, Result: rules.WhiteWins, Status: lichess.StatusMate, Speed: "blitz", Version: "v1"},
		{Created: day(7, 2), White: b, Black: us(2005, 5), Result: rules.BlackWins, Status: lichess.StatusResign, Speed: "bullet", Version: "v1", Network: "n"},
		{Created: day(7, 3), White: a, Black: b, Result: rules.WhiteWins, Status: lichess.StatusMate},
		{Created: day(8, 1), White: us(2010, -6), Black: b, Result: rules.BlackWins, Status: lichess.StatusOutOfTime, Speed: "bullet", Version: "v1", Network: "n"},
		{Created: day(8, 2), White: b, Black: us(2004, 0), Result: rules.Draw, Status: lichess.StatusDraw, Speed: "bullet"},
		{Created: day(8, 3), White: b, Black: us(0, 0), Result: rules.NoResult, Status: lichess.StatusUnknownFinish, Speed: "rapid"},
	}
}

func TestRegular(t *testing.T) {
	a, b, bot := Player{Name: "a"}, Player{Name: "b"}, Player{Name: "zhbot", Title: "BOT"}
	for _, tt := range []struct {
		games []*Summary
		want  string
	}{
		{nil, ""},
		{[]*Summary{{White: b, Black: a}}, "a"},
		{[]*Summary{{White: a, Black: bot}}, "zhbot"},
		{[]*Summary{{White: a, Black: bot}, {White: a, Black: b}}, "a"},
	} {
		if got := MostFrequentPlayer(tt.games); got != tt.want {
			t.Errorf("of %d games, %q, want %q", len(tt.games), got, tt.want)
		}
	}
}

func TestNewReport(t *testing.T) {
	r := NewReport(season(), "ZHBOT", "")
	if r.Total.Performance == nil || r.Total.Performance.Rating != 2089 {
		t.Errorf("performance %+v, want 2089", r.Total.Performance)
	}
	want := Score{
		Games: 4, Won: 2, Drawn: 1, Lost: 1, Unfinished: 1, Percent: 62.5, Streak: 2, LostOnTime: 1, TimePercent: 25,
		Ends: []EndCount{{"checkmate", 1, 0, 0}, {"resignation", 1, 0, 0}, {"time forfeit", 0, 0, 1}, {"draw", 0, 1, 0}},
	}
	r.Total.Performance, r.Total.opposition, r.Total.currentStreak = nil, nil, 0
	if diff := cmp.Diff(want, r.Total, cmp.AllowUnexported(Score{})); diff != "" {
		t.Errorf("total (-want +got):\n%s", diff)
	}
	var ratings []int
	for _, p := range r.Ratings {
		ratings = append(ratings, p.Rating)
	}
	if diff := cmp.Diff([]int{2005, 2010, 2004, 2004}, ratings); diff != "" {
		t.Errorf("ratings (-want +got):\n%s", diff)
	}
	if r.From.Format(time.DateOnly) != "2026-07-01" || r.To.Format(time.DateOnly) != "2026-08-03" {
		t.Errorf("from %s to %s", r.From, r.To)
	}
}

func TestNewReport_Groups(t *testing.T) {
	for by, want := range map[string][]string{
		"opponent": {"b 1/1/1", "a 1/0/0"},
		"speed":    {"bullet 1/1/1", "blitz 1/0/0", "rapid 0/0/0"},
		"color":    {"black 1/1/0", "white 1/0/1"},
		"version":  {"v1 n 1/0/1", "unknown 0/1/0", "v1 1/0/0"},
		"month":    {"2026-07 2/0/0", "2026-08 0/1/1"},
	} {
		var got []string
		for _, g := range NewReport(season(), "zhbot", by).Groups {
			got = append(got, fmt.Sprintf("%s %d/%d/%d", g.Name, g.Won, g.Drawn, g.Lost))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", by, diff)
		}
	}
	if len(GroupKeys()) != 5 {
		t.Errorf("not all group keys %v are tested", GroupKeys())
	}
}

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	for i, created := range []time.Time{august.AddDate(0, 1, 0), august, august.AddDate(0, 0, -1)} {
		if err := a.Save(sample(t, fmt.Sprint("game", i), created)); err != nil {
			t.Fatal(err)
		}
	}
	games, err := ReadFiles(dir, filepath.Join(dir, "2026-08.pgn"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range games {
		got = append(got, g.ID)
	}
	if diff := cmp.Diff([]string{"game2", "game1", "game0"}, got); diff != "" {
		t.Errorf("games in order, each once (-want +got):\n%s", diff)
	}
	unfinished := sample(t, "game1", august)
	unfinished.Result, unfinished.Status = rules.NoResult, lichess.StatusUnknownFinish
	var text strings.Builder
	if _, err := unfinished.PGN().WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(t.TempDir(), "first.pgn")
	if err := os.WriteFile(first, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if games, err = ReadFiles(first, dir, first); err != nil || len(games) != 3 || games[1].Result != rules.WhiteWins {
		t.Errorf("a game also recorded without result: %d games, error %v", len(games), err)
	}
	if _, err := ReadFiles(filepath.Join(dir, "none.pgn")); err == nil || !strings.Contains(err.Error(), "none.pgn") {
		t.Errorf("a missing file: %v", err)
	}
}

// BenchmarkStats reads an archive of 100,000 games, as the bot writes them, and computes
// the statistics, like "zhbot stats".
func BenchmarkStats(b *testing.B) {
	const games = 100_000
	file := filepath.Join(b.TempDir(), "2026-08.pgn")
	size := writeGames(b, file, games)
	b.SetBytes(size)
	for b.Loop() {
		list, err := ReadFiles(file)
		if err != nil || len(list) != games {
			b.Fatalf("%d games, error %v", len(list), err)
		}
		if r := NewReport(list, MostFrequentPlayer(list), "opponent"); r.Total.Games != games {
			b.Fatalf("%d games counted", r.Total.Games)
		}
	}
	b.ReportMetric(float64(games)*float64(b.N)/b.Elapsed().Seconds(), "games/s")
}

// writeGames writes a number of games and returns the size of the file.
func writeGames(tb testing.TB, path string, games int) int64 {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	var texts []string
	for i := range 200 {
		g := randomGame(rng, rules.StartPosition(), 120)
		g.Black.Name = fmt.Sprint("opponent", i%50)
		var text strings.Builder
		if _, err := g.PGN().WriteTo(&text); err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, text.String())
	}
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for i := range games {
		if _, err := strings.NewReplacer("randomid", fmt.Sprintf("%08d", i)).WriteString(w, texts[i%len(texts)]); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		tb.Fatal(err)
	}
	return info.Size()
}
