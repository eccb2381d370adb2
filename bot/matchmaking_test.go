package bot

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

const endpointCreate = "POST /api/challenge/{user}"

// withMatchmaking lets a bot look for games at once.
func withMatchmaking(change func(*config.Matchmaking)) func(*Bot) {
	return func(b *Bot) {
		b.settings().Matchmaking = config.Matchmaking{
			Enabled: true, Idle: 5 * time.Millisecond, Wait: patience,
			Offers: []config.Offer{
				{Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, Rated: true, Weight: 3},
				{Clock: lichess.Clock{Initial: time.Minute, Increment: time.Second}, Rated: true, Weight: 2},
				{Clock: lichess.Clock{Initial: 5 * time.Minute, Increment: 3 * time.Second}, Weight: 1},
			},
			GamesPerDay: 80, GamesPerOpponent: 12, GamesInARow: 4, Rest: 3 * time.Hour, Pairs: true,
			Pause: config.Range[time.Duration]{Min: 30 * time.Minute, Max: 30 * day},
		}
		if change != nil {
			change(&b.settings().Matchmaking)
		}
	}
}

// partner adds a bot that has played before and answers in a way of its own.
func (r *rig) partner(name string, p lichesstest.Player, answer func(lichesstest.ChallengeSpec) lichesstest.Answer) {
	r.AddBotPlayer(name, p)
	r.SetPerf(name, 1500, 100)
	r.AnswerChallenges(name, answer)
}

func accept(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{} }

func declining(reason string) func(lichesstest.ChallengeSpec) lichesstest.Answer {
	return func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Decline: reason} }
}

// opponentOf returns what a state remembers of a player.
func opponentOf(s *record.StateFile, id string) (o record.Opponent) {
	s.View(func(d *record.State) {
		if known := d.Opponents[id]; known != nil {
			o = *known
		}
	})
	return o
}

func TestMatchmaker_PlaysPairs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, lichesstest.Options{Seed: 5})
		r.partner("pocketbot", peaceful(8, 0), accept)
		file := record.InMemoryState()
		r.state = file
		run := r.start(withMatchmaking(func(m *config.Matchmaking) { m.GamesInARow = 2 }))
		waittest.Until(t, "two games are archived", func() bool { return len(r.archive.saved()) == 2 })
		games := r.archive.saved()
		if games[0].White.Name == games[1].White.Name {
			t.Errorf("%s had White in both games", games[0].White.Name)
		}
		if games[0].Clock != games[1].Clock || games[0].Rated != games[1].Rated {
			t.Error("the second game of the pair was another kind of game")
		}
		waittest.Until(t, "both games are counted", func() bool {
			n := 0
			file.View(func(d *record.State) { n = len(d.BotGames) })
			return n == 2
		})
		waittest.Until(t, "after the pair nothing is due", func() bool { return opponentOf(file, "pocketbot").Pending == nil })
		run.Drain()
		if err := run.wait(); err != nil {
			t.Error(err)
		}
		if n := r.requests(endpointCreate); n != 2 {
			t.Errorf("%d challenges, want 2: two games in a row, then a rest", n)
		}
		r.checkNoViolations()
	})
}

