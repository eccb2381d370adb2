// Package stats computes a player's score, performance rating and rating curve
// from the games of package record, see [NewReport], and compares the contenders that
// played rated games, see [RatedGames].
package stats

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Score is a player's score over some games.
type Score struct {
	Games int `json:"games"`
	record.Tally
	Unfinished int `json:"unfinished"` // aborted or interrupted; not counted elsewhere
	// Percent is the score, from 0 to 100.
	Percent     float64      `json:"percent"`
	Performance *Performance `json:"performance"`    // nil without a rated opponent
	Streak      int          `json:"longest_streak"` // longest run of wins
	LostOnTime  int          `json:"lost_on_time"`
	// TimePercent is the share of games lost on time, from 0 to 100.
	TimePercent   float64 `json:"lost_on_time_percent"`
	FallbackMoves int     `json:"fallback_moves,omitempty"` // see [record.Summary.Fallbacks]
	FallbackGames int     `json:"fallback_games,omitempty"` // with such a move
	// Uncounted counts the rated games that changed no rating, by reason.
	Uncounted     map[record.Uncounted]int `json:"uncounted,omitempty"`
	Ends          []EndCount               `json:"ends"`
	opposition    scoreByRating            // source of Performance
	currentStreak int
}

// EndCount counts the games that ended in one way, by result.
type EndCount struct {
	End string `json:"end"` // such as "checkmate"
	record.Tally
}

// ends are the ways to end, in the order of a report, with their names in it.
var ends = []struct {
	status lichess.Status
	name   string
}{
	{lichess.StatusMate, "checkmate"},
	{lichess.StatusResign, "resignation"},
	{lichess.StatusOutOfTime, "time forfeit"},
	{lichess.StatusTimeout, "a player left"},
	{lichess.StatusDraw, "draw"},
	{lichess.StatusAborted, "abandoned"},
	{lichess.StatusCheat, "rules infraction"},
	{lichess.StatusUnknownFinish, "unknown"},
}

// Group is the score over the games with one value of the group key.
type Group struct {
	Name string `json:"name"`
	Score
}

// Rating is a player's rating after a game.
type Rating struct {
	Time   time.Time `json:"time,omitzero"`
	Rating int       `json:"rating"`
}

// Report holds a player's statistics.
type Report struct {
	Player  string    `json:"player"`
	From    time.Time `json:"from,omitzero"` // start times of the first and last game
	To      time.Time `json:"to,omitzero"`
	Total   Score     `json:"total"`
	By      string    `json:"by,omitempty"` // the group key
	Groups  []Group   `json:"groups,omitzero"`
	Ratings []Rating  `json:"ratings"` // after each game that has one
	// RatingBefore is the rating before the first of them.
	RatingBefore int `json:"-"`
	// Comparison compares the contenders, if grouped by them; nil without rated games.
	Comparison *Comparison `json:"comparison,omitempty"`
	// Calibration ties the levels of play to ratings, if grouped by them.
	Calibration *Calibration `json:"calibration,omitempty"`
	SPRT        *SPRTReport  `json:"sprt,omitempty"` // nil unless asked for
}

// Options are what a report has besides totals.
type Options struct {
	By   string      // one of [GroupKeys], or "" for no groups
	SPRT config.SPRT // of two contenders; the zero value for none
	All  bool        // compare by all rated games, even those that say nothing of strength
}

// GroupKeys returns the keys that [NewReport] can group by.
func GroupKeys() []string {
	return []string{"opponent", "speed", "color", "version", "contender", "level", "month"}
}

// groupOf returns the value of a group key for a game.
func groupOf(s *record.PlayerView, by string) string {
	switch by {
	case "opponent":
		return s.Opponent.Name
	case "speed":
		return cmp.Or(string(s.Speed), "unknown")
	case "color":
		return s.Color.String()
	case "version":
		if s.Version == "" {
			return "unknown"
		}
		return strings.TrimSpace(s.Version + " " + cmp.Or(s.Program, s.Network)) // there may be neither
	case "contender":
		return cmp.Or(s.Contender, noContender)
	case "level":
		if at, ok := s.PlayedLevel(); ok {
			return strconv.Itoa(int(math.Round(at)))
		}
		return cmp.Or(s.Level, "full strength")
	case "month":
		if s.Created.IsZero() {
			return "unknown"
		}
		return s.Created.Format("2006-01")
	}
	return ""
}

// MostFrequentPlayer returns the player with the most games, of several a bot; "" without
// games. If that leaves more than one, the error names two.
func MostFrequentPlayer(games []*record.Summary) (string, error) {
	type counts struct{ games, asBot int }
	count := map[string]counts{}
	for _, g := range games {
		for _, p := range []record.Player{g.White, g.Black} {
			n := count[p.Name]
			n.games++
			if p.IsBot() {
				n.asBot++
			}
			count[p.Name] = n
		}
	}
	delete(count, "")
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b].games, count[a].games), cmp.Compare(count[b].asBot, count[a].asBot),
			strings.Compare(a, b))
	})
	switch {
	case len(names) == 0:
		return "", nil
	case len(names) > 1 && count[names[0]] == count[names[1]]:
		return "", fmt.Errorf("%q and %q are in equally many games: choose one with --player", names[0], names[1])
	}
	return names[0], nil
}

