package bot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// A test counts the games since it began, and reports its verdict once, over restarts.
func TestBot_SPRT(t *testing.T) {
	dir := t.TempDir()
	archive, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
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
	save := func(id int, contender string, result rules.Result, created time.Time) {
		t.Helper()
		if err := archive.Save(&record.Game{
			Summary: record.Summary{
				ID: fmt.Sprintf("game%04d", id), Rated: true, Created: created, Contender: contender, Status: lichess.StatusResign, Result: result,
				White: record.Player{Name: "zhbot", Title: "BOT", Rating: 2000}, Black: record.Player{Name: fmt.Sprint("rival", id%9), Rating: 2000},
			},
			Board: rules.NewGame(rules.StartPosition()),
		}); err != nil {
			t.Fatal(err)
		}
	}
	look := func(b *Bot) {
		t.Helper()
		if err := b.lookAtSPRT(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	save(9000, "new", rules.BlackWins, time.Now().Add(-time.Hour)) // before the test
	b := start()
	look(b)
	if got := b.SPRT(); got == nil || got.Games != 0 || got.Verdict != stats.Undecided {
		t.Fatalf("at the start %+v", got)
	}
	for i := range 150 { // new scores 80 %, base 20 %
		for side, contender := range []string{"new", "base"} {
			result := rules.WhiteWins
			if (i%5 == 0) == (contender == "new") {
				result = rules.BlackWins
			}
			save(2*i+side, contender, result, time.Now().Add(time.Minute))
		}
	}
	look(b)
	look(b)
	got := b.Status().SPRT
	if got == nil || got.Verdict != stats.AcceptedH1 || got.Games < 100 || len(verdicts) != 1 || !strings.Contains(verdicts[0], "new against base, H1 accepted") {
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
