//go:build realclock

package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/soak"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// TestRealClock_GauntletKilled plays a gauntlet against two opponents, all of them processes
// of this program. The bot is killed in the middle of four games, and after each: each pair is
// complete, and no game too many. ZHBOT_PAIRS=4 takes minutes, as Lichess limits streams.
func TestRealClock_GauntletKilled(t *testing.T) {
	pairs, err := strconv.Atoi(cmp.Or(os.Getenv("ZHBOT_PAIRS"), "1"))
	if err != nil {
		t.Fatal(err)
	}
	s := lichesstest.NewServer(t, lichesstest.Options{})
	hour, records := time.Now().UTC().Hour(), t.TempDir()
	start := func(name string, settings ...string) func() *process {
		environment := append(settings, "ZHBOT_LICHESS_URL="+s.URL(), "ZHBOT_LICHESS_TOKEN="+s.AddBot(name),
			"ZHBOT_ENGINE_HASH_MB=16", "ZHBOT_ENGINE_MAX_TIME=20ms", "ZHBOT_WEB_LISTEN=", "ZHBOT_LOG_LEVEL=debug")
		return func() *process {
			p := startProcess(t, environment, "run")
			fixture.Until(t, name+" is online", func() bool { return s.Online(name) })
			return p
		}
	}
	for _, name := range []string{"Alice", "Bob"} {
		p := start(name, "ZHBOT_RECORDS_DIR="+t.TempDir())()
		defer func() { _ = p.signalAndWait(t, syscall.SIGKILL) }()
	}
	startBot := start("zhbot", "ZHBOT_RECORDS_DIR="+records, "ZHBOT_MATCHMAKING_IDLE=0s",
		"ZHBOT_MATCHMAKING_GAMES_PER_DAY=100", // in two hours, so not one in fifteen minutes
		fmt.Sprintf("ZHBOT_MATCHMAKING_HOURS=%d-%d", hour, (hour+2)%24))
	bot := startBot()
	defer func() {
		if output := bot.String(); t.Failed() {
			t.Logf("the bot's last lines:\n%s", output[max(0, len(output)-4000):])
		}
	}()
	ctl := startProcess(t, []string{"ZHBOT_RECORDS_DIR=" + records},
		"ctl", "gauntlet", "alice,bob", "3+2", "casual", "--pairs", fmt.Sprint(pairs))
	if err := ctl.cmd.Wait(); err != nil {
		t.Fatalf("ctl gauntlet: %v\n%s", err, ctl.String())
	}
	var ids []string
	games, inGame := 0, 0
	for !strings.Contains(bot.String(), `"gauntlet is over"`) {
		fixture.Until(t, "a game, or the end", func() bool {
			return len(s.Playing("zhbot")) > 0 || strings.Contains(bot.String(), `"gauntlet is over"`)
		})
		for _, id := range s.Playing("zhbot") {
			fixture.Until(t, "moves", func() bool { r, _ := s.Game(id); return r.Plies >= 6 || r.Status.Over() })
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
			if games++; games%pairs == 0 {
				_ = bot.signalAndWait(t, syscall.SIGKILL)
				if r, _ := s.Game(id); !r.Status.Over() {
					inGame++
				}
				bot = startBot()
			}
			fixture.Until(t, "game "+id+" is recorded", func() bool {
				r, _ := s.Game(id)
				mismatches, err := soak.CompareRecords(t.Context(), records, []lichesstest.Result{r})
				return r.Status.Over() && len(mismatches) == 0 && err == nil
			})
			_ = bot.signalAndWait(t, syscall.SIGKILL)
			bot = startBot()
		}
	}
	if err := bot.signalAndWait(t, syscall.SIGTERM); err != nil {
		t.Errorf("drained with %v:\n%s", err, bot.String())
	}
	t.Logf("killed in the middle of %d games", inGame)
	if inGame < 2 {
		t.Error("too few to show anything")
	}
	pairings, results := map[string]int{}, []lichesstest.Result(nil)
	for _, id := range ids {
		r, _ := s.Game(id)
		results = append(results, r)
		pairings[r.White+"-"+r.Black]++
		if r.Status == "aborted" || r.Status == "outoftime" || !r.Status.Over() {
			t.Errorf("game %+v", r)
		}
	}
	for _, pairing := range []string{"zhbot-Alice", "Alice-zhbot", "zhbot-Bob", "Bob-zhbot"} {
		if pairings[pairing] != pairs {
			t.Errorf("games %v, want %d of each pairing", pairings, pairs)
			break
		}
	}
	mismatches, err := soak.CompareRecords(t.Context(), records, results)
	if len(results) != 4*pairs || err != nil || len(mismatches) > 0 {
		t.Errorf("%d games; records: %v, %q", len(results), err, mismatches)
	}
	if a := s.Audit("zhbot"); a.Illegal > 0 || a.OutOfTurn > 0 {
		t.Errorf("the server's audit has %+v", a)
	}
}
