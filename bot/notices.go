package bot

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// takeoverNotice is for how long a takeover is worth a notice.
const takeoverNotice = 10 * time.Minute

// UpdateNotices replaces the notices, which tell the operator what is wrong and what to do about it.
func (s *Status) UpdateNotices() {
	s.Notices = nil
	add := func(format string, args ...any) { s.Notices = append(s.Notices, fmt.Sprintf(format, args...)) }
	if s.Refused != nil {
		add("Lichess refuses the token or the account, so the bot does not play: %s.", *s.Refused)
	}
	if !s.Lost.Since.IsZero() {
		add("Not connected to Lichess since %s.", s.Lost)
	}
	for _, stream := range slices.Sorted(maps.Keys(s.Takeovers)) {
		t, what := s.Takeovers[stream], "played a game of the bot's"
		if stream == eventsTaken {
			what = "took over the event stream, which the bot opens again at " + clockTime(t.Until)
		}
		if time.Since(t.At) < takeoverNotice {
			add("Another program plays on this account: at %s it %s. Stop it, or give it an account of its own.",
				clockTime(t.At), what)
		}
	}
	if s.Records.Dropped > 0 || !s.Records.Since.IsZero() { // others wait only for the one being written
		add("Records: %s. Free the disk or mend the folder before the bot ends.", s.Records)
	}
	if !s.Settings.Since.IsZero() {
		add("The settings file is invalid since %s. The old settings hold, but the bot would not start again: "+
			"run zhbot check.", s.Settings)
	}
	if s.Draining {
		add("The bot finishes its games, starts no new ones, and ends.")
	}
	if p := s.Paused; p != nil {
		until := "the program ends or is resumed"
		if p.Keep {
			until = "it is resumed"
		}
		add("Paused since %s, until %s: no new games, those in progress go on.",
			dayTime(p.Since), until)
	}
	for _, what := range slices.Sorted(maps.Keys(s.Blocked)) {
		if what == lichess.BotGamesLimit {
			add("Lichess starts no more games against bots until %s: the 100 of a day are played.",
				dayTime(s.Blocked[what]))
			continue
		}
		add("Lichess had too many requests: no %s until %s, then the bot goes on.", what, clockTime(s.Blocked[what]))
	}
	if s.noBio {
		add("When the bot started, the account had no bio: Lichess leaves it out of the list of online bots, "+
			"so few will challenge it. Write one at %s/account/profile.", s.Server)
	}
}

func dayTime(t time.Time) string { return t.Local().Format("15:04 MST on 2 January") }

func clockTime(t time.Time) string { return t.Local().Format("15:04:05 MST") }
