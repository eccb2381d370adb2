package bot

import (
	"context"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules/pgn"
)

func TestGame_Resigns(t *testing.T) {
	for name, tt := range map[string]struct {
		score  pgn.Score
		resign bool
		limit  lichesstest.ChallengeSpec
		want   lichess.Status
	}{
		"lost":                    {pgn.Score{Centipawns: -2000}, true, blitz, "resign"},
		"mated":                   {pgn.Score{Mate: -2}, true, blitz, "resign"},
		"lost, but off":           {pgn.Score{Centipawns: -2000}, false, blitz, "mate"},
		"not lost":                {pgn.Score{Centipawns: -500}, true, blitz, "mate"},
		"opponent may yet flag":   {pgn.Score{Centipawns: -2000}, true, lichesstest.ChallengeSpec{Limit: 15 * time.Second}, "mate"},
		"mated, but it may flag ": {pgn.Score{Mate: -2}, true, lichesstest.ChallengeSpec{Limit: 15 * time.Second}, "mate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			r.AddHuman("alice", peaceful(30, 0))
			r.start(func(b *Bot) {
				b.opts.Engine = &scoringEngine{fakeEngine{peace: 30}, tt.score}
				b.settings().Play.Resign = tt.resign
			})
			id := r.Challenge("alice", botName, tt.limit)
			result := r.finished(id)
			if result.Status != tt.want {
				t.Errorf("ended by %s after %d plies, want %s", result.Status, result.Plies, tt.want)
			}
			if tt.want == "resign" && (result.Winner == "" || result.Plies < 6) {
				t.Errorf("resigned after %d plies, winner %q", result.Plies, result.Winner)
			}
			r.checkNoViolations()
		})
	}
}

// Against an opponent who accepts every draw, the game ends by our first offer.
func TestGame_OffersDraw(t *testing.T) {
	for name, tt := range map[string]struct {
		score int
		on    bool
		want  lichess.Status
	}{
		"level":          {0, true, "draw"},
		"level, but off": {0, false, "mate"},
		"better":         {90, true, "mate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			agreeable := peaceful(80+30, 0)
			r.AddHuman("alice", func(ctx context.Context, turn lichesstest.Turn) lichesstest.Action {
				a := agreeable(ctx, turn)
				a.OfferDraw = turn.DrawOffer
				return a
			})
			r.start(func(b *Bot) {
				b.opts.Engine = &scoringEngine{fakeEngine{peace: 80 + 30}, pgn.Score{Centipawns: tt.score}}
				b.settings().Play.Draw = tt.on
			})
			result := r.finished(r.Challenge("alice", botName, blitz))
			if result.Status != tt.want {
				t.Errorf("ended by %s after %d plies, want %s", result.Status, result.Plies, tt.want)
			}
			if tt.want == "draw" && result.Plies < 80 {
				t.Errorf("draw offered after %d plies", result.Plies)
			}
			r.checkNoViolations()
		})
	}
}

func TestGame_AnswersDrawOffers(t *testing.T) {
	for name, tt := range map[string]struct {
		on     bool
		score  int
		accept bool
	}{
		"losing":          {true, -400, true},
		"losing, but off": {false, -400, false},
		"level too early": {true, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, lichesstest.Options{})
			r.start(func(b *Bot) {
				b.opts.Engine = &scoringEngine{fakeEngine{peace: 1000}, pgn.Score{Centipawns: tt.score}}
				b.settings().Play.Draw = tt.on
			})
			rival := r.challengeAsBot(withColor(blitz, "white"))
			for i, move := range []string{"g1f3", "f3g1", "g1h3", "h3g1"}[:3] {
				rival.play(2*i, move)
			}
			r.plies(rival.id, 6)
			if err := rival.Draw(t.Context(), rival.id, true); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the offer is answered", func() bool { return r.log.messages("draw offered") == 1 })
			if tt.accept {
				if result := r.finished(rival.id); result.Status != "draw" {
					t.Errorf("ended by %s", result.Status)
				}
				return
			}
			answers := r.log.entries(func(_, message string) bool { return message == "draw offered" })
			if answers[0]["accept"] != false {
				t.Error("accepted")
			}
		})
	}
}

