package bot

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
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
		"opponent may yet flag":   {pgn.Score{Centipawns: -2000}, true, lichesstest.ChallengeSpec{Limit: 14 * time.Second}, "mate"},
		"mated, but it may flag ": {pgn.Score{Mate: -2}, true, lichesstest.ChallengeSpec{Limit: 14 * time.Second}, "mate"},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(30, 0))
			r.start(func(b *Bot) {
				b.opts.Engine = &scoringEngine{fakeEngine: fakeEngine{peace: 30}, score: tt.score}
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
		runInBubble(t, name, func(t *testing.T, r *rig) {
			agreeable := peaceful(80+30, 0)
			r.AddHuman("alice", func(ctx context.Context, turn lichesstest.Turn) lichesstest.Action {
				a := agreeable(ctx, turn)
				a.OfferDraw = turn.DrawOffer
				return a
			})
			r.start(func(b *Bot) {
				b.opts.Engine = &scoringEngine{fakeEngine: fakeEngine{peace: 80 + 30}, score: pgn.Score{Centipawns: tt.score}}
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
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.start(func(b *Bot) {
				b.opts.Engine = &scoringEngine{fakeEngine: fakeEngine{peace: 1000}, score: pgn.Score{Centipawns: tt.score}}
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
			waittest.Until(t, "the offer is answered", func() bool { return r.requests(endpointDraw) == 1 })
			if tt.accept {
				if result := r.finished(rival.id); result.Status != "draw" {
					t.Errorf("ended by %s", result.Status)
				}
				return
			}
			if result, _ := r.Game(rival.id); result.Status != "started" {
				t.Errorf("ended by %s", result.Status)
			}
		})
	}
}

func TestGame_TakebacksAreForHumansInCasualGames(t *testing.T) {
	declined := func(t *testing.T, r *rig, g opponentGame) {
		t.Helper()
		waittest.Until(t, "the request is answered", func() bool { return r.requests(endpointTakeback) == 1 })
		if n := len(g.moves()); n != 2 {
			t.Errorf("%d moves are left, want both", n)
		}
	}
	generous := func(b *Bot) { b.opts.Engine, b.settings().Play.Takebacks = &fakeEngine{peace: 1000}, 5 }
	runInBubble(t, "human, rated", func(t *testing.T, r *rig) {
		r.start(generous)
		alice := r.challengeAsHuman(withColor(blitz, "white"))
		alice.play(0, "e2e4")
		r.plies(alice.id, 2)
		alice.perform(lichesstest.Action{AskTakeback: true})
		declined(t, r, alice.opponentGame)
		alice.play(2, "d2d3") // the game goes on
		r.plies(alice.id, 4)
	})
	runInBubble(t, "bot, casual", func(t *testing.T, r *rig) {
		r.start(generous)
		rival := r.challengeAsBot(withColor(casual, "white"))
		rival.play(0, "e2e4")
		r.plies(rival.id, 2)
		if err := rival.Takeback(t.Context(), rival.id, true); err != nil {
			t.Fatal(err)
		}
		declined(t, r, rival.opponentGame)
		rival.play(2, "d2d3")
		r.plies(rival.id, 4)
	})
}

// The win is claimed from an opponent who left, a second after the time that the
// server tells, which is cut off. A refused claim is made again; a draw is never
// claimed.
func TestGame_ClaimsTheWin(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*lichesstest.Faults)
	}{
		{"in time", func(*lichesstest.Faults) {}},
		{"again after it was too early", inject("early", lichesstest.When{Next: 2})},
		{"again after a page of the proxy", inject("fail", lichesstest.When{Class: "command", Next: 1, Status: 400})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, lichesstest.Options{ClaimAfter: 12500 * time.Millisecond})
				r.start(nil)
				p := r.challengeAsHuman(withColor(blitz, "white"))
				p.play(0, "e2e4")
				r.plies(p.id, 2)
				tt.spoil(r.Faults)
				p.perform(lichesstest.Action{Leave: time.Hour})
				if result := r.finished(p.id); result.Status != "timeout" || result.Winner != "black" {
					t.Errorf("ended by %s, winner %q; want a claimed win", result.Status, result.Winner)
				}
				synctest.Wait()
				if n := r.requests(endpointClaim); tt.name == "in time" && n != 1 {
					t.Errorf("claimed %d times, want once", n)
				}
			})
		})
	}
}