// What a bot says no to is remembered, also over a restart.
func TestMatchmaker_RemembersRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		set    func(*rig)
		reason string
		rest   time.Duration
	}{
		{"declined for good", func(r *rig) { r.partner("sulker", lichesstest.Idle(), declining("noBot")) }, "nobot", 24 * time.Hour},
		{"declined for now", func(r *rig) { r.partner("sulker", lichesstest.Idle(), declining("later")) }, "later", 30 * time.Minute},
		{"refused by the server", func(r *rig) {
			r.partner("sulker", lichesstest.Idle(), accept)
			r.RejectChallenges("sulker", "sulker does not accept challenges")
		}, opponent.RefusedByServer, 24 * time.Hour},
		{"plays as many games as Lichess allows", func(r *rig) {
			r.partner("sulker", lichesstest.Idle(), accept)
			r.RejectChallenges("sulker", "Challenge not created")
		}, opponent.RefusedByServer, 24 * time.Hour},
		{"its quota is used up", func(r *rig) {
			r.partner("sulker", lichesstest.Idle(), accept)
			r.SetBotGamesPlayed("sulker", 100)
		}, opponent.QuotaReached, 12 * time.Hour},
		{"no answer", func(r *rig) {
			r.partner("sulker", lichesstest.Idle(), func(lichesstest.ChallengeSpec) lichesstest.Answer {
				return lichesstest.Answer{Silent: true}
			})
		}, opponent.NoAnswer, time.Hour},
	} {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			tt.set(r)
			dir := t.TempDir()
			start := func() *runningBot {
				file, err := record.OpenState(dir)
				if err != nil {
					t.Fatal(err)
				}
				r.state = file
				return r.start(withMatchmaking(func(m *config.Matchmaking) { m.Wait = 20 * time.Millisecond }))
			}
			run := start()
			waittest.Until(t, "the refusal is remembered", func() bool { return opponentOf(run.opts.State, "sulker").Reason == tt.reason })
			rest := time.Until(opponentOf(run.opts.State, "sulker").RestUntil)
			if rest > tt.rest+time.Second || rest < tt.rest-time.Minute {
				t.Errorf("left alone for %s, want %s", rest, tt.rest)
			}
			for _, c := range r.Challenges("sulker") {
				if c.Status == "created" {
					t.Error("the challenge is still open")
				}
			}
			waittest.Until(t, "the slot is free", func() bool { return len(run.Running()) == 0 })
			run.halt()

			sent := r.requests(endpointCreate)
			r.partner("other", peaceful(4, 0), accept)
			start()
			waittest.Until(t, "somebody else is challenged", func() bool { return len(r.Challenges("other")) > 0 })
			if n := r.requests(endpointCreate) - sent - len(r.Challenges("other")); n > 0 {
				t.Errorf("%d more challenges to who refused", n)
			}
		})
	}
}

func TestMatchmaker_OwnQuota(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.partner("pocketbot", lichesstest.Idle(), accept)
		r.SetBotGamesPlayed(botName, 100)
		run := r.start(withMatchmaking(nil))
		waittest.Until(t, "the quota is noted", func() bool {
			var until time.Time
			run.opts.State.View(func(d *record.State) { until = d.BotGamesClosed })
			return time.Until(until) > 12*time.Hour-time.Minute
		})
		if n := r.requests(endpointCreate); n != 1 {
			t.Errorf("%d challenges were sent, want 1", n)
		}
	})
}

// While our account is new, the strongest bot is challenged to a slow game.
func TestMatchmaker_NewAccount(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.SetCreated(botName, time.Now())
		for name, rating := range map[string]int{"weaker": 1500, "stronger": 1900, "weakest": 1400} {
			r.partner(name, lichesstest.Idle(), accept)
			r.SetPerf(name, rating, 100)
		}
		run := r.start(withMatchmaking(func(s *config.Matchmaking) { s.Offers = s.Offers[:2] }))
		waittest.Until(t, "the strongest is challenged", func() bool { return len(r.Challenges("stronger")) > 0 })
		if c := r.Challenges("stronger")[0]; c.Spec.Limit != 3*time.Minute || len(r.Challenges("weaker"))+len(r.Challenges("weakest")) > 0 {
			t.Errorf("challenged %+v, and others %d times", c, len(r.Challenges("weaker"))+len(r.Challenges("weakest")))
		}
		if note := run.Status().Matchmaking.Note; !strings.Contains(note, "only offers of 3 minutes and slower") {
			t.Errorf("note %q", note)
		}
		if r.log.messages("matchmaking: "+run.Status().Matchmaking.Note) != 1 {
			t.Error("no warning")
		}
	})
}

// A drain takes the challenge back that waits for its answer.
func TestMatchmaker_DrainCancels(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.partner("silent", lichesstest.Idle(), func(lichesstest.ChallengeSpec) lichesstest.Answer {
			return lichesstest.Answer{Silent: true}
		})
		run := r.start(withMatchmaking(nil))
		waittest.Until(t, "the challenge is sent", func() bool { return len(r.Challenges("silent")) == 1 })
		run.Drain()
		if err := run.wait(); err != nil {
			t.Error(err)
		}
		if c := r.Challenges("silent")[0]; c.Status != "canceled" {
			t.Errorf("the challenge is %s", c.Status)
		}
		if o := opponentOf(run.opts.State, "silent"); o.Refusals != 0 {
			t.Errorf("a challenge we took back counts as a refusal: %+v", o)
		}
	})
}

