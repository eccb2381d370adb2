package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot/record"
)

// stats is a command line of "zhbot stats".
type stats struct {
	settings settings
	player   string
	by       string
	since    string
	json     bool
}

func newStatsCommand() *cobra.Command {
	var s stats
	cmd := &cobra.Command{
		Use:   "stats [FILE|FOLDER...]",
		Short: "Score, performance rating and rating curve from PGN files",
		Long: "stats reads crazyhouse games from PGN files, whoever wrote them, and prints how a player has\n" +
			"done: score, performance rating with its error (95 %), longest row of wins, how games ended,\n" +
			"the share lost on time, and a chart of the rating. Without files it reads the records of the\n" +
			"bot (records.dir). Without --player it is about the player who is in most of the games.",
		Example: "  zhbot stats\n  zhbot stats --by opponent --since 2026-08\n  zhbot stats --by version --since 30d --json\n" +
			"  zhbot stats --player somebody lichess_games.pgn",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.run(cmd.OutOrStdout(), args, time.Now())
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.player, "player", "", "whose statistics (default the player in most of the games)")
	f.StringVar(&s.by, "by", "", "also print a line for each "+strings.Join(record.GroupKeys(), ", "))
	f.StringVar(&s.since, "since", "", "only games from a day (2026-08-15), month (2026-08) or year on, or of the last 30d or 12h")
	f.BoolVar(&s.json, "json", false, "print JSON")
	s.settings.addFlags(f)
	return cmd
}

func (s *stats) run(out io.Writer, paths []string, now time.Time) error {
	if s.by != "" && !slices.Contains(record.GroupKeys(), s.by) {
		return &usageError{fmt.Errorf("--by %q: want one of %s", s.by, strings.Join(record.GroupKeys(), ", "))}
	}
	since, err := parseSince(s.since, now)
	if err != nil {
		return &usageError{fmt.Errorf("--since %w", err)}
	}
	if len(paths) == 0 {
		if paths, err = s.recordsDir(); err != nil {
			return err
		}
	}
	games, err := record.ReadFiles(paths...)
	if err != nil {
		return fmt.Errorf("stats: %w", err)
	}
	player := s.player
	if player == "" {
		player = record.MostFrequentPlayer(games)
	}
	if !since.IsZero() {
		games = slices.DeleteFunc(games, func(g *record.Summary) bool { return g.StartTime.Before(since) })
	}
	report := record.NewReport(games, player, s.by)
	if s.json {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	}
	return printStats(out, report)
}

// recordsDir returns where the bot keeps its records.
func (s *stats) recordsDir() ([]string, error) {
	c, err := s.settings.load()
	if err != nil {
		return nil, err
	}
	if c.Records.Dir == "" {
		return nil, errors.New("stats: records.dir is empty: name PGN files to read")
	}
	return []string{c.Records.Dir}, nil
}

// parseSince reads a day, month or year (in UTC), or a time before now; the zero
// time for "".
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("%q: want a date such as 2026-08-15 or 2026-08, or a time such as 30d or 12h", text)
}
