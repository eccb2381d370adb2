package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// waitingOpponent is an opponent who makes no move before all games are on, then takes two
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
	s, token, err := embeddedServer(lichesstest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	s.AddHuman("Slow", waitingOpponent(func() bool { return s.Audit().MaxConcurrent[demoBot] >= games }))
	p := startProcess(b, []string{
		"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + token, "ZHBOT_RECORDS_DIR=" + b.TempDir(),
		fmt.Sprintf("ZHBOT_ENGINE_HASH_MB=%d", hash), fmt.Sprintf("ZHBOT_GAMES_MAX=%d", games),
		"ZHBOT_GAMES_MAX_PER_OPPONENT=0", "ZHBOT_GAMES_ABORT_AFTER=10m", "ZHBOT_WEB_LISTEN=", "ZHBOT_ENGINE_MAX_NODES=1000",
	}, "run")
	waitFor(b, "the bot is online", func() bool { return s.Online(demoBot) })
	plan := lichesstest.Schedule{
		Bot: demoBot, Opponents: []string{"Slow"}, Games: games * b.N, Concurrency: games,
		Spec: func(int) lichesstest.ChallengeSpec {
			return lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second}
		},
	}
	var turns []time.Duration
	b.ResetTimer()
	err = s.RunGames(context.Background(), plan, func(r lichesstest.Result) {
		first := 0
		if r.Black == demoBot {
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
	if most := s.Audit().MaxConcurrent[demoBot]; most != games {
		b.Errorf("%d games at once, want %d", most, games)
	}
	b.ReportMetric(float64(turns[len(turns)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(turns[len(turns)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(s.Audit().LostOnTime[demoBot]), "lost-on-time")
}

// peakMemory is the most resident memory that a process has had, in bytes, where
// the system tells it.
func peakMemory(b *testing.B, pid int) int64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		b.Fatalf("no peak in\n%s", status)
	}
	kib, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib << 10
}
