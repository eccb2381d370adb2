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
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A lost game is resigned; against an opponent who accepts every draw, a level one ends by our
// first offer.
func TestGame_EndsEarly(t *testing.T) {
	for name, tt := range map[string]struct {
		score engine.Score
		want  lichess.Status
		after int // plies
	}{"lost": {-2000, "resign", 6}, "level": {0, "draw", 80}, "better": {90, "mate", 110}} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			agreeable := peaceful(110, 0)
			r.AddHuman("alice", func(ctx context.Context, turn lichesstest.Turn) lichesstest.Action {
				a := agreeable(ctx, turn)
				a.OfferDraw = turn.DrawOffer
				return a
			})
			r.start(func(b *Bot) {
				b.opts.Engine = &scoringEngine{fakeEngine: fakeEngine{peace: 110}, score: tt.score}
				b.settings().Play = config.Play{Draw: true, Resign: true}
			})
			result := r.finished(r.Challenge("alice", botName, blitz))
			if result.Status != tt.want || result.Plies < tt.after {
				t.Errorf("ended by %s after %d plies, want %s after %d", result.Status, result.Plies, tt.want, tt.after)
			}
		})
	}
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
		runInBubbleWith(t, tt.name, lichesstest.Options{ClaimAfter: 12500 * time.Millisecond}, func(t *testing.T, r *rig) {
			r.start(nil)
			p := r.challengeAsHuman(withColor(blitz, "white"))
			p.exchange("e2e4")
			tt.spoil(r.Faults)
			p.perform(lichesstest.Action{Leave: time.Hour})
			r.endsByClaim(p.id)
			synctest.Wait()
			if n := r.requests(endpointClaim); tt.name == "in time" && n != 1 {
				t.Errorf("claimed %d times, want once", n)
			}
		})
	}
}

func (r *rig) endsByClaim(id string) {
	r.t.Helper()
	if result := r.finished(id); result.Status != "timeout" || result.Winner != "black" {
		r.t.Errorf("ended by %s, winner %q; want a claimed win", result.Status, result.Winner)
	}
}

// A bot that merely reconnects shows as gone: it loses only when it has been gone
// for a while.
func TestGame_ClaimsFromABotLater(t *testing.T) {
	inBubbleWith(t, lichesstest.Options{ClaimAfter: time.Millisecond}, func(t *testing.T, r *rig) {
		r.start(nil)
		rival := r.challengeAsBot(withColor(blitz, "white"))
		stream, err := rival.StreamGame(t.Context(), rival.id)
		r.must(err)
		rival.exchange("e2e4")
		stream.Close()
		left := time.Now()
		r.endsByClaim(rival.id)
		if gone := time.Since(left); gone < 29*time.Second {
			t.Errorf("claimed after %s", gone)
		}
	})
}

// abandon has a bot that plays one game at most, and records it in a folder, abandon it, since
// Lichess refuses its stream.
func (r *rig) abandon(dir string) (b *runningBot, id string) {
	r.t.Helper()
	r.AddHuman("alice", peaceful(40, 2*time.Millisecond))
	r.AddHuman("bob", peaceful(40, 2*time.Millisecond))
	b = r.startIn(dir, func(b *Bot) {
		b.opts.Engine, b.timing.games.SyncInterval = &fakeEngine{peace: 40}, time.Hour
		b.timing.games.Stream.RefusalGap = 2 * time.Second // in which its end is read, on a slow machine too
		b.games.Resize(config.Games{Max: 1})
	})
	id = r.Challenge("alice", botName, withColor(blitz, "white"))
	r.plies(id, 6)
	refuse(r.Faults)
	r.cut()
	r.abandoned(1)
	return b, id
}

// refuse refuses the streams of games.
var refuse = inject("fail", lichesstest.When{Class: "game", Next: 1000, Status: 404, Text: "No such game"})

// An abandoned game keeps its slot until it is resumed, with the notes from before, and over.
func TestRun_AbandonedGameIsResumed(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		b, id := r.abandon(dir)
		next := r.Challenge("bob", botName, blitz)
		r.abandoned(2)
		if use := b.Slots(); use.Games != 1 || !slices.Contains(b.Running(), id) {
			t.Errorf("running %v, slots %+v", b.Running(), use)
		}
		r.Faults.Clear()
		r.mated(id)
		text := r.archivedIn(dir)
		if end, _ := r.Game(id); strings.Count(text, "[%eval") < end.Plies/2-1 { // that of the move before the gap may be missing
			t.Errorf("archived\n%s", text)
		}
		r.mated(next)
		if n := r.Audit(botName).MaxConcurrent; n != 1 {
			t.Errorf("%d games at once", n)
		}
	})
}

// A drain waits for the end of an abandoned game, of which only the list of games tells, and
// which is recorded once.
func TestRun_AbandonedGameEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		b, id := r.abandon(dir)
		b.Drain()
		r.abandoned(2)
		if b.ended() {
			t.Error("the bot has ended before its game")
		}
		r.Perform(id, "alice", lichesstest.Action{Resign: true})
		r.Faults.Clear()
		if err := b.wait(); err != nil || b.Slots().Games != 0 {
			t.Errorf("ended with %v, slots %+v", err, b.Slots())
		}
		b.halt()
		if text := archivedGames(t, dir); strings.Count(text, `[GameId "`+id+`"]`) != 1 || !strings.Contains(text, "[%eval") {
			t.Errorf("archived\n%s", text)
		}
		if n := len(seen[event.GameEnded](r)); n != 1 || liveText(dir, id) != "" {
			t.Errorf("ended %d times, in progress %s", n, liveText(dir, id))
		}
	})
}

// A game that is over does not keep its slot because its stream fails.
func TestRun_EndUnread(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		b := r.startIn(dir, func(b *Bot) { b.timing.games.SyncLive = 20 * time.Millisecond })
		p := r.challengeAsHuman(withColor(blitz, "white"))
		p.exchange("e2e4")
		r.Faults.Inject("fail", lichesstest.When{Class: "game", Next: 1 << 30, Status: 503})
		r.cut()
		p.play(2, "g1f3")
		waittest.Until(t, "the stream is lost", func() bool { return len(seen[event.StreamLost](r)) > 0 })
		p.resign()
		waittest.Until(t, "the slot is free", func() bool { return !b.games.Has(p.id) })
		if liveText(dir, p.id) == "" {
			t.Error("the game is not left to the next start")
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
		b := r.startIn(dir, func(b *Bot) { b.timing = lichessTiming })
		id := r.Challenge("alice", botName, blitz)
		r.plies(id, 6)
		refuse(r.Faults)
		r.cut()
		waittest.Until(t, "the stream is lost", func() bool { return len(seen[event.StreamLost](r)) > 0 })
		r.Perform(id, "alice", lichesstest.Action{Resign: true})
		began := time.Now()
		b.drain()
		if took := time.Since(began); took > 35*time.Second {
			t.Errorf("given up after %s", took)
		}
		if text := archivedGames(t, dir); strings.Count(text, `[GameId "`+id+`"]`) != 1 || !strings.Contains(text, `[Result "*"]`) {
			t.Errorf("archived\n%s", text)
		}
	})
}
