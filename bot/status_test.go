package bot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/record"
)

// A game is shown with its position and what our search has found, also after its end. While it
// is in progress, what would help the opponent can be withheld.
func TestStatus_Games(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		b := r.start(func(b *setup) {
			scoring(b, 1000, 4242)
		})
		o := r.challengeAsHuman("white")
		o.exchange("e2e4")
		r.until("our move is confirmed", func() bool {
			games := b.Status().Games
			return len(games) == 1 && games[0].Plies == 2
		})
		s := b.Status()
		g := s.Games[0]
		if g.ID != o.id || g.Color != "black" || g.Us.Name != botName || g.Opponent.Name != humanName ||
			g.OurTurn || g.Searching ||
			!strings.HasPrefix(g.LastMove, "1… ") || g.LastUCI == "" || !strings.Contains(g.FEN, "/ w ") ||
			g.Result != "" {
			t.Errorf("shown as %+v", g)
		}
		if f := g.Search; f.Centipawns != -4242 || f.Depth != 1 || f.Line != g.LastMove || g.Clock != "3+2" ||
			!g.Running || g.Left <= 0 {
			t.Errorf("shown as %+v, found %+v", g, f)
		}
		if s.Withhold(); s.Games[0].Search != nil || !s.Games[0].Withheld {
			t.Errorf("withheld: %+v", s.Games[0])
		}
		if v := b.Game(o.id); v == nil || v.Board.Ply() != 2 || b.Game("none") != nil {
			t.Errorf("the game is %+v", v)
		}
		o.resign()
		r.until("the game is recorded", func() bool { return b.Status().Recorded == 1 })
		if s = b.Status(); len(s.Games) != 0 || len(s.Ended) != 1 {
			t.Fatalf("after the end: %+v", s)
		}
		s.Withhold()
		if g := s.Ended[0]; g.Result != "Black won by resignation" || g.Score != "win" || g.RatingDiff == 0 ||
			s.Rating != g.Us.Rating+g.RatingDiff ||
			g.Search == nil || g.Withheld || b.Game(o.id) == nil {
			t.Errorf("after the end: %+v, rating %d", g, s.Rating)
		}
	})
}

func TestGauntlet_Summary(t *testing.T) {
	for want, tally := range map[string]record.Tally{
		"bob 0 of 8 games, +0 =0 -0":                 {},
		"bob 10 of 8 games, +10 =0 -0 (>+512)":       {Won: 10},
		"bob 100 of 8 games, +75 =0 -25 (+191 ± 79)": {Won: 75, Lost: 25},
	} {
		g := Gauntlet{record.Gauntlet{Pairs: 4}, []matchmaking.GauntletMatch{{Tally: tally, Opponent: "bob"}}}
		if got := g.Summary(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The status says why there is no event stream: at the start, and while the server is awaited.
func TestStatus_Lost(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.fault("fail account x1000 503: down for now")
		b := r.launch(nil)
		r.until("the account is read in vain", func() bool { return strings.Contains(b.Status().Lost.Reason, "down for") })
		since := time.Now()
		r.Faults.Clear()
		r.until("the bot is connected", func() bool { return b.Status().Connected && b.Status().Lost == Fault{} })
		time.Sleep(time.Minute)
		r.fault("fail account x1000 503: down again") // the list of games
		r.Restart(0)
		r.until("games are listed in vain", func() bool { return strings.Contains(b.Status().Lost.Reason, "down again") })
		if lost := b.Status().Lost; lost.Since.Sub(since) < time.Minute {
			t.Errorf("%s, not %s", lost, since)
		}
	})
}

// A notice says what is wrong and what to do; those who may not see it get no names of files.
func TestStatus_Notices(t *testing.T) {
	now := time.Now()
	for want, s := range map[string]Status{
		"[]": {Takeovers: map[string]Takeover{"game": {At: now.Add(-time.Hour)}}, Records: record.Backlog{Waiting: 1}},
		"took over the event stream, which the bot opens again at":   {Takeovers: map[string]Takeover{"events": {At: now}}},
		"it played a game of the bot's. Stop it":                     {Takeovers: map[string]Takeover{"game": {At: now}}},
		now.Format("Lichess since 15:04 MST on 2 January: no dir."):  {Lost: Fault{now, "no dir"}},
		now.Format("invalid since 15:04 MST on 2 January: no dir. "): {Settings: Fault{now, "no\n  dir"}},
		"no dir. Free the disk":                                      {Records: record.Backlog{Since: now, Reason: "no dir"}},
		"dropped: 1":                                                 {Records: record.Backlog{Dropped: 1}},
		"finishes its games":                                         {Draining: true},
		"until the program ends or is resumed: no new games":         {Paused: &record.Pause{Since: now}},
		"until it is resumed: no new games":                          {Paused: &record.Pause{Since: now, Keep: true}},
		now.Format("no POST /x until 15:04:05 MST,"):                 {Blocked: map[string]time.Time{"POST /x": now}},
		now.Format("bots until 15:04 MST on 2 January: "):            {Blocked: map[string]time.Time{"bot.vsBot.day": now}},
		"Write one at https://lichess.org/account/profile":           {noBio: true, Server: "https://lichess.org"},
	} {
		s.UpdateNotices()
		if text := fmt.Sprint(s.Notices); !strings.Contains(text, want) {
			t.Errorf("notices %q, want %q", text, want)
		}
		if s.Withhold(); strings.Contains(fmt.Sprint(s.Notices), "no dir") {
			t.Errorf("not withheld: %q", s.Notices)
		}
	}
}
