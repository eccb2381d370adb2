package live

import (
	"fmt"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// busyPage returns a page with 8 games of 100 plies.
func busyPage(tb testing.TB) (*Page, []event.GameView) {
	p, err := New(Options{Listen: "127.0.0.1:8080", Slots: func() game.Use { return game.Use{} }})
	if err != nil {
		tb.Fatal(err)
	}
	g := rules.NewGame(rules.StartPosition())
	for g.Ply() < 100 {
		for _, m := range []string{"g1f3", "g8f6", "f3g1", "f6g8"} {
			rulestest.Play(tb, g, m)
		}
	}
	var views []event.GameView
	for i := range 8 {
		v := event.GameView{Summary: record.Summary{ID: fmt.Sprint(i), Status: "started", Clock: lichess.Clock{Initial: time.Minute}}, Board: g}
		for range g.Ply() {
			v.Notes = append(v.Notes, record.Note{Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: 37}, Depth: 12}})
		}
		views = append(views, v)
		p.Observe(event.GameChanged{GameView: v})
		p.Observe(event.Searching{Game: v.ID, Board: g, Info: engine.Info{Depth: 12, PV: g.Moves()[:12]}})
	}
	return p, views
}

// BenchmarkPage_Parts measures one update of one viewer, of which there are 4 a second.
func BenchmarkPage_Parts(b *testing.B) {
	p, _ := busyPage(b)
	for b.Loop() {
		parts, _ := p.parts(true)
		if _, err := (web.Sent{}).Changes(time.Now(), parts); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPage_Observe measures how long an event delays the bot.
func BenchmarkPage_Observe(b *testing.B) {
	p, views := busyPage(b)
	for b.Loop() {
		p.Observe(event.GameChanged{GameView: views[0]})
	}
}
