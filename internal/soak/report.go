package soak

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/prometheus/procfs"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// report collects the results of a soak. The goroutine that plays the games writes it;
// watch and usage have owners of their own.
type report struct {
	options    *Options
	watch      *watch
	child      *child // in which the bot was, if Options.Child
	usage      usages
	faults     map[string]int // that happened, by name
	refused    []string       // challenges that the bot declined with a reason other than "later"
	results    []lichesstest.Result
	scores     map[string]int // "won", "drew" and "lost"
	unexpected []string       // moves that are not the ones the engine chose
	requests   []time.Time
	claimed    int      // wins over opponents who left
	missedWins []string // the same, but the draw was claimed
	failures   []string // games that something but chess ended, and how
	unrecorded []string // games that are missing in the records, or wrong there
	audit      lichesstest.Audit

	streamless, longestStreamless time.Duration // of all games, and of one, as the server saw it
}

func newReport(o *Options) *report {
	count := func() map[string]int { return map[string]int{} }
	return &report{
		options: o, child: new(child), faults: count(), scores: count(),
		watch: &watch{chosen: map[string]rules.Move{}, reconnects: count(), panics: count(), fallbacks: count()},
	}
}

// addGame adds a finished game.
func (r *report) addGame(game lichesstest.Result) {
	r.results = append(r.results, game)
	o := app.OutcomeOf(game)
	r.scores[o.Score]++
	r.streamless += o.Absent
	r.longestStreamless = max(r.longestStreamless, o.Absent)
	r.unexpected = append(r.unexpected, r.watch.unexpectedMoves(&game)...)
	text := fmt.Sprintf("game %s against %s: %s", game.ID, o.Opponent, game.Status)
	switch status := game.Status; {
	case status == lichess.StatusTimeout && o.Score == "won":
		r.claimed++
	case status == lichess.StatusTimeout && o.Score == "drew":
		r.missedWins = append(r.missedWins, text+", and a draw was claimed")
	case status == lichess.StatusOutOfTime && o.Score == "lost":
		r.failures = append(r.failures, fmt.Sprintf("%s at ply %d as %s", text, len(game.Moves), o.Color))
	case status == lichess.StatusAborted, status == lichess.StatusNoStart, status == lichess.StatusTimeout:
		r.failures = append(r.failures, text)
	}
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
	var failure error
	check := func(bad bool, format string, args ...any) {
		if bad {
			failure = errors.Join(failure, fmt.Errorf(format, args...))
		}
	}
	for _, l := range []struct {
		lines []string
		fault string // "" for none
	}{
		{r.refused, ""},
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
	o, badPosts := r.options, r.audit.Duplicates+r.audit.Illegal+r.audit.OutOfTurn
	check(len(r.results) < o.Games, "%d of %d games were played", len(r.results), o.Games)
	check(badPosts > 0, "%d moves were posted twice, out of turn or against the rules", badPosts)
	check(o.watchesProgram() && r.watch.asked == 0, "the engine program chose no move")
	for i, name := range usageNames {
		check(i > 0 && !o.Child && r.usage.last[i] > r.usage.first[i]+leakTolerance, "%s were left", name)
	}
	return failure
}

// leakTolerance is how many more goroutines or files there may be at the end: those of
// connections that are about to close.
const leakTolerance = 8

// table passes on the rows of the table, of which only some are shown.
func (r *report) table(row func(shown bool, name, format string, args ...any)) {
	a, scores := r.audit, r.scores
	inProcess, usesProgram := !r.options.Child, r.options.watchesProgram()
	row(true, "games", "%d", len(r.results))
	row(true, "results", "+%d =%d -%d", scores["won"], scores["drew"], scores["lost"])
	row(true, "lost on time", "%d", a.LostOnTime)
	row(true, "lost by anything other than chess", "%d", len(r.failures)-a.LostOnTime)
	row(true, "wins claimed, draws claimed", "%d, %d", r.claimed, len(r.missedWins))
	row(true, "moves", "%d", a.Moves)
	row(len(r.results) == r.options.Games, "moves lost", "%d games missing or wrong in the records", len(r.unrecorded))
	row(true, "moves doubled, illegal, out of turn", "%d, %d, %d", a.Duplicates, a.Illegal, a.OutOfTurn)
	row(inProcess, "moves other than the engine's", "%d", len(r.unexpected))
	row(true, "faults", "%s", countsOf(r.faults))
	row(!inProcess, "starts of the bot", "%d, after %d unexpected ends", r.child.starts, len(r.child.failures))
	row(inProcess, "panics survived", "%s", countsOf(r.watch.panics))
	row(usesProgram, "moves by the engine program", "%d", r.watch.asked)
	row(usesProgram, "fallbacks to our own search", "%s", countsOf(r.watch.fallbacks))
	row(true, "seconds without a stream", "%.3f a game on average, at most %.3f; %.3f in all",
		r.streamless.Seconds()/float64(max(1, len(r.results))), r.longestStreamless.Seconds(), r.streamless.Seconds())
	row(inProcess, "reconnects", "%s", countsOf(r.watch.reconnects))
	row(true, "requests", "%d, at most %d a minute", len(r.requests), busiestMinute(r.requests))
	for i, name := range usageNames {
		first, peak, last := r.usage.first[i], r.usage.peak[i], r.usage.last[i]
		row(peak > 0, name+" first, peak, last", "%d, %d, %d", first, peak, last)
	}
}

// busiestMinute returns the most requests within a minute.
func busiestMinute(requests []time.Time) (most int) {
	first := 0
	for last, at := range requests {
		for at.Sub(requests[first]) >= time.Minute {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}

// countsOf writes counts by name.
func countsOf(counts map[string]int) string {
	return cmp.Or(strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(counts), "map["), "]"), "none")
}

// watch observes the bot itself: its moves, its reconnects, its panics, and the games that
// it abandoned.
type watch struct {
	mu         sync.Mutex
	chosen     map[string]rules.Move // by the latest search, by turnOf
	reconnects map[string]int        // of "event" and "game" streams
	panics     map[string]int        // by where they were
	asked      int                   // moves that the engine program, or our own search without one, chose
	fallbacks  map[string]int        // moves that our own search chose in the program's place, by reason
	abandoned  []string              // games, and why
}

// turnOf names a turn of a game.
func turnOf(game string, ply int) string { return fmt.Sprintf("game %s ply %d", game, ply) }

// observe records an event of the bot.
func (w *watch) observe(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := e.(type) {
	case event.Searched:
		if e.Fallback != "" {
			w.fallbacks[string(e.Fallback)]++
		} else if e.Info.Depth > 0 {
			w.asked++
		}
		w.chosen[turnOf(e.Game, e.Board.Ply())] = e.Move
	case event.StreamLost:
		kind := "game"
		if e.Game == "" {
			kind = "event"
		}
		w.reconnects[kind]++
	case event.Panicked:
		w.panics[e.In]++
	case event.GameAbandoned:
		if !errors.Is(e.Err, lichess.ErrNotFound) { // else it never began
			w.abandoned = append(w.abandoned, e.Game+": "+e.Err.Error())
		}
	}
}

// unexpectedMoves returns the bot's moves that differ from the engine's choice.
func (w *watch) unexpectedMoves(game *lichesstest.Result) (unexpected []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	g := rules.NewGame(rules.StartPosition())
	for ply, uci := range game.Moves {
		_ = g.PlayUCI(uci) // the server has accepted it
		turn := turnOf(game.ID, ply)
		if move, searched := w.chosen[turn]; searched && move != g.Moves()[ply] {
			unexpected = append(unexpected, fmt.Sprintf("%s: %s was played, the engine chose %s", turn, uci, move))
		}
	}
	return unexpected
}

// usageNames are what a process uses, [usage] says how much.
var usageNames = [...]string{"MiB of memory", "goroutines", "open files"}

type usage [len(usageNames)]int

// usageOf samples a process, of which only this one's goroutines are known, and memory and
// files where the system reports them.
func usageOf(pid int) (u usage) {
	if pid == os.Getpid() {
		u[1] = runtime.NumGoroutine()
	}
	if process, err := procfs.NewProc(pid); err == nil {
		stat, _ := process.Stat() // 0 if it has just ended
		u[0] = stat.ResidentMemory() >> 20
		u[2], _ = process.FileDescriptorsLen()
	}
	return u
}

// usages are what the process used at the first and last sample, and the peak.
type usages struct{ first, peak, last usage }

func (u *usages) add(now usage) {
	if u.peak == (usage{}) {
		u.first = now
	}
	u.last = now
	for i := range now {
		u.peak[i] = max(u.peak[i], now[i])
	}
}

// releaseTimeout is how long connections may take to end after the bot has.
const releaseTimeout = 10 * time.Second

// waitForRelease takes the last sample: when no more is used than at first, or after a
// while.
func (u *usages) waitForRelease() {
	for end := time.Now().Add(releaseTimeout); ; time.Sleep(10 * time.Millisecond) {
		u.add(usageOf(os.Getpid()))
		if u.last[1] <= u.first[1] && u.last[2] <= u.first[2] || time.Now().After(end) {
			return
		}
	}
}

// watch samples the process with an id, which is 0 while there is none, until the context
// ends.
func (u *usages) watch(ctx context.Context, id func() int) {
	for {
		if pid := id(); pid != 0 {
			u.add(usageOf(pid))
		}
		if lichess.Sleep(ctx, time.Second) != nil {
			return
		}
	}
}

// CompareRecords returns the differences between the records in a folder and the results
// of the server: each game must be there once, with all its moves.
func CompareRecords(ctx context.Context, dir string, results []lichesstest.Result) (mismatches []string, err error) {
	recorded := map[string][]string{} // moves, by game
	readErr := record.NewHistory(dir).Read(ctx, func(f *record.FinishedGame) {
		g, gameErr := f.Game()
		if err = errors.Join(err, gameErr); gameErr == nil {
			var moves []string
			for _, m := range g.Board.Moves() {
				moves = append(moves, m.String())
			}
			recorded[f.ID] = append(recorded[f.ID], strings.Join(moves, " "))
		}
	})
	for _, game := range results {
		if moves := strings.Join(game.Moves, " "); game.Plies >= 2 &&
			!slices.Equal(recorded[game.ID], []string{moves}) {
			mismatches = append(mismatches,
				fmt.Sprintf("game %s: recorded %q instead of %q", game.ID, recorded[game.ID], moves))
		}
	}
	return mismatches, errors.Join(readErr, err)
}
