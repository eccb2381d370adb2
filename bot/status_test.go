package bot

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
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

// The status has what is left of events that nothing else remembers.
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

func TestRecent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().UTC()
		var r recent
		for _, e := range []event.Event{
			event.LoggedIn{Rating: 2000}, event.StreamOpened{}, event.StreamOpened{Reopened: true},
			event.StreamOpened{Game: "a", Reopened: true}, event.StreamLost{Err: io.EOF}, event.StreamLost{Game: "a"},
			event.Duplicate{RetryIn: time.Minute}, event.Duplicate{Game: "a"},
			event.GameEnded{RatingDiff: -7}, event.RatingShown{Rating: 1980}, event.GameEnded{RatingDiff: 5},
		} {
			r.observe(e)
		}
		b := Bot{}
		b.account.Store(&lichess.Account{ID: "zhbot"})
		b.recent.observe(event.LoggedIn{Rating: r.latestRating()})
		if own := b.rated().Perfs[lichess.Crazyhouse].Rating; own != 1985 {
			t.Errorf("matchmaking works with %d", own)
		}
		if r.rating != 1985 || r.reconnects != 2 || r.recorded != 2 ||
			r.takeovers["events"] != (Takeover{now, now.Add(time.Minute)}) ||
			r.takeovers["game"] != (Takeover{now, now}) || r.lost != (Fault{now, "EOF"}) {
			t.Errorf("%+v", &r)
		}
		for range maxEnded {
			r.observe(event.GameEnded{})
		}
		if len(r.ended) != maxEnded {
			t.Errorf("%d games are remembered", len(r.ended))
		}
	})
}

// The status says why there is no event stream: at the start, and while the server is awaited.
func TestStatus_Lost(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.fault("fail account x5 503: down for now")
		b := r.launch(nil)
		r.until("the account is read in vain", func() bool { return strings.Contains(b.Status().Lost.Reason, "down for") })
		since := time.Now()
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

// The latest challenges are shown with what became of them; those that are open stay longest.
func TestRecent_Challenges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r recent
		now := time.Now().UTC()
		decide := func(id string, d event.Decision) {
			r.observe(event.ChallengeDecided{ID: id, Challenger: record.Player{Name: "bob"},
				Clock: lichess.Clock{Initial: time.Minute}, Decision: d})
		}
		decide("open", event.Decision{Accept: true, Rule: "challenges.humans"})
		decide("closed", event.Decision{Reason: "tooFast", Rule: "challenges.humans.speeds"})
		r.observe(event.ChallengeClosed{ID: "closed", Outcome: event.Declined, Rule: "paused"})
		r.observe(event.ChallengeSent{ID: "ours", Opponent: "rival", Bot: true, Sender: event.Operator, Rated: true})
		want := []ChallengeStatus{
			{ID: "ours", Opponent: record.Player{Name: "rival", Title: "BOT"}, Rated: true, Sender: event.Operator, At: now,
				Clock: lichess.Clock{}.String()},
			{ID: "closed", Opponent: record.Player{Name: "bob"}, Clock: "1+0", Outcome: event.Declined,
				Reason: "tooFast", Rule: "paused", At: now},
			{ID: "open", Opponent: record.Player{Name: "bob"}, Clock: "1+0", Accept: true, Rule: "challenges.humans", At: now},
		}
		if !slices.Equal(r.challenges, want) {
			t.Errorf("challenges %+v", r.challenges)
		}
		for i := range 2 * maxChallenges {
			decide(fmt.Sprint(i), event.Decision{})
			r.observe(event.ChallengeClosed{ID: fmt.Sprint(i), Outcome: event.Declined})
		}
		if last := r.challenges[maxChallenges-1]; len(r.challenges) != maxChallenges || last.ID != "open" {
			t.Errorf("%d challenges, the last is %+v", len(r.challenges), last)
		}
		for i := range 2 * maxChallenges {
			decide(fmt.Sprint("open", i), event.Decision{})
		}
		if last := r.challenges[maxChallenges-1]; len(r.challenges) != maxChallenges ||
			last.ID != fmt.Sprint("open", maxChallenges) {
			t.Errorf("%d open challenges, the last is %+v", len(r.challenges), last)
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