// A challenge whose reply is lost is found again, and its game is played.
func TestMatchmaker_ReplyLost(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.partner("pocketbot", peaceful(8, 0), func(lichesstest.ChallengeSpec) lichesstest.Answer {
			return lichesstest.Answer{After: 20 * time.Millisecond}
		})
		r.Faults.Inject("lose", lichesstest.When{Class: "challenge", Next: 1})
		r.start(withMatchmaking(nil))
		waittest.Until(t, "a game is archived", func() bool { return len(r.archive.saved()) > 0 })
		if first := r.Challenges("pocketbot")[0]; first.ID != r.archive.saved()[0].ID {
			t.Errorf("challenge %s, but game %s", first.ID, r.archive.saved()[0].ID)
		}
		r.checkNoViolations()
	})
}

// The slots kept for humans are none for challenges of ours.
func TestMatchmaker_SlotsForHumans(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.partner("pocketbot", lichesstest.Idle(), accept)
		run := r.start(func(b *Bot) {
			b.games.Resize(config.Games{Max: 2, ReservedForHumans: 2})
			withMatchmaking(nil)(b)
		})
		time.Sleep(time.Second) // in which the matchmaker looks several times
		if n := r.requests(endpointCreate); n != 0 {
			t.Errorf("%d challenges", n)
		}
		run.games.Resize(config.Games{Max: 2, ReservedForHumans: 1})
		waittest.Until(t, "a slot that is not kept is used", func() bool { return r.requests(endpointCreate) > 0 })
	})
}

// A line that lost is not played again.
func TestBot_DeviatesFromLostLine(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		mate := lichesstest.Searching(func(_ context.Context, turn lichesstest.Turn) (rules.Move, error) {
			for _, uci := range []string{"d8h4", "e7e5"} {
				if m, err := turn.Game.Position().ParseUCI(uci); err == nil {
					return m, nil
				}
			}
			return rules.NoMove, errNoMove
		})
		r.AddHuman("alice", mate)
		r.start(func(b *Bot) { b.opts.Engine = foolsMateEngine{} })
		var lines []string
		for range 3 {
			id := r.Challenge("alice", botName, withColor(blitz, "black"))
			r.finished(id)
			waittest.Until(t, "the game is archived", func() bool { return len(r.archive.saved()) == len(lines)+1 })
			result, _ := r.Game(id)
			line := ""
			for _, m := range result.Moves {
				line += m + " "
			}
			if slices.Contains(lines, line) {
				t.Fatalf("the line %slost twice", line)
			}
			lines = append(lines, line)
		}
		if lines[0] != "f2f3 e7e5 g2g4 d8h4 " {
			t.Errorf("first game: %s", lines[0])
		}
		r.checkNoViolations()
	})
}

// foolsMateEngine walks into the shortest mate if it may.
type foolsMateEngine struct{}

func (foolsMateEngine) EndGame(string) {}

func (foolsMateEngine) Search(_ context.Context, g *rules.Game, l game.SearchLimits, _ func(event.SearchInfo)) (game.SearchResult, error) {
	moves := l.Moves
	if moves == nil {
		moves = g.Position().LegalMoves()
	}
	for _, uci := range []string{"f2f3", "g2g4"} {
		if m, err := g.Position().ParseUCI(uci); err == nil && slices.Contains(moves, m) {
			return game.SearchResult{Move: m}, nil
		}
	}
	return game.SearchResult{Move: moves[0]}, nil
}

// Over the whole way, an opponent's abort counts against it, and ours does not.
func TestGame_CountsOnlyTheOpponentsAborts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ours   bool
		aborts int
		reason string
	}{
		{"theirs", false, 1, ""},
		{"ours, for want of a first move", true, 0, opponent.NoFirstMove},
	} {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			file := record.InMemoryState()
			r.state = file
			run := r.start(func(b *Bot) {
				b.settings().Games.AbortAfter = time.Hour
				withMatchmaking(nil)(b)
				b.settings().Matchmaking.Enabled = false
				if tt.ours {
					b.settings().Games.AbortAfter = 50 * time.Millisecond
				}
			})
			p := r.challengeAsHuman(withColor(blitz, "white"))
			if !tt.ours {
				p.perform(lichesstest.Action{Abort: true})
			}
			if result := r.finished(p.id); result.Status != "aborted" {
				t.Fatalf("ended by %s", result.Status)
			}
			waittest.Until(t, "the slot is free", func() bool { return !run.games.Has(p.id) })
			if o := opponentOf(file, humanName); len(o.Aborts) != tt.aborts || o.Reason != tt.reason {
				t.Errorf("%d aborts, reason %q; want %d, %q", len(o.Aborts), o.Reason, tt.aborts, tt.reason)
			}
		})
	}
}
