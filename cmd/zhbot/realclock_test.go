//go:build realclock

// The clocks of these games are real: they want a machine that does nothing else.

package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/soak"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestRealClock_Scripts(t *testing.T) { testscript.Run(t, scripts("testdata/realclock")) }

// TestRealClock_AgainstServe lets two processes of this program play: one is the
// server, the other is the bot, which is killed in mid-game and started again,
// and at last told to stop in mid-game.
func TestRealClock_AgainstServe(t *testing.T) {
	server := startProcess(t, nil, "demo", "--serve", "127.0.0.1:0", "--concurrent", "2")
	invitation := regexp.MustCompile(`ZHBOT_LICHESS_URL=(\S+) ZHBOT_LICHESS_TOKEN=(\S+) zhbot run`)
	fixture.Until(t, "the server says where it is", func() bool { return invitation.MatchString(server.String()) })
	m := invitation.FindStringSubmatch(server.String())
	environment := []string{ // games must last longer than live.json may be late, two seconds
		"ZHBOT_LICHESS_URL=" + m[1], "ZHBOT_LICHESS_TOKEN=" + m[2],
		"ZHBOT_RECORDS_DIR=" + t.TempDir(), "ZHBOT_ENGINE_HASH_MB=16", "ZHBOT_ENGINE_MAX_TIME=400ms",
		"ZHBOT_LOG_LEVEL=debug",
	}

	first := startProcess(t, environment, "run")
	fixture.Until(t, "moves in two games", func() bool { return len(first.games("moved")) >= 2 })
	first.signalAndWait(t, syscall.SIGKILL)
	broken := difference(first.games("game joined"), first.games("game over"))
	if len(broken) == 0 {
		t.Fatal("no game was in progress when the bot was killed")
	}

	second := startProcess(t, environment, "run")
	fixture.Until(t, "the games of the first bot are over", func() bool {
		return len(difference(broken, second.games("game over"))) == 0
	})
	fixture.Until(t, "a new game", func() bool { return len(difference(second.games("moved"), broken)) > 0 })
	if err := second.signalAndWait(t, syscall.SIGTERM); err != nil {
		t.Errorf("drained with %v", err)
	}
	if left := difference(second.games("game joined"), second.games("game over")); len(left) > 0 {
		t.Errorf("games %v were left behind by a drain", left)
	}
	if err := server.signalAndWait(t, os.Interrupt); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if results := server.String(); strings.Contains(results, "outoftime") || strings.Contains(results, "aborted") {
		t.Errorf("games lost on time or broken off:\n%s", results)
	}
	for _, p := range []*process{first, second} {
		if strings.Contains(p.String(), m[2]) {
			t.Error("the token is in the log")
		}
	}
}

// difference returns the ids that are in one set and not in the other.
func difference(ids, others map[string]bool) map[string]bool {
	left := map[string]bool{}
	for id := range ids {
		if !others[id] {
			left[id] = true
		}
	}
	return left
}

// TestRealClock_KilledAndRestarted kills "zhbot run" 25 times in the middle of its
// games and starts it again: it must finish the same games, lose none, post
// nothing twice, and record each game once; then it must drain on SIGTERM.
func TestRealClock_KilledAndRestarted(t *testing.T) {
	const games = 8
	kills := 25
	if testing.Short() {
		kills = 5
	}
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	records := t.TempDir()
	settings := []string{
		"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + s.AddBot("zhbot"), "ZHBOT_RECORDS_DIR=" + records,
		"ZHBOT_ENGINE_HASH_MB=16", "ZHBOT_ENGINE_MAX_NODES=1", fmt.Sprintf("ZHBOT_GAMES_MAX=%d", games),
		"ZHBOT_WEB_LISTEN=",
	}
	bot := startProcess(t, settings, "run")
	fixture.Until(t, "the bot is online", func() bool { return s.Online("zhbot") })
	var ids []string
	for i := range games {
		// The opponent takes its time, so that the games outlast the kills, and
		// then no more of it.
		name := fmt.Sprintf("opponent%d", i)
		play := lichesstest.Random(uint64(i))
		s.AddHuman(name, lichesstest.After(kills/2, lichesstest.Slow(play, time.Second), play))
		ids = append(ids, s.Challenge(name, "zhbot",
			lichesstest.ChallengeSpec{Limit: time.Minute, Increment: time.Second}))
	}
	for kill := range kills {
		before := s.Audit("zhbot").Moves
		fixture.Until(t, "another move", func() bool {
			return s.Audit("zhbot").Moves > before || len(s.Playing("zhbot")) == 0 && kill > 0
		})
		if len(s.Playing("zhbot")) == 0 {
			t.Fatalf("no game is in progress at kill %d", kill+1)
		}
		if err := bot.signalAndWait(t, syscall.SIGKILL); err == nil {
			t.Fatalf("the bot ended by itself before kill %d:\n%s", kill+1, bot.String())
		}
		bot = startProcess(t, settings, "run")
	}
	var finished []lichesstest.Result
	for _, id := range ids {
		var r lichesstest.Result
		fixture.Until(t, "game "+id+" ends", func() bool { r, _ = s.Game(id); return r.Status.Over() })
		if r.Status != "mate" && r.Status != "draw" && r.Status != "stalemate" {
			t.Errorf("game %s: %+v\n%s", id, r, bot.String())
		}
		finished = append(finished, r)
	}
	a := s.Audit("zhbot")
	if a.LostOnTime > 0 || a.Illegal > 0 || a.Duplicates > 0 || a.OutOfTurn > 0 {
		t.Errorf("the server's audit has %+v", a)
	}
	if err := bot.signalAndWait(t, syscall.SIGTERM); err != nil {
		t.Errorf("drained with %v:\n%s", err, bot.String())
	}
	mismatches, err := soak.CompareRecords(t.Context(), records, finished)
	if err != nil || len(mismatches) > 0 {
		t.Errorf("records: %v, %q", err, mismatches)
	}
}

