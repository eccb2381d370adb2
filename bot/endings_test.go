package bot

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A draw goes with our move: without an offer of the opponent's the game goes on, with one it is over, and our
// move is not played.
func TestGame_OffersADraw(t *testing.T) {
	for _, offered := range []bool{false, true} {
		inBubble(t, func(t *testing.T, r *rig) {
			quiet := peaceful(1000, 0)
			r.AddHuman("alice", func(ctx context.Context, t lichesstest.Turn) lichesstest.Action {
				a := quiet(ctx, t)
				a.OfferDraw, a.Resign = offered && t.Game.Ply() == drawPly-1, t.Game.Ply() > drawPly+4
				return a
			})
			r.fault("fail command 1h") // our answer to the opponent's offer
			r.start(func(b *setup) {
				scoring(b, 1000, 0)
				b.settings().Play.Draw = true
			})
			id := r.challenge("alice", "white")
			want, plies, posts := lichess.StatusResign, drawPly+5, drawPly/2+3
			if offered {
				want, plies, posts = lichess.StatusDraw, drawPly, drawPly/2+1
			}
			g := r.archived(1)[0]
			if r.finished(id); g.Status != want || g.Board.Ply() != plies {
				t.Errorf("offered %t: recorded as %s after %d plies", offered, g.Status, g.Board.Ply())
			}
			synctest.Wait() // the last reply is counted
			r.checkRequests(endpointMove, posts)
			if n := len(seen[event.Searched](r)); n != posts || r.log.messages("draw offered by us") != 1 {
				t.Errorf("offered %t: %d searches, want %d\n%s", offered, n, posts, r.log)
			}
		})
	}
}

// drawPly is that of the first move with which our bot, as Black, offers a draw.
const drawPly = 81

// The win is claimed from an opponent who left, a second after the time that the
// server tells, which is cut off. A refused claim is made again; a draw is never
// claimed.
func TestGame_ClaimsTheWin(t *testing.T) {
	for _, faults := range [][]string{nil, {"early x2"}, {"fail command x1 400"}} {
		inBubbleWith(t, lichesstest.Options{ClaimAfter: 12500 * time.Millisecond}, func(t *testing.T, r *rig) {
			r.start(nil)
			p := r.challengeAsHuman("white")
			p.exchange("e2e4")
			r.fault(faults...)
			p.perform(lichesstest.Action{Leave: time.Hour})
			r.endsByClaim(p.id)
			synctest.Wait()
			if n := r.requests(endpointClaim); faults == nil && n != 1 {
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
		rival := r.challengeAsBot("white")
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
	b = r.startIn(dir, func(b *setup) {
		b.opts.Engine, b.timing.games.SyncInterval = &fakeEngine{peace: 40}, time.Hour
		b.timing.games.Stream.RefusalGap = 2 * time.Second // in which its end is read, on a slow machine too
		oneGame(b)
	})
	id = r.challenge("alice", "white")
	r.plies(id, 6)
	r.fault(refuse)
	r.cut()
	await[event.GameAbandoned](r, 1)
	return b, id
}

// refuse refuses the streams of games.
const refuse = "fail game x1000 404: No such game"

// An abandoned game keeps its slot until it is resumed, with the notes from before, and over.
func TestRun_AbandonedGameIsResumed(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		b, id := r.abandon(dir)
		next := r.challenge("bob", "")
		await[event.GameAbandoned](r, 2)
		if use := b.Slots(); use.Games != 1 || !slices.Contains(b.Running(), id) {
			t.Errorf("running %v, slots %+v", b.Running(), use)
		}
		r.Faults.Clear()
		r.mated(id)
		text := r.archivedIn(dir)
		// that of the move before the gap may be missing
		if end, _ := r.Game(id); strings.Count(text, "[%eval") < end.Plies/2-1 {
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
		await[event.GameAbandoned](r, 2)
		if b.ended() {
			t.Error("the bot has ended before its game")
		}
		r.Perform(id, "alice", lichesstest.Action{Resign: true})
		r.Faults.Clear()
		if err := b.wait(); err != nil || b.Slots().Games != 0 {
			t.Errorf("ended with %v, slots %+v", err, b.Slots())
		}
		b.halt()
		if text := archivedGames(t, dir); strings.Count(text, `[GameId "`+id+`"]`) != 1 ||
			!strings.Contains(text, "[%eval") {
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
		b := r.startIn(dir, func(b *setup) { b.timing.games.SyncLive = 20 * time.Millisecond })
		p := r.challengeAsHuman("white")
		p.exchange("e2e4")
		r.fault("fail game x1000000 503")
		r.cut()
		p.play(2, "g1f3")
		await[event.StreamLost](r, 1)
		p.resign()
		r.until("the slot is free", func() bool { return !b.games.Has(p.id) })
		if liveText(dir, p.id) == "" {
			t.Error("the game is not left to the next start")
		}
	})
}

// A game that the server does not know is given up after three refusals and a list without it, with
// few warnings; no page of a proxy counts, nor an outage.
func TestRun_UnknownGame(t *testing.T) {
	for fault, within := range map[string]time.Duration{
		"fail": 30 * time.Second, "fail game x1000000 404": 4 * time.Minute, "fail game x1000000": 4 * time.Minute,
	} {
		runInBubble(t, fault, func(t *testing.T, r *rig) {
			b := r.start(func(b *setup) { b.timing = lichessTiming })
			await[event.StreamOpened](r, 1)
			r.fault(fault)
			began := time.Now()
			b.handle(t.Context(), &lichess.GameStart{Game: lichess.Game{
				ID: "nonesuch", Variant: lichess.Variant{Key: lichess.Crazyhouse},
				SecondsLeft: new(lichess.Seconds(60)),
			}})
			b.Drain()
			r.until("the game is given up", b.ended)
			r.must(b.wait())
			if took := time.Since(began); took < within/2 || took > within || b.Slots().Games != 0 {
				t.Errorf("given up after %s, slots %+v", took, b.Slots())
			}
			warnings := len(r.log.entries(func(level, _ string) bool { return level == "warn" || level == "error" }))
			if fault == "fail" && warnings > 7 {
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
		b := r.startIn(dir, func(b *setup) { b.timing = lichessTiming })
		id := r.challenge("alice", "")
		r.plies(id, 6)
		r.fault(refuse)
		r.cut()
		await[event.StreamLost](r, 1)
		r.Perform(id, "alice", lichesstest.Action{Resign: true})
		began := time.Now()
		b.drain()
		if took := time.Since(began); took > 35*time.Second {
			t.Errorf("given up after %s", took)
		}
		if text := archivedGames(t, dir); strings.Count(text, `[GameId "`+id+`"]`) != 1 ||
			!strings.Contains(text, `[Result "*"]`) {
			t.Errorf("archived\n%s", text)
		}
	})
}
