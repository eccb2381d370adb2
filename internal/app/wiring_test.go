package app

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
)

// The default settings let the bot accept what they say.
func TestTerms(t *testing.T) {
	c := config.Default().Challenges.Humans
	c.Rating = config.Rating{Min: 1000, Max: 2000, MaxDifference: 300}
	got := terms(c)
	if !got.Enabled || len(got.Modes) != 2 || len(got.Speeds) != 4 || got.Speeds[0] != "bullet" || got.MaxRatingDifference != 300 ||
		got.Rating != (challenge.Range[int]{Min: 1000, Max: 2000}) || got.Initial != (challenge.Range[time.Duration]{Max: 3 * time.Hour}) ||
		got.Increment != (challenge.Range[time.Duration]{Max: time.Minute}) {
		t.Errorf("terms %+v", got)
	}
}

// Two bots do not write to one folder; a record truncated by a crash is reported.
func TestOpenRecords(t *testing.T) {
	c := config.Default()
	c.Records.Dir = t.TempDir()
	truncated := filepath.Join(c.Records.Dir, "2026-08.pgn")
	if err := os.WriteFile(truncated, []byte("[Event \"x\"]\n\n1. e4 *\n\n[Event \"to"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := zerolog.New(&out)
	records, err := OpenRecords(&c, log)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "truncated record") || !strings.Contains(out.String(), "2026-08.pgn") {
		t.Errorf("the log says %q", out.String())
	}
	if _, err := OpenRecords(&c, log); !errors.Is(err, record.ErrInUse) || !strings.Contains(err.Error(), "records.dir: ") {
		t.Errorf("a second bot: %v", err)
	}
	records.Close()
	if records, err = OpenRecords(&c, log); err != nil {
		t.Fatalf("after the first is gone: %v", err)
	}
	var o bot.Options
	if records.AddTo(&o); o.Archive == nil || o.History == nil || o.State == nil {
		t.Errorf("the bot gets %v, %v, %v", o.Archive, o.History, o.State)
	}
	records.Close()
	c.Records.Dir = ""
	if records, err = OpenRecords(&c, log); err != nil {
		t.Fatal(err)
	}
	var none, next bot.Options
	records.AddTo(&none)
	records.AddTo(&next)
	if none.Archive != nil || none.State == nil || none.State != next.State {
		t.Errorf("no records wanted: archive %v, state %p and then %p", none.Archive, none.State, next.State)
	}
	records.Close()
}