// waitingOpponent is an opponent who makes no move before all games are in progress, then takes two
// seconds for each, and resigns after some.
func waitingOpponent(allOn func() bool) lichesstest.Player {
	const plies = 30
	play := lichesstest.Slow(lichesstest.Random(1), 2*time.Second)
	return func(ctx context.Context, t lichesstest.Turn) lichesstest.Action {
		for !allOn() {
			select {
			case <-ctx.Done():
				return lichesstest.Action{}
			case <-time.After(100 * time.Millisecond):
			}
		}
		if t.Game.Ply() >= plies {
			return lichesstest.Action{Resign: true}
		}
		return play(ctx, t)
	}
}

// BenchmarkRun_200Games plays as many games at once as Lichess allows, against a
// bot in a process of its own, and reports the memory of that process less the
// table, and how long its moves took as the server saw it.
func BenchmarkRun_200Games(b *testing.B) {
	const games, hash = 200, 16
	s, token, err := app.StartSandbox(lichesstest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	s.AddHuman("Slow", waitingOpponent(func() bool { return s.Audit(app.SandboxBot).MaxConcurrent >= games }))
	p := startProcess(b, []string{
		"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + token.Reveal(), "ZHBOT_RECORDS_DIR=" + b.TempDir(),
		fmt.Sprintf("ZHBOT_ENGINE_HASH_MB=%d", hash), fmt.Sprintf("ZHBOT_GAMES_MAX=%d", games),
		"ZHBOT_GAMES_MAX_PER_OPPONENT=0", "ZHBOT_GAMES_ABORT_AFTER=10m", "ZHBOT_WEB_LISTEN=",
		"ZHBOT_ENGINE_MAX_NODES=1000",
	}, "run")
	fixture.Until(b, "the bot is online", func() bool { return s.Online(app.SandboxBot) })
	plan := lichesstest.Schedule{
		Bot: app.SandboxBot, Opponents: []string{"Slow"}, Games: games * b.N, Concurrency: games,
		Spec: func(int) lichesstest.ChallengeSpec {
			return lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second}
		},
	}
	var turns []time.Duration
	b.ResetTimer()
	err = s.RunGames(context.Background(), plan, func(r lichesstest.Result) {
		first := 0
		if r.Black == app.SandboxBot {
			first = 1
		}
		for ply := first + 2; ply < len(r.Turns); ply += 2 {
			turns = append(turns, r.Turns[ply])
		}
	})
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	peak := peakMemory(b, p.cmd.Process.Pid)
	if err := p.signalAndWait(b, syscall.SIGTERM); err != nil {
		b.Errorf("drained with %v", err)
	}
	slices.Sort(turns)
	b.ReportMetric(float64(peak>>20-hash), "MiB+hash")
	if most := s.Audit(app.SandboxBot).MaxConcurrent; most != games {
		b.Errorf("%d games at once, want %d", most, games)
	}
	b.ReportMetric(float64(turns[len(turns)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(turns[len(turns)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(s.Audit(app.SandboxBot).LostOnTime), "lost-on-time")
}

// peakMemory is the most resident memory that a process has had, in bytes, where
// the system tells it.
func peakMemory(b *testing.B, pid int) int64 {
	b.Helper()
	status := fixture.Read(b, fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(status)
	if m == nil {
		b.Fatalf("no peak in\n%s", status)
	}
	kib, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib << 10
}
