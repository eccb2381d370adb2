package soak

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// report collects the results of a soak. The goroutine that plays the games writes it;
// watch, usage and outage have owners of their own.
type report struct {
	options     *Options
	watch       *watch
	child       *child // in which the bot was, if Options.Child
	usage       usages
	faults      map[string]int // that happened, by name
	refused     []string       // challenges that the bot declined with a reason other than "later"
	results     []lichesstest.Result
	stall       stall      // the longest
	unexpected  []string   // moves that are not the ones the engine chose
	streamless  streamless // games
	outage      longOutage
	traffic     lichesstest.Traffic
	unavoidable []string
	claimed     int      // wins over opponents who left
	missedWins  []string // the same, but the draw was claimed
	failures    []string // games that something but chess ended, and how
	unrecorded  []string // games that are missing in the records, or wrong there
	audit       lichesstest.Audit
}

// stall is the time of a turn that was not spent on the search.
type stall struct {
	time time.Duration
	game string
	ply  int
}

// streamless is how long games were without a stream, as the server saw it.
type streamless struct {
	sum, longest time.Duration
	game         string // of the longest
}

func newReport(o *Options) *report {
	return &report{options: o, watch: newWatch(), child: new(child), faults: map[string]int{}}
}

// addGame adds a finished game.
func (r *report) addGame(game lichesstest.Result) {
	r.results = append(r.results, game)
	o := app.OutcomeOf(game)
	if r.streamless.sum += o.Absent; o.Absent > r.streamless.longest {
		r.streamless.longest, r.streamless.game = o.Absent, game.ID
	}
	searches := r.watch.searchesOf(game.ID)
	r.unexpected = append(r.unexpected, unexpectedMoves(game, searches)...)
	for ply, turn := range game.Turns {
		ours := (ply%2 == 0) == (o.Color == lichess.White)
		if stalled := turn - searches[ply].time; ours && ply > 1 && stalled > r.stall.time {
			r.stall = stall{stalled, game.ID, ply}
		}
	}
	switch {
	case game.Status == lichess.StatusTimeout && o.Score == "won":
		r.claimed++
	case game.Status == lichess.StatusTimeout && o.Score == "drew":
		r.missedWins = append(r.missedWins, fmt.Sprintf("game %s against %s: the opponent left, and a draw was claimed", game.ID, o.Opponent))
	case game.Status == lichess.StatusAborted || game.Status == lichess.StatusNoStart || game.Status == lichess.StatusTimeout:
		r.failures = append(r.failures, fmt.Sprintf("game %s against %s: %s", game.ID, o.Opponent, game.Status))
	case game.Status == lichess.StatusOutOfTime && o.Score == "lost":
		r.classifyTimeLoss(game, o.Color)
	}
}

// reconnectTime is what a bot may need for one move without thinking about it:
// to open a stream and to post.
const reconnectTime = 500 * time.Millisecond

// classifyTimeLoss classifies a loss on time: unavoidable if the outages of the last
// turn left too little of it for any bot, else a failure.
func (r *report) classifyTimeLoss(game lichesstest.Result, color lichess.Color) {
	last := game.LastTurn
	text := fmt.Sprintf("game %s lost on time at ply %d as %s: %s on the clock when the turn began, of which the server withheld %s%s",
		game.ID, game.Plies, color, millis(last.Clock), millis(last.OutageTime()), faultsOf(last.Outages))
	if left := last.Clock - last.OutageTime(); left < reconnectTime && last.OutageTime() > 0 {
		r.unavoidable = append(r.unavoidable, fmt.Sprintf("%s: %s were left", text, millis(left)))
		return
	}
	r.failures = append(r.failures, text)
}

// unexpectedMoves returns the bot's moves that differ from the engine's choice. The server
// has accepted them all, so they are legal.
func unexpectedMoves(game lichesstest.Result, searches map[int]turnSearch) (unexpected []string) {
	g := rules.NewGame(rules.StartPosition())
	for ply, uci := range game.Moves {
		if err := g.PlayUCI(uci); err != nil {
			return append(unexpected, fmt.Sprintf("game %s ply %d: %v", game.ID, ply, err))
		}
		if s, searched := searches[ply]; searched && s.move != g.Moves()[ply] {
			unexpected = append(unexpected, fmt.Sprintf("game %s ply %d: %s was played, the engine chose %s", game.ID, ply, uci, s.move))
		}
	}
	return unexpected
}

