package app

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
)

// newLogged starts an App with a folder of records, without a page, and returns what it logs.
func newLogged(t *testing.T, records string) (a *App, log string, err error) {
	t.Helper()
	c := config.Default()
	c.Records.Dir, c.Web.Listen, c.Lichess.Token = records, "", "lip_sometoken"
	c.Engine.HashMB, c.Engine.Threads, c.Engine.Book = 1, 1, nil
	var out bytes.Buffer
	a, err = New(t.Context(), &c, Options{Log: zerolog.New(&out)})
	return a, out.String(), err
}

// Two bots do not write to one folder; a record truncated by a crash is reported.
func TestNew_Records(t *testing.T) {
	t.Setenv("ZHBOT_LICHESS_TOKEN", "")
	dir := t.TempDir()
	fixture.Write(t, filepath.Join(dir, "2026-08.pgn"), "[Event \"x\"]\n\n1. e4 *\n\n[Event \"to")
	a, log, err := newLogged(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log, "truncated record") || !strings.Contains(log, "2026-08.pgn") {
		t.Errorf("the log says %q", log)
	}
	_, _, err = newLogged(t, dir)
	if !errors.Is(err, record.ErrInUse) || !strings.HasPrefix(err.Error(), "records.dir: ") {
		t.Errorf("a second bot: %v", err)
	}
	a.Close()
	fixture.Write(t, filepath.Join(dir, "state.json"), "{")
	a, log, err = newLogged(t, dir)
	if err != nil || !strings.Contains(log, "starting with an empty one") || !a.state.IsStored() {
		t.Fatalf("after the first is gone: %v; the log says %q", err, log)
	}
	defer a.Close()
	o, cache := a.botOptions(nil), filepath.Join(dir, "blocklist.json")
	if o.Archive == nil || o.History == nil || o.State == nil || o.Blocklist.Cache != cache {
		t.Errorf("the bot gets %+v", o)
	}
	none, _, err := newLogged(t, "")
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	first, next := none.botOptions(nil), none.botOptions(nil)
	if first.Archive != nil || first.State == nil || first.State != next.State || first.Blocklist.Cache != "" {
		t.Errorf("no records wanted: %+v", first)
	}
}