func TestGame_TakebacksAreForHumansInCasualGames(t *testing.T) {
	ask := func(t *testing.T, r *rig, request func()) {
		t.Helper()
		request()
		eventually(t, "the request is declined", func() bool {
			declined := r.log.entries(func(_, message string) bool { return message == "takeback requested" })
			return len(declined) == 1 && declined[0]["accept"] == false
		})
	}
	generous := func(b *Bot) { b.opts.Engine, b.settings().Play.Takebacks = &fakeEngine{peace: 1000}, 5 }
	t.Run("human, rated", func(t *testing.T) {
		r := newRig(t, lichesstest.Options{})
		r.start(generous)
		alice := r.challengeAsHuman(withColor(blitz, "white"))
		alice.play(0, "e2e4")
		r.plies(alice.id, 2)
		ask(t, r, func() { alice.perform(lichesstest.Action{AskTakeback: true}) })
		alice.play(2, "d2d3") // the game goes on
		r.plies(alice.id, 4)
	})
	t.Run("bot, casual", func(t *testing.T) {
		r := newRig(t, lichesstest.Options{})
		r.start(generous)
		rival := r.challengeAsBot(withColor(casual, "white"))
		rival.play(0, "e2e4")
		r.plies(rival.id, 2)
		ask(t, r, func() {
			if err := rival.Takeback(t.Context(), rival.id, true); err != nil {
				t.Error(err)
			}
		})
		rival.play(2, "d2d3")
		r.plies(rival.id, 4)
	})
}

// The win is claimed from an opponent who left, a second after the time that the
// server tells, which is cut off. A refused claim is made again; a draw is never
// claimed.
func TestGame_ClaimsTheWin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(*lichesstest.Faults)
	}{
		{"in time", func(*lichesstest.Faults) {}},
		{"again after it was too early", func(f *lichesstest.Faults) { f.EarlyClaims(2) }},
		{"again after a page of the proxy", func(f *lichesstest.Faults) { f.Fail("command", 1, 400) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{ClaimAfter: 2500 * time.Millisecond, PresenceInterval: 400 * time.Millisecond})
			r.start(nil)
			p := r.challengeAsHuman(withColor(blitz, "white"))
			p.play(0, "e2e4")
			r.plies(p.id, 2)
			tt.spoil(r.Faults)
			p.perform(lichesstest.Action{Leave: time.Hour})
			if result := r.finished(p.id); result.Status != "timeout" || result.Winner != "black" {
				t.Errorf("ended by %s, winner %q; want a claimed win", result.Status, result.Winner)
			}
			refusals := r.log.messages("win not granted yet: claimed again while the opponent stays away")
			if tt.name == "in time" && refusals != 0 {
				t.Errorf("%d claims were too early", refusals)
			}
		})
	}
}

// A bot that merely reconnects shows as gone: it loses only when it has been gone
// for a while.
func TestGame_ClaimsFromABotLater(t *testing.T) {
	t.Parallel()
	r := newRig(t, lichesstest.Options{ClaimAfter: time.Millisecond, PresenceInterval: 50 * time.Millisecond, LeaveAfter: 50 * time.Millisecond})
	r.start(func(b *Bot) { b.timing.games.ClaimMargin, b.timing.games.BotAbsence = time.Millisecond, 3*time.Second })
	rival := r.challengeAsBot(withColor(blitz, "white"))
	stream, err := rival.StreamGame(t.Context(), rival.id)
	if err != nil {
		t.Fatal(err)
	}
	rival.play(0, "e2e4")
	r.plies(rival.id, 2)
	stream.Close()
	const reason = "opponent gone: as a bot it may only be reconnecting"
	eventually(t, "the log says why no win is claimed", func() bool { return r.log.messages(reason) == 1 })
	told := time.Now()
	if result := r.finished(rival.id); result.Status != "timeout" || result.Winner != "black" {
		t.Errorf("ended by %s, winner %q; want a claimed win", result.Status, result.Winner)
	}
	if gone := time.Since(told); gone < 2*time.Second {
		t.Errorf("claimed after %s", gone)
	}
}
