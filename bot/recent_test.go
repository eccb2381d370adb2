package bot

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// The status has what is left of events that nothing else remembers.
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