// A bot that merely reconnects shows as gone: it loses only when it has been gone
// for a while.
func TestGame_ClaimsFromABotLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, lichesstest.Options{ClaimAfter: time.Millisecond})
		r.start(nil)
		rival := r.challengeAsBot(withColor(blitz, "white"))
		stream, err := rival.StreamGame(t.Context(), rival.id)
		if err != nil {
			t.Fatal(err)
		}
		rival.play(0, "e2e4")
		r.plies(rival.id, 2)
		stream.Close()
		left := time.Now()
		if result := r.finished(rival.id); result.Status != "timeout" || result.Winner != "black" {
			t.Errorf("ended by %s, winner %q; want a claimed win", result.Status, result.Winner)
		}
		if gone := time.Since(left); gone < 29*time.Second {
			t.Errorf("claimed after %s", gone)
		}
	})
}

// abandon has a bot that plays one game at most abandon it, since Lichess refuses its stream.
func abandon(t *testing.T) (r *rig, b *runningBot, id string) {
	t.Helper()
	r = newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(40, 2*time.Millisecond))
	r.AddHuman("bob", peaceful(40, 2*time.Millisecond))
	b = r.start(func(b *Bot) {
		b.opts.Engine, b.timing.games.SyncInterval = &fakeEngine{peace: 40}, time.Hour
		b.games.Resize(config.Games{Max: 1})
	})
	id = r.Challenge("alice", botName, blitz)
	r.plies(id, 6)
	refuse(r.Faults)
	r.Faults.Inject("cut", lichesstest.When{Next: 1})
	r.abandoned(1)
	return r, b, id
}

// refuse refuses the streams of games.
var refuse = inject("fail", lichesstest.When{Class: "game", Next: 1000, Status: 404, Text: "No such game"})

// An abandoned game keeps its slot until it is resumed and over.
func TestRun_AbandonedGameKeepsItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, b, id := abandon(t)
		next := r.Challenge("bob", botName, blitz)
		r.abandoned(2)
		if use := b.Slots(); use.Games != 1 || !slices.Contains(b.Running(), id) {
			t.Errorf("running %v, slots %+v", b.Running(), use)
		}
		r.Faults.Clear()
		for _, id := range []string{id, next} {
			if end := r.finished(id); end.Status != "mate" {
				t.Errorf("game %s ended by %s", id, end.Status)
			}
		}
		if n := r.Audit(botName).MaxConcurrent; n != 1 {
			t.Errorf("%d games at once", n)
		}
	})
}

// A drain waits for the end of an abandoned game, of which only the list of games tells.
func TestRun_AbandonedGameEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, b, id := abandon(t)
		b.Drain()
		r.abandoned(2)
		if b.ended() {
			t.Error("the bot has ended before its game")
		}
		r.Perform(id, "alice", lichesstest.Action{Resign: true})
		if err := b.wait(); err != nil || b.Slots().Games != 0 {
			t.Errorf("ended with %v, slots %+v", err, b.Slots())
		}
	})
}

// An abandoned game that ends is recorded as soon as a list of games lacks it.
func TestRun_AbandonedGameIsRecorded(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(40, 2*time.Millisecond))
		dir := t.TempDir()
		archive, closeArchive := openArchive(t, dir)
		defer closeArchive()
		b := r.start(func(b *Bot) {
			b.opts.Archive, b.opts.Engine = archive, &fakeEngine{peace: 40}
			b.timing.games.Stream.RefusalGap = 2 * time.Second // in which its end is read, on a slow machine too
		})
		defer b.halt()
		id := r.Challenge("alice", botName, blitz)
		r.plies(id, 6)
		r.Faults.Inject("fail", lichesstest.When{Class: "account", Next: 1 << 30, Status: 503}) // the list
		refuse(r.Faults)
		r.Faults.Inject("cut", lichesstest.When{Next: 1})
		r.abandoned(1)
		r.Perform(id, "alice", lichesstest.Action{Resign: true})
		r.Faults.Clear()
		waittest.Until(t, "the game is forgotten", func() bool { return !b.games.Has(id) })
		if text := archivedGames(t, dir); strings.Count(text, `[GameId "`+id+`"]`) != 1 || !strings.Contains(text, "[%eval") {
			t.Errorf("archived\n%s", text)
		}
		if n := len(seen[event.GameEnded](r)); n != 1 || len(archive.Unfinished()) != 0 {
			t.Errorf("ended %d times, unfinished %v", n, archive.Unfinished())
		}
	})
}

