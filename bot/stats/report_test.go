package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

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
			o.add(0, rules.WhiteWins, rules.White) // unrated opponents are ignored
			for result, n := range map[rules.Result]int{rules.WhiteWins: tt.won, rules.Draw: tt.drawn,
				rules.BlackWins: tt.lost} {
				for range n {
					o.add(2000, result, rules.White)
				}
			}
			got := o.performance()
			if (got == nil) != (tt.want == nil) || got != nil &&
				(got.Rating != tt.want.Rating || got.Bound != tt.want.Bound ||
					math.Abs(float64(got.Error-tt.want.Error)) > 1) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// A win and a loss against 1800 and 2200: the mean, by symmetry.
func TestPerformance_MixedOpponents(t *testing.T) {
	var o scoreByRating
	o.add(1800, rules.WhiteWins, rules.White)
	o.add(2200, rules.BlackWins, rules.White)
	if got := o.performance().Rating; got != 2000 {
		t.Errorf("performance %d, want 2000", got)
	}
}

// season is a few games of one player, in order.
func season() []*record.Summary {
	us := func(elo, diff int) record.Player { return record.Player{Name: "zhbot", Rating: elo, RatingDiff: diff} }
	a, b := record.Player{Name: "a", Rating: 2000}, record.Player{Name: "b", Rating: 2000, Title: "BOT"}
	day := func(month, day int) time.Time { return time.Date(2026, time.Month(month), day, 12, 0, 0, 0, time.UTC) }
	return []*record.Summary{
		{Created: day(7, 1), White: us(2000, 5), Black: a, Result: rules.WhiteWins, Status: lichess.StatusMate,
			Speed: "blitz", Version: "v1"},
		{Created: day(7, 2), White: b, Black: us(2005, 5), Result: rules.BlackWins, Status: lichess.StatusResign,
			Speed: "bullet", Version: "v1", Network: "n", Contender: "new"},
		{Created: day(7, 3), White: a, Black: b, Result: rules.WhiteWins, Status: lichess.StatusMate},
		{Created: day(8, 1), White: us(2010, -6), Black: b, Result: rules.BlackWins,
			Status: lichess.StatusOutOfTime, Speed: "bullet", Version: "v1", Network: "n", Contender: "new"},
		{Created: day(8, 2), White: b, Black: us(2004, 0), Result: rules.Draw, Status: lichess.StatusDraw,
			Speed: "bullet"},
		{Created: day(8, 3), White: b, Black: us(0, 0), Result: rules.NoResult, Status: lichess.StatusUnknownFinish,
			Speed: "rapid"},
	}
}

func TestMostFrequentPlayer(t *testing.T) {
	a, b, bot := record.Player{Name: "a"}, record.Player{Name: "b"}, record.Player{Name: "zhbot", Title: "BOT"}
	for _, tt := range []struct {
		games []*record.Summary
		want  string
		err   string
	}{
		{nil, "", ""},
		{[]*record.Summary{{White: b, Black: a}}, "",
			`"a" and "b" are in equally many games: choose one with --player`},
		{[]*record.Summary{{White: a, Black: bot}}, "zhbot", ""},
		{[]*record.Summary{{White: a, Black: bot}, {White: a, Black: b}}, "a", ""},
		{[]*record.Summary{{White: a}, {White: b}, {White: b}}, "b", ""},
	} {
		got, err := MostFrequentPlayer(tt.games)
		if text := fmt.Sprint(err); got != tt.want || err != nil && text != tt.err || (err != nil) != (tt.err != "") {
			t.Errorf("of %d games, %q with error %v, want %q with %q", len(tt.games), got, err, tt.want, tt.err)
		}
	}
}

func TestNewReport(t *testing.T) {
	r := NewReport(season(), "ZHBOT", Options{})
	if r.Total.Performance == nil || r.Total.Performance.Rating != 2089 {
		t.Errorf("performance %+v, want 2089", r.Total.Performance)
	}
	want := Score{
		Games: 4, Tally: record.Tally{Won: 2, Drawn: 1,
			Lost: 1}, Unfinished: 1, Percent: 62.5, Streak: 2, LostOnTime: 1, TimePercent: 25,
		Ends: []EndCount{
			{"checkmate", record.Tally{Won: 1}}, {"resignation", record.Tally{Won: 1}},
			{"time forfeit", record.Tally{Lost: 1}}, {"draw", record.Tally{Drawn: 1}},
		},
	}
	r.Total.Performance = nil
	if diff := cmp.Diff(want, r.Total, cmpopts.IgnoreUnexported(Score{})); diff != "" {
		t.Errorf("total (-want +got):\n%s", diff)
	}
	var ratings []int
	for _, p := range r.Ratings {
		ratings = append(ratings, p.Rating)
	}
	if diff := cmp.Diff([]int{2005, 2010, 2004, 2004}, ratings); diff != "" || r.RatingBefore != 2000 {
		t.Errorf("ratings (-want +got):\n%s\nbefore them %d", diff, r.RatingBefore)
	}
	if r.From.Format(time.DateOnly) != "2026-07-01" || r.To.Format(time.DateOnly) != "2026-08-03" {
		t.Errorf("from %s to %s", r.From, r.To)
	}
}

func TestNewReport_Groups(t *testing.T) {
	for by, want := range map[string][]string{
		"opponent":  {"b 1/1/1", "a 1/0/0"},
		"speed":     {"bullet 1/1/1", "blitz 1/0/0", "rapid 0/0/0"},
		"color":     {"black 1/1/0", "white 1/0/1"},
		"version":   {"v1 n 1/0/1", "unknown 0/1/0", "v1 1/0/0"},
		"month":     {"2026-07 2/0/0", "2026-08 0/1/1"},
		"contender": {"(none) 1/1/0", "new 1/0/1"},
		"level":     {"full strength 2/1/1"},
	} {
		var got []string
		for _, g := range NewReport(season(), "zhbot", Options{By: by}).Groups {
			got = append(got, fmt.Sprintf("%s %d/%d/%d", g.Name, g.Won, g.Drawn, g.Lost))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", by, diff)
		}
	}
	if len(GroupKeys()) != 7 {
		t.Errorf("not all group keys %v are tested", GroupKeys())
	}
}

// The statistics of the games in the fixture of package record are as version 1 printed
// them.
func TestReport_AsVersion1(t *testing.T) {
	const dir = "../record/testdata/v1"
	games, _, err := record.ReadFiles(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(NewReport(games, "zhbot", Options{By: "opponent"}), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	want := fixture.Read(t, filepath.Join(dir, "stats.json"))
	if string(text)+"\n" != want {
		t.Errorf("statistics\n%s\nwant\n%s", text, want)
	}
}
