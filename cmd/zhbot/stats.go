package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/term"
)

// statsCommand is a command line of "zhbot stats".
type statsCommand struct {
	settings settings
	player   string
	report   stats.Options
	since    time.Time
	json     bool
}

func newStatsCommand() *cobra.Command {
	var s statsCommand
	cmd := command("stats [FILE|FOLDER...]", s.run)
	f := cmd.Flags()
	f.StringVar(&s.player, "player", "", "whose statistics (default the player in most of the games)")
	keys := stats.GroupKeys()
	choiceFlag(f, &s.report.By, "by", "", keys, "also print a line for each "+strings.Join(keys, ", "))
	parsedFlag(f, &s.since, "since", "", parseSince, "string",
		"only games since a day (2026-08-15), a month (2026-08) or a year, or of the last 30d or 12h")
	parsedFlag(f, &s.report.SPRT, "sprt", "", parseSPRT, "new,base,e0,e1",
		"test whether a contender is at most e0 or at least e1 Elo stronger than another, such as new,base,0,30")
	f.BoolVar(&s.report.All, "all", false,
		"compare contenders by all rated games, even those that say nothing of strength")
	f.BoolVar(&s.json, "json", false, "print JSON")
	s.settings.addFlags(f)
	return cmd
}

func parseSPRT(text string) (test config.SPRT, err error) {
	err = test.UnmarshalText([]byte(text))
	return test, err
}

func (s *statsCommand) run(cmd *cobra.Command, paths []string) (err error) {
	if len(paths) == 0 {
		if paths, err = s.recordsDir(); err != nil {
			return err
		}
	}
	games, others, err := record.ReadFiles(cmd.Context(), paths...)
	if err != nil {
		return err
	}
	printLeftOut(cmd, others)
	player := s.player
	if player == "" {
		if player, err = stats.MostFrequentPlayer(games); err != nil {
			return err
		}
	}
	games = slices.DeleteFunc(games, func(g *record.Summary) bool { return g.Created.Before(s.since) })
	if err := s.checkContenders(games); err != nil {
		return err
	}
	report := stats.NewReport(games, player, s.report)
	if s.json {
		return printJSON(cmd.OutOrStdout(), report)
	}
	return printStats(cmd.OutOrStdout(), report)
}

// printLeftOut says how many games are no crazyhouse games.
func printLeftOut(cmd *cobra.Command, games int) {
	if games > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s left out: not crazyhouse\n", count(games, "game"))
	}
}

// checkContenders fails if the test is of a contender without a game.
func (s *statsCommand) checkContenders(games []*record.Summary) error {
	for _, name := range []string{s.report.SPRT.New, s.report.SPRT.Base} {
		if name != "" && !slices.ContainsFunc(games, func(g *record.Summary) bool { return g.Contender == name }) {
			return fmt.Errorf("--sprt: there is no game of a contender %q; \"zhbot stats --by contender\" lists them",
				name)
		}
	}
	return nil
}

// recordsDir returns where the bot keeps its records.
func (s *statsCommand) recordsDir() ([]string, error) {
	c, err := s.settings.load()
	if err != nil {
		return nil, err
	}
	if c.Records.Dir == "" {
		return nil, errors.New("records.dir is empty: name PGN files to read")
	}
	if !file.Exists(c.Records.Dir) {
		return nil, fmt.Errorf("no games yet: there is no folder %s (records.dir); name PGN files to read, "+
			"or the bot's settings with --config", c.Records.Dir)
	}
	return []string{c.Records.Dir}, nil
}

// printStats prints statistics for people.
func printStats(w io.Writer, r *stats.Report) error {
	out := bufio.NewWriter(w) // it keeps the first error
	if r.Total.Games == 0 {
		fmt.Fprintln(out, strings.TrimSuffix("no finished games of "+term.Printable(r.Player), " of "))
		return out.Flush()
	}
	fmt.Fprintf(out, "%s: %s%s\n\n", term.Printable(r.Player), count(r.Total.Games, "game"), dateRange(r))
	printScores(out, r)
	fmt.Fprintln(out)
	if r.Calibration != nil {
		printCalibration(out, r.Calibration)
		fmt.Fprintln(out)
	}
	if r.Comparison != nil {
		printComparison(out, r.Comparison)
		fmt.Fprintln(out)
	}
	if r.SPRT != nil {
		fmt.Fprintf(out, "test: %s\n\n", term.Printable(r.SPRT.String()))
	}
	printEnds(out, &r.Total)
	if n := len(r.Ratings); n > 1 {
		fmt.Fprintf(out, "\nrating %d, after %d games %d\n", r.RatingBefore, n, r.Ratings[n-1].Rating)
	}
	return out.Flush()
}

// count returns a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func dateRange(r *stats.Report) string {
	if r.From.IsZero() {
		return ""
	}
	return fmt.Sprintf(", %s to %s", r.From.Format(time.DateOnly), r.To.Format(time.DateOnly))
}

// printScores prints a line for each group and one for all games.
func printScores(out io.Writer, r *stats.Report) {
	w := newTable(out, tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tgames\twon\tdrawn\tlost\tscore\tperformance\tlongest streak\tlost on time\t\n", r.By)
	for i := range r.Groups {
		printScore(w, term.Printable(r.Groups[i].Name), &r.Groups[i].Score)
	}
	printScore(w, "total", &r.Total)
	_ = w.Flush()
}

func printScore(w io.Writer, name string, s *stats.Score) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.1f %%\t%s\t%d\t%d (%.1f %%)\t\n",
		name, s.Games, s.Won, s.Drawn, s.Lost, s.Percent,
		performance(s.Performance), s.Streak, s.LostOnTime, s.TimePercent)
}