func millis(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// faultsOf names each outage and its length.
func faultsOf(outages []lichesstest.Outage) string {
	if len(outages) == 0 {
		return ""
	}
	parts := make([]string, len(outages))
	for i, o := range outages {
		parts[i] = fmt.Sprintf("%s %s", o.Fault, millis(o.To.Sub(o.From)))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// write writes the table and the games that count against the bot, and returns what is
// wrong.
func (r *report) write(out io.Writer) error {
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	r.table(func(shown bool, name, format string, args ...any) {
		if shown {
			fmt.Fprintf(w, name+"\t"+format+"\n", args...)
		}
	})
	if err := w.Flush(); err != nil {
		return err
	}
	var faults []string
	check := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	for _, l := range []struct {
		lines []string
		fault string // "" for none
	}{
		{r.unavoidable, ""}, {r.refused, ""},
		{r.failures, "%d games were lost by something other than chess"},
		{r.missedWins, "%d games were drawn by claim that could have been won"},
		{r.unexpected, "%d moves were not the ones that the engine chose"},
		{r.unrecorded, "%d games are missing or wrong in the records"},
		{r.watch.abandoned, "%d games were given up"},
		{r.child.failures, "the bot ended unexpectedly %d times"},
	} {
		for _, line := range l.lines {
			fmt.Fprintln(out, line)
		}
		check(l.fault != "" && len(l.lines) > 0, l.fault, len(l.lines))
	}
	badPosts, first, last := r.audit.Duplicates+r.audit.Illegal+r.audit.OutOfTurn, r.usage.first, r.usage.last
	check(len(r.results) < r.options.Games, "%d of %d games were played", len(r.results), r.options.Games)
	check(r.options.Outage > 0 && r.outage.from.IsZero(), "the outage never began: the games were over too soon")
	check(badPosts > 0, "%d moves were posted twice, out of turn or against the rules", badPosts)
	check(r.options.watchesProgram() && r.watch.asked == 0, "the engine program chose no move")
	check(!r.options.Child && last.goroutines > first.goroutines+leakTolerance, "goroutines were left behind")
	check(!r.options.Child && last.files > first.files+leakTolerance, "files were left open")
	if len(faults) > 0 {
		return errors.New(strings.Join(faults, "; "))
	}
	return nil
}

// leakTolerance is how many more goroutines or files there may be at the end: those of
// connections that are about to close.
const leakTolerance = 8

// table passes on the rows of the table, of which only some are shown.
func (r *report) table(row func(shown bool, name, format string, args ...any)) {
	counts, onTime := map[string]int{}, 0 // of "won", "drew" and "lost"
	for _, game := range r.results {
		score := app.OutcomeOf(game).Score
		counts[score]++
		if score == "lost" && game.Status == lichess.StatusOutOfTime {
			onTime++
		}
	}
	a, s, first, peak, last := r.audit, &r.streamless, r.usage.first, r.usage.peak, r.usage.last
	inProcess, usesProgram := !r.options.Child, r.options.watchesProgram()
	row(true, "games", "%d", len(r.results))
	row(true, "results", "+%d =%d -%d", counts["won"], counts["drew"], counts["lost"])
	row(true, "lost on time", "%d, of these %d that the server made unavoidable", onTime, len(r.unavoidable))
	row(true, "lost by anything other than chess", "%d", len(r.failures)-(onTime-len(r.unavoidable)))
	row(true, "wins claimed, draws claimed", "%d, %d", r.claimed, len(r.missedWins))
	row(true, "moves", "%d", a.Moves)
	row(true, "moves lost", "%d games missing or wrong in the records", len(r.unrecorded))
	row(true, "moves doubled, illegal, out of turn", "%d, %d, %d", a.Duplicates, a.Illegal, a.OutOfTurn)
	row(inProcess, "moves other than the engine's", "%d", len(r.unexpected))
	row(true, "faults", "%s", countsOf(r.faults))
	row(!inProcess, "starts of the bot", "%d, after %d unexpected ends", r.child.starts, len(r.child.failures))
	row(inProcess, "panics survived", "%s", countsOf(r.watch.panics))
	row(usesProgram, "moves by the engine program", "%d", r.watch.asked)
	row(usesProgram, "fallbacks to our own search", "%s", countsOf(r.watch.fallbacks))
	row(true, "without a stream", "%s a game on average, at most %s (game %s); %s in all",
		millis(s.sum/time.Duration(max(1, len(r.results)))), millis(s.longest), cmp.Or(s.game, "none"), millis(s.sum))
	row(inProcess, "reconnects", "%s; by the bot's own count %s without a stream", countsOf(r.watch.reconnects), millis(r.watch.streamless))
	row(inProcess, "longest stall", "%s beyond the search, game %s ply %d", millis(r.stall.time), cmp.Or(r.stall.game, "none"), r.stall.ply)
	row(true, "requests", "%d, at most %d a minute", r.traffic.Total(), busiestMinute(&r.traffic))
	row(!r.outage.from.IsZero(), "requests by minute of the outage", "%s", r.outage.requests(&r.traffic))
	row(true, "memory first, peak, last", "%d, %d, %d MiB", first.memory, peak.memory, last.memory)
	row(inProcess, "goroutines first, peak, last", "%d, %d, %d", first.goroutines, peak.goroutines, last.goroutines)
	row(true, "open files first, peak, last", "%d, %d, %d", first.files, peak.files, last.files)
}

// countsOf writes counts by name.
func countsOf(counts map[string]int) string {
	if len(counts) == 0 {
		return "none"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}
