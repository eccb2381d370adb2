package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// Elsewhere than on a terminal the log is JSON, unless the settings say so.
func TestNewLogger(t *testing.T) {
	for _, tt := range []struct {
		format, level string
		json, debug   bool
	}{
		{"auto", "info", true, false},
		{"json", "debug", true, true},
		{"console", "info", false, false},
	} {
		var out bytes.Buffer
		c := config.Default()
		c.Log.Format, c.Log.Level = tt.format, tt.level
		log, err := newLogger(&c, &out)
		if err != nil {
			t.Fatal(err)
		}
		log.Debug().Msg("quiet")
		log.Info().Msg("loud")
		first, _, _ := strings.Cut(out.String(), "\n")
		if isJSON := json.Valid([]byte(first)); isJSON != tt.json || strings.Contains(out.String(), "quiet") != tt.debug {
			t.Errorf("format %s, level %s: %s", tt.format, tt.level, &out)
		}
		if !strings.Contains(out.String(), "loud") {
			t.Errorf("format %s, level %s: info is lost", tt.format, tt.level)
		}
	}
}

// The default settings let the bot accept what they say.
func TestTerms(t *testing.T) {
	c := config.Default().Challenges.Humans
	c.Rating = config.Rating{Min: 1000, Max: 2000, MaxDifference: 300}
	got := terms(c)
	if !got.Enabled || len(got.Modes) != 2 || len(got.Speeds) != 4 || got.Speeds[0] != "bullet" || got.MaxRatingDifference != 300 ||
		got.Rating != (bot.Range[int]{Min: 1000, Max: 2000}) || got.Initial != (bot.Range[time.Duration]{Max: 3 * time.Hour}) ||
		got.Increment != (bot.Range[time.Duration]{Max: time.Minute}) {
		t.Errorf("terms %+v", got)
	}
}

// The adapter hands limits down and scores up, mates in moves.
func TestAdapter(t *testing.T) {
	p, err := rules.ParseFEN("6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	a := adapter{engine: engine.New(engine.Options{Threads: 1, HashMB: 1}), openings: openBooks(t)}
	var reports []search.Info
	r, err := a.Search(t.Context(), rules.NewGame(p), search.Limits{Nodes: 2000}, func(i search.Info) { reports = append(reports, i) })
	if err != nil {
		t.Fatal(err)
	}
	if r.Info.Score.Mate != 1 || r.Info.Nodes == 0 || r.Info.Nodes > 4000 || len(r.Info.PV) == 0 || r.Info.PV[0] != r.Move {
		t.Errorf("result %+v, want a mate in 1 within the nodes", r)
	}
	if len(reports) == 0 {
		t.Error("nothing was reported")
	}
}

// A level below the highest chooses at random, differently in each search.
func TestAdapter_Skill(t *testing.T) {
	seed := uint64(0)
	a := adapter{engine: engine.New(engine.Options{Threads: 1, HashMB: 1}), openings: openBooks(t), skill: 0, seed: func() uint64 { seed++; return seed }}
	moves := map[rules.Move]bool{}
	for range 12 {
		r, err := a.Search(t.Context(), rules.NewGame(rules.StartPosition()), search.Limits{White: time.Hour, Black: time.Hour}, nil)
		if err != nil {
			t.Fatal(err)
		}
		moves[r.Move] = true
	}
	if len(moves) < 2 {
		t.Errorf("twelve searches from the start all play %v", moves)
	}
	c := config.Default()
	c.Engine.HashMB, c.Engine.Skill, c.Engine.Network = 1, 7, "none"
	if a, err := newEngine(&c, zerolog.Nop()); err != nil || a.strength() == (engine.Strength{}) || a.strength() == a.strength() {
		t.Errorf("the configured level gives %+v, %v; want one that differs from search to search", a.strength(), err)
	}
	c.Engine.Skill = config.MaxSkill
	if a, err := newEngine(&c, zerolog.Nop()); err != nil || a.skill != engine.MaxSkill {
		t.Errorf("full strength is level %d of %d, %v", a.skill, engine.MaxSkill, err)
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
	o := bot.Options{Log: zerolog.New(&out)}
	shut, err := openRecords(&c, &o)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "truncated record") || !strings.Contains(out.String(), "2026-08.pgn") {
		t.Errorf("the log says %q", out.String())
	}
	if _, err := openRecords(&c, new(bot.Options)); !errors.Is(err, record.ErrInUse) || !strings.Contains(err.Error(), "records.dir: ") {
		t.Errorf("a second bot: %v", err)
	}
	shut()
	shut, err = openRecords(&c, &o)
	if err != nil {
		t.Fatalf("after the first is gone: %v", err)
	}
	shut()
	c.Records.Dir = ""
	none := bot.Options{}
	if shut, err = openRecords(&c, &none); err != nil || none.Archive != nil {
		t.Errorf("no records wanted: archive %v, error %v", none.Archive, err)
	}
	shut()
}