// NewReport computes a player's statistics from games in the order in which they were
// played.
func NewReport(games []*record.Summary, player string, o Options) *Report {
	r := &Report{Player: player, By: o.By, Ratings: []Rating{}}
	groups, rated, leveled := map[string]*Score{}, RatedGames{All: o.All}, NewLeveledGames()
	for _, g := range games {
		view, ok := g.View(player)
		if !ok {
			continue
		}
		if !view.Created.IsZero() {
			r.From, r.To = cmp.Or(r.From, view.Created), view.Created
		}
		r.Total.add(&view)
		if o.By != "" {
			name := groupOf(&view, o.By)
			if groups[name] == nil {
				groups[name] = new(Score)
			}
			groups[name].add(&view)
		}
		rated.Add(&view)
		leveled.Add(&view)
		if view.Us.Rating > 0 {
			if len(r.Ratings) == 0 {
				r.RatingBefore = view.Us.Rating
			}
			r.Ratings = append(r.Ratings, Rating{view.Created, view.Us.Rating + view.Us.RatingDiff})
		}
	}
	r.Total.computeRates()
	r.Groups = sortGroups(groups, o.By)
	if o.By == "contender" {
		r.Comparison = rated.Compare()
	}
	if o.By == "level" {
		r.Calibration = leveled.calibrate()
	}
	if o.SPRT != (config.SPRT{}) {
		r.SPRT = rated.SPRT(o.SPRT)
	}
	return r
}

// add adds a game to the counts.
func (s *Score) add(g *record.PlayerView) {
	end := s.end(g.Summary)
	if g.Result == rules.NoResult {
		s.Unfinished++
		return
	}
	s.Games++
	s.Add(g.Result, g.Color)
	end.Add(g.Result, g.Color)
	s.opposition.add(g.Opponent.Rating, g.Result, g.Color)
	if g.Result != rules.WinOf(g.Color) {
		s.currentStreak = 0
	} else {
		s.currentStreak++
		s.Streak = max(s.Streak, s.currentStreak)
	}
	if g.Result == rules.WinOf(g.Color.Other()) && g.Status == lichess.StatusOutOfTime {
		s.LostOnTime++
	}
	if g.Uncounted != "" {
		if s.Uncounted == nil {
			s.Uncounted = map[record.Uncounted]int{}
		}
		s.Uncounted[g.Uncounted]++
	}
	if s.FallbackMoves += g.Fallbacks; g.Fallbacks > 0 {
		s.FallbackGames++
	}
}

// end returns the count for the way in which a game ended: one that is unknown has the words of
// its PGN.
func (s *Score) end(g *record.Summary) *EndCount {
	if s.Ends == nil {
		for _, e := range ends {
			s.Ends = append(s.Ends, EndCount{End: e.name})
		}
	}
	name := ""
	for _, e := range ends {
		if e.status == g.Status {
			name = e.name
		}
	}
	if g.Ending != "" {
		name += ": " + g.Ending
	}
	i := slices.IndexFunc(s.Ends, func(c EndCount) bool { return c.End == name })
	if i < 0 {
		i = len(s.Ends)
		s.Ends = append(s.Ends, EndCount{End: name})
	}
	return &s.Ends[i]
}

// computeRates computes percentages and performance from the counts.
func (s *Score) computeRates() {
	s.Ends = slices.DeleteFunc(s.Ends, func(c EndCount) bool { return c.Games() == 0 })
	if s.Ends == nil {
		s.Ends = []EndCount{} // as JSON has it
	}
	if s.Games == 0 {
		return
	}
	s.Percent = 100 * s.Points() / float64(s.Games)
	s.TimePercent = 100 * float64(s.LostOnTime) / float64(s.Games)
	s.Performance = s.opposition.performance()
}

// speedRank orders the names of speeds from fast to slow; an unknown one comes first.
func speedRank(name string) int { return slices.Index(lichess.Speeds(), lichess.Speed(name)) }

// sortGroups returns months in chronological order, speeds from fast to slow, and
// other groups by number of games.
func sortGroups(groups map[string]*Score, by string) (list []Group) {
	if by != "" {
		list = []Group{}
	}
	for name, s := range groups {
		s.computeRates()
		list = append(list, Group{name, *s})
	}
	slices.SortFunc(list, func(x, y Group) int {
		order := 0
		switch by {
		case "month":
		case "speed":
			order = cmp.Compare(speedRank(x.Name), speedRank(y.Name))
		default:
			order = cmp.Compare(y.Games, x.Games)
		}
		return cmp.Or(order, strings.Compare(x.Name, y.Name))
	})
	return list
}
