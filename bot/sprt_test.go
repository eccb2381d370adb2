package bot

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
)

// A test counts the games since it began, and reports its verdict once, over restarts.
func TestBot_SPRT(t *testing.T) {
	dir := t.TempDir()
	state := record.InMemoryState()
	var verdicts []string
	c := &config.Config{Records: config.Records{Dir: dir}, SPRT: config.SPRT{New: "new", Base: "base", Elo1: 100}}
	start := func() *Bot {
		b := New(Options{State: state, Observe: func(e event.Event) {
			if v, ok := e.(event.Verdict); ok {
				verdicts = append(verdicts, v.Text)
			}
		}}, c)
		b.account.Store(&lichess.Account{Username: "zhbot"})
		return b
	}
	var records strings.Builder
	save := func(id int, contender, result string, created time.Time) {
		fmt.Fprintf(&records, "[Event \"Rated\"]\n[GameId \"game%04d\"]\n%s[White \"zhbot\"]\n[WhiteElo \"2000\"]\n"+
			"[Black \"rival%d\"]\n[BlackElo \"2000\"]\n[EngineContender \"%s\"]\n\n1. e4 %s\n\n",
			id, created.UTC().Format("[UTCDate \"2006.01.02\"]\n[UTCTime \"15:04:05\"]\n"), id%9, contender, result)
	}
	look := func(b *Bot) {
		t.Helper()
		fixture.Write(t, filepath.Join(dir, "2026-01.pgn"), records.String())
		if err := b.lookAtSPRT(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	save(9000, "new", "0-1", time.Now().Add(-time.Hour)) // before the test
	b := start()
	look(b)
	if got := b.SPRT(); got == nil || got.Games != 0 || got.Verdict != stats.Undecided {
		t.Fatalf("at the start %+v", got)
	}
	for i := range 150 { // new scores 80 %, base 20 %
		for side, contender := range []string{"new", "base"} {
			result := "1-0"
			if (i%5 == 0) == (contender == "new") {
				result = "0-1"
			}
			save(2*i+side, contender, result, time.Now().Add(time.Minute))
		}
	}
	look(b)
	look(b)
	got := b.SPRT()
	if got == nil || got.Verdict != stats.AcceptedH1 || got.Games < 100 || len(verdicts) != 1 ||
		!strings.Contains(verdicts[0], "new against base, H1 accepted") {
		t.Fatalf("test %+v, verdicts %q", got, verdicts)
	}
	b = start()
	look(b)
	if again := b.SPRT(); again.Games != got.Games || again.Verdict != got.Verdict || len(verdicts) != 1 {
		t.Errorf("after a restart %+v, verdicts %q", again, verdicts)
	}
	c.SPRT = config.SPRT{}
	look(b)
	if b.SPRT() != nil {
		t.Errorf("without a test %+v", b.SPRT())
	}
}