// A game that is over does not keep its slot because its stream fails.
func TestRun_EndUnread(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		archive, closeArchive := openArchive(t, t.TempDir())
		defer closeArchive()
		b := r.start(func(b *Bot) {
			b.opts.Archive, b.opts.Engine, b.timing.games.SyncLive = archive, &fakeEngine{peace: 1000}, 20*time.Millisecond
		})
		defer b.halt()
		p := r.challengeAsHuman(withColor(blitz, "white"))
		p.play(0, "e2e4")
		r.plies(p.id, 2)
		r.Faults.Inject("fail", lichesstest.When{Class: "game", Next: 1 << 30, Status: 503})
		r.Faults.Inject("cut", lichesstest.When{Next: 1})
		p.play(2, "g1f3")
		waittest.Until(t, "the stream is lost", func() bool { return len(seen[event.StreamLost](r)) > 0 })
		p.perform(lichesstest.Action{Resign: true})
		waittest.Until(t, "the slot is free", func() bool { return !b.games.Has(p.id) })
		if n := len(archive.Unfinished()); n != 1 {
			t.Errorf("%d games are left to the next start, want 1", n)
		}
	})
}

// A game that the server does not know is given up after three refusals and a list without it, with
// few warnings; no page of a proxy counts, nor an outage.
func TestRun_UnknownGame(t *testing.T) {
	for name, tt := range map[string]struct {
		fault         lichesstest.When
		after, within time.Duration
	}{
		"by Lichess": {lichesstest.When{}, 20 * time.Second, 30 * time.Second},
		"a page":     {lichesstest.When{Class: "game", Next: 1 << 30, Status: 404}, 2 * time.Minute, 4 * time.Minute},
		"an outage":  {lichesstest.When{Class: "game", Next: 1 << 30}, 2 * time.Minute, 4 * time.Minute},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			b := r.start(func(b *Bot) { b.timing = lichessTiming })
			r.Faults.Inject("fail", tt.fault)
			began := time.Now()
			b.handle(t.Context(), &lichess.GameStart{Game: lichess.Game{
				ID: "nonesuch", Variant: lichess.Variant{Key: lichess.Crazyhouse}, SecondsLeft: new(lichess.Seconds(60)),
			}})
			b.Drain()
			waittest.Until(t, "the game is given up", b.ended)
			if err := b.wait(); err != nil || b.Slots().Games != 0 {
				t.Errorf("ended with %v, slots %+v", err, b.Slots())
			}
			if took := time.Since(began); took < tt.after || took > tt.within {
				t.Errorf("given up after %s", took)
			}
			warnings := len(r.log.entries(func(level, _ string) bool { return level == "warn" || level == "error" }))
			if name == "by Lichess" && warnings > 7 {
				t.Errorf("%d warnings:\n%s", warnings, r.log)
			}
		})
	}
}

// So is a game in progress that the server has forgotten, which is recorded as far as is known.
func TestRun_ForgottenGame(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(1000, time.Second))
		dir := t.TempDir()
		archive, closeArchive := openArchive(t, dir)
		defer closeArchive()
		b := r.start(func(b *Bot) {
			b.timing, b.opts.Archive, b.opts.Engine = lichessTiming, archive, &fakeEngine{peace: 1000}
		})
		id := r.Challenge("alice", botName, blitz)
		r.plies(id, 6)
		refuse(r.Faults)
		r.Faults.Inject("cut", lichesstest.When{Next: 1})
		waittest.Until(t, "the stream is lost", func() bool { return len(seen[event.StreamLost](r)) > 0 })
		r.Perform(id, "alice", lichesstest.Action{Resign: true})
		began := time.Now()
		b.Drain()
		if err := b.wait(); err != nil || time.Since(began) > 35*time.Second {
			t.Errorf("given up after %s: %v", time.Since(began), err)
		}
		if text := archivedGames(t, dir); strings.Count(text, `[GameId "`+id+`"]`) != 1 || !strings.Contains(text, `[Result "*"]`) {
			t.Errorf("archived\n%s", text)
		}
	})
}
