package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/guptarohit/asciigraph"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/terminal"
)

// printStats prints statistics for people.
func printStats(out io.Writer, r *record.Report) error {
	if r.Total.Games == 0 {
		fmt.Fprintf(out, "no finished games%s\n", ofPlayer(r.Player))
		return nil
	}
	fmt.Fprintf(out, "%s: %s%s\n\n", terminal.Printable(r.Player), gameCount(r.Total.Games), dateRange(r))
	if err := printScores(out, r); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if err := printEnds(out, &r.Total); err != nil {
		return err
	}
	if chart := ratingChart(r.Ratings); chart != "" {
		fmt.Fprintf(out, "\n%s\n", chart)
	}
	return nil
}

func gameCount(n int) string {
	if n == 1 {
		return "1 game"
	}
	return fmt.Sprintf("%d games", n)
}

func ofPlayer(player string) string {
	if player == "" {
		return ""
	}
	return " of " + terminal.Printable(player)
}

func dateRange(r *record.Report) string {
	if r.From.IsZero() {
		return ""
	}
	return fmt.Sprintf(", %s to %s", r.From.Format(time.DateOnly), r.To.Format(time.DateOnly))
}

// printScores prints a line for each group and one for all games.
func printScores(out io.Writer, r *record.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tgames\twon\tdrawn\tlost\tscore\tperformance\tlongest streak\tlost on time\t\n", r.By)
	for i := range r.Groups {
		printScore(w, terminal.Printable(r.Groups[i].Name), &r.Groups[i].Score)
	}
	printScore(w, "total", &r.Total)
	return w.Flush()
}

func printScore(w io.Writer, name string, s *record.Score) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.1f %%\t%s\t%d\t%d (%.1f %%)\t\n", name, s.Games, s.Won, s.Drawn, s.Lost, s.Percent,
		performance(s.Performance), s.Streak, s.LostOnTime, s.TimePercent)
}

func performance(p *record.Performance) string {
	switch {
	case p == nil:
		return "?"
	case p.Bound != "":
		return fmt.Sprintf("%s%d", p.Bound, p.Rating)
	}
	return fmt.Sprintf("%d ± %d", p.Rating, p.Error)
}

// printEnds prints how the games ended.
func printEnds(out io.Writer, s *record.Score) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "ended by\twon\tdrawn\tlost\t")
	for _, e := range s.Ends {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t\n", e.End, e.Won, e.Drawn, e.Lost)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if s.Unfinished > 0 {
		fmt.Fprintf(out, "without a result: %s\n", gameCount(s.Unfinished))
	}
	return nil
}

// The size of the chart, in characters.
const (
	chartWidth  = 72
	chartHeight = 12
)

// ratingChart draws a rating game by game, "" if there is nothing to draw.
func ratingChart(ratings []record.Rating) string {
	if len(ratings) < 2 {
		return ""
	}
	var line []float64
	columns := min(len(ratings), chartWidth)
	for i := range columns { // the last game of each column
		line = append(line, float64(ratings[(i+1)*len(ratings)/columns-1].Rating))
	}
	low, high := slices.Min(line), slices.Max(line)
	options := []asciigraph.Option{
		asciigraph.Height(min(chartHeight, max(int(high-low), 2))), asciigraph.Width(chartWidth), asciigraph.Precision(0),
		asciigraph.Caption(fmt.Sprintf("rating over %d games, now %.0f", len(ratings), line[columns-1])),
	}
	if low == high { // a line without a height has no scale
		options = append(options, asciigraph.LowerBound(low-1), asciigraph.UpperBound(high+1))
	}
	return asciigraph.Plot(line, options...)
}