func performance(p *stats.Performance) string {
	switch {
	case p == nil:
		return "?"
	case p.Bound != "":
		return fmt.Sprintf("%s%d", p.Bound, p.Rating)
	}
	return fmt.Sprintf("%d ± %d", p.Rating, p.Error)
}

// printCalibration prints the ratings of the levels of play.
func printCalibration(out io.Writer, c *stats.Calibration) {
	if c.Games == 0 {
		fmt.Fprintln(out, "levels on Lichess's scale: a guess, "+
			"as there are no casual games below full strength against people")
	} else {
		fmt.Fprintf(out, "levels on Lichess's scale, one fit over %s against people, with 95 %% intervals\n",
			count(c.Games, "casual game"))
	}
	w := newTable(out, tabwriter.AlignRight)
	fmt.Fprintln(w, "level\tgames\trating\t")
	for _, l := range c.Levels {
		fmt.Fprintf(w, "%d\t%d\t%.0f ± %.0f\t\n", l.Level, l.Games, l.Elo, l.Error)
	}
	_ = w.Flush()
}

// printComparison prints the strength of contenders, and their differences.
func printComparison(out io.Writer, c *stats.Comparison) {
	if len(c.LeftOut) > 0 {
		fmt.Fprintf(out, "rated games left out of the comparison, unless with --all: %s\n", reasons(c.LeftOut))
	}
	if c.Games == 0 {
		return
	}
	fmt.Fprintf(out, "strength in rated play, one fit over %s against %s, with 95 %% intervals\n",
		count(c.Games, "game"), count(c.Opponents, "opponent"))
	w := newTable(out, tabwriter.AlignRight)
	fmt.Fprintln(w, "contender\tgames\trating\t")
	for _, k := range c.Contenders {
		fmt.Fprintf(w, "%s\t%d\t%.0f ± %.0f\t\n", term.Printable(k.Name), k.Games, k.Elo, k.Error)
	}
	_ = w.Flush()
	if len(c.Differences) > 0 {
		fmt.Fprintln(w, "stronger\tweaker\tElo\tlikelihood\tmore games\t")
		for _, d := range c.Differences {
			fmt.Fprintf(w, "%s\t%s\t%s\t%.1f %%\t%s\t\n", term.Printable(d.Stronger), term.Printable(d.Weaker),
				signed(d.Estimate), d.Superiority, moreGames(d.MoreGames))
		}
		_ = w.Flush()
	}
	apart := func(k stats.Contender) bool { return k.For != c.Contenders[0].For }
	if slices.ContainsFunc(c.Contenders, apart) {
		fmt.Fprintln(out, "contenders that are for different games are not compared:")
		for _, k := range c.Contenders {
			fmt.Fprintf(out, "  %s: %s\n", term.Printable(k.Name), cmp.Or(term.Printable(k.For), "all games"))
		}
	}
	effects := []string{"White " + signed(c.White)}
	if len(c.Speeds) > 1 {
		for _, s := range c.Speeds {
			effects = append(effects, cmp.Or(s.Speed, "unknown speed")+" "+signed(s.Estimate))
		}
	}
	if c.Bots != nil {
		effects = append(effects, "bots "+signed(*c.Bots)+" to people of the same rating")
	}
	if c.Drift != nil {
		effects = append(effects, "last week "+signed(*c.Drift)+" to the first")
	}
	fmt.Fprintf(out, "%s; opponents differ from their ratings by %.0f\n",
		strings.Join(effects, ", "), c.OpponentDeviation)
}

func signed(e stats.Estimate) string {
	return fmt.Sprintf("%+.0f ± %.0f", math.Round(e.Elo)+0, e.Error) // not -0
}

func moreGames(n int) string {
	if n == stats.MaxMoreGames {
		return fmt.Sprintf("over %d", n)
	}
	return strconv.Itoa(n)
}

// printEnds prints how the games ended.
func printEnds(out io.Writer, s *stats.Score) {
	w := newTable(out, tabwriter.AlignRight)
	fmt.Fprintln(w, "ended by\twon\tdrawn\tlost\t")
	for _, e := range s.Ends {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t\n", term.Printable(e.End), e.Won, e.Drawn, e.Lost)
	}
	_ = w.Flush()
	if len(s.Uncounted) > 0 {
		fmt.Fprintf(out, "rated games that did not count: %s\n", reasons(s.Uncounted))
	}
	if s.FallbackMoves > 0 {
		fmt.Fprintf(out, "fallback moves, by zhbot's search instead of the engine program: %d in %s\n",
			s.FallbackMoves, count(s.FallbackGames, "game"))
	}
	if s.Unfinished > 0 {
		fmt.Fprintf(out, "without a result: %s\n", count(s.Unfinished, "game"))
	}
}

// reasons lists reasons with their numbers of games.
func reasons[R ~string](games map[R]int) string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(games)) {
		list = append(list, fmt.Sprintf("%d (%s)", games[reason], strings.ReplaceAll(string(reason), "_", " ")))
	}
	return strings.Join(list, ", ")
}
