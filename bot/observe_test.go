package bot

import (
	"maps"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// The events of a game, and a night's story in the log: what was decided, how each game began
// and how it ended, each in a line; moves are for those who ask for them.
func TestBot_TellsOfAGame(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(6, 0))
		r.AddHuman("mallory", peaceful(6, 0))
		bot := r.start(func(b *setup) {
			b.opts.Engine, b.settings().Challenges.Block = &fakeEngine{peace: 6}, []string{"mallory"}
		})
		refused := r.challenge("mallory", "")
		r.declined("generic", 1)
		id := r.challenge("alice", "white")
		result := r.finished(id)
		await[event.GameEnded](r, 1)

		decided, closed := seen[event.ChallengeDecided](r), seen[event.ChallengeClosed](r)
		if len(decided) != 2 || decided[1].ID != id || !decided[1].Decision.Accept ||
			decided[1].Challenger.Name != "alice" {
			t.Errorf("decided: %+v", decided)
		}
		if len(closed) != 2 || closed[0].Outcome != event.Declined || closed[0].Rule != "challenges.block" ||
			closed[1].Outcome != event.Accepted {
			t.Errorf("closed: %+v", closed)
		}
		checkStates(t, r, id, result.Plies)
		ours := result.Plies / 2
		if moved, searched := len(seen[event.Moved](r)), len(seen[event.Searched](r)); moved != ours ||
			searched != ours {
			t.Errorf("%d moves seen and %d searched, want %d", moved, searched, ours)
		}
		end := seen[event.GameEnded](r)[0]
		if end.Board.Ply() != result.Plies || end.Result != record.ResultOf(end.Status, result.Winner) ||
			end.RatingDiff == 0 || end.Opponent().Name != "alice" || end.Us != rules.Black {
			t.Errorf("the end is told as %+v of %+v", end, result)
		}
		if n := len(seen[event.LoggedIn](r)); n != 1 {
			t.Errorf("logged in %d times", n)
		}
		if n := len(seen[event.StreamOpened](r)); n != 2 {
			t.Errorf("%d streams opened, want the events' and the game's", n)
		}
		bot.Drain()
		if err := bot.wait(); err != nil {
			t.Errorf("drained: %v", err)
		}
		if u := bot.Slots(); u.Games != 0 || u.Max != 4 {
			t.Errorf("slots at the end: %+v", u)
		}
		for _, want := range []struct {
			key, id, message string
			fields           map[string]any
		}{
			{"challenge", refused, "challenge decided", map[string]any{
				"accept": false, "opponent": "mallory", "rule": "challenges.block",
			}},
			{"challenge", id, "challenge decided", map[string]any{
				"accept": true, "opponent": "alice", "rated": true, "control": "3+2",
			}},
			{
				"game", id, "game joined",
				map[string]any{"opponent": "alice", "color": "black", "speed": "blitz", "rated": true},
			},
			{"game", id, "game over", map[string]any{"opponent": "alice", "color": "black", "status": "mate"}},
		} {
			want.fields[want.key], want.fields["level"] = want.id, "info"
			found := 0
			for _, line := range r.log.entries(func(_, m string) bool { return m == want.message }) {
				maps.DeleteFunc(line, func(field string, _ any) bool { return want.fields[field] == nil })
				if maps.Equal(line, want.fields) {
					found++
				}
			}
			if found != 1 {
				t.Errorf("%d lines %q with %v, want 1\n%s", found, want.message, want.fields, r.log)
			}
		}
		moves := r.log.entries(func(level, m string) bool { return m == "moved" && level == zerolog.LevelDebugValue })
		if want := len(result.Moves) / 2; len(moves) < want-1 || len(moves) > want+1 {
			t.Errorf("%d moves at level debug, want about %d", len(moves), want)
		}
		if strings.Contains(r.log.String(), r.token) {
			t.Error("the token is in the log")
		}
	})
}

// A game whose rating change was missed is made up for by the next rated game.
func TestBot_TellsOfRating(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.startPeaceful(1000)
		o := r.challengeAsHuman("white")
		o.exchange("e2e4")
		r.MuteEvents(botName, false)
		o.resign()
		await[event.GameEnded](r, 1)
		if end := seen[event.GameEnded](r)[0]; end.RatingDiff != 0 {
			t.Errorf("the rating change of %d was not missed", end.RatingDiff)
		}
		r.Restart(0) // its event stream is not muted
		for _, words := range []string{"white", "white casual"} {
			r.joined(r.challenge(humanName, words))
		}
		account, err := r.client().Account(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now := account.Perfs[lichess.Crazyhouse].Rating
		if shown := seen[event.RatingShown](r); len(shown) != 2 || shown[0].Rating != 2000 ||
			shown[1].Rating != now || now == 2000 {
			t.Errorf("told of %v, and the rating is %d", shown, now)
		}
	})
}

// checkStates asks that every state of a game of some plies was told in turn.
func checkStates(t *testing.T, r *rig, id string, plies int) {
	t.Helper()
	last := -1
	for _, e := range seen[event.GameChanged](r) {
		if e.ID != id || e.Board.Ply() < last || last >= 0 && e.Board.Ply() > last+1 || len(e.Notes) != e.Board.Ply() {
			t.Errorf("state after ply %d: game %s, ply %d, %d notes", last, e.ID, e.Board.Ply(), len(e.Notes))
		}
		if e.Running != (e.Board.Ply() >= 2 && e.Status == "started") {
			t.Errorf("ply %d, %s: clocks run: %t", e.Board.Ply(), e.Status, e.Running)
		}
		last = e.Board.Ply()
	}
	if last != plies {
		t.Errorf("the last state is after ply %d, want %d", last, plies)
	}
}
