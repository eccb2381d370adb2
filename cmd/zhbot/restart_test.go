package main

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// TestRun_KilledAndRestarted kills "zhbot run" 25 times in the middle of its
// games and starts it again: it must finish the same games, lose none, post
// nothing twice, and record each game once; then it must drain on SIGTERM.
func TestRun_KilledAndRestarted(t *testing.T) {
	const games = 8
	kills := 25
	if testing.Short() {
		kills = 5
	}
	results := make(chan lichesstest.Result, games)
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, OnFinish: func(r lichesstest.Result) { results <- r }})
	records := t.TempDir()
	settings := []string{
		"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + s.AddBot("zhbot"), "ZHBOT_RECORDS_DIR=" + records,
		"ZHBOT_ENGINE_HASH_MB=16", "ZHBOT_ENGINE_MAX_NODES=1", fmt.Sprintf("ZHBOT_GAMES_MAX=%d", games), "ZHBOT_WEB_LISTEN=",
	}
	bot := startProcess(t, settings, "run")
	waitFor(t, "the bot is online", func() bool { return s.Online("zhbot") })
	var ids []string
	for i := range games {
		// The opponent takes its time, so that the games outlast the kills, and
		// then no more of it.
		name := fmt.Sprintf("opponent%d", i)
		play := lichesstest.Random(uint64(i))
		s.AddHuman(name, lichesstest.After(kills/2, lichesstest.Slow(play, time.Second), play))
		ids = append(ids, s.Challenge(name, "zhbot", lichesstest.ChallengeSpec{Limit: time.Minute, Increment: time.Second}))
	}
	for kill := range kills {
		before := s.Audit().Moves["zhbot"]
		waitFor(t, "another move", func() bool { return s.Audit().Moves["zhbot"] > before || len(s.Playing("zhbot")) == 0 && kill > 0 })
		if len(s.Playing("zhbot")) == 0 {
			t.Fatalf("no game is in progress at kill %d", kill+1)
		}
		if err := bot.signalAndWait(t, syscall.SIGKILL); err == nil {
			t.Fatalf("the bot ended by itself before kill %d:\n%s", kill+1, bot.output())
		}
		bot = startProcess(t, settings, "run")
	}
	finished := map[string]lichesstest.Result{}
	for range games {
		select {
		case r := <-results:
			finished[r.ID] = r
		case <-time.After(2 * time.Minute):
			t.Fatalf("%d of %d games ended:\n%s", len(finished), games, bot.output())
		}
	}
	for _, id := range ids {
		if r, ok := finished[id]; !ok || r.Status != "mate" && r.Status != "draw" && r.Status != "stalemate" {
			t.Errorf("game %s: %+v", id, r)
		}
	}
	a := s.Audit()
	if a.LostOnTime["zhbot"] > 0 || a.Illegal["zhbot"] > 0 || a.Duplicates["zhbot"] > 0 || a.OutOfTurn["zhbot"] > 0 {
		t.Errorf("the server's audit has %+v", a)
	}
	if err := bot.signalAndWait(t, syscall.SIGTERM); err != nil {
		t.Errorf("drained with %v:\n%s", err, bot.output())
	}
	report := newSoakReport(&soak{})
	for _, r := range finished {
		report.results = append(report.results, r)
	}
	if err := report.compareRecords(records); err != nil || len(report.unrecorded) > 0 {
		t.Errorf("records: %v, %q", err, report.unrecorded)
	}
}
