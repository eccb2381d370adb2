package bot

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
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
	inBubble(t, func(t *testing.T, r *rig) {
		r.partner("pocketbot", peaceful(8, 0), accept)
		file := record.InMemoryState()
		r.state = file
		run := r.start(withMatchmaking(func(m *config.Matchmaking) { m.GamesInARow = 2 }))
		r.archived(2)
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
		run.drain()
		r.checkRequests(endpointCreate, 2)
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
		{"declined", func(r *rig) { r.AnswerChallenges("sulker", declining("later")) }, "later", 30 * time.Minute},
		{"refused by the server", func(r *rig) { r.RejectChallenges("sulker", "Challenge not created") }, opponent.RefusedByServer, 24 * time.Hour},
		{"its quota is used up", func(r *rig) { r.SetBotGamesPlayed("sulker", 100) }, opponent.QuotaReached, 12 * time.Hour},
	} {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			r.partner("sulker", lichesstest.Idle(), accept)
			tt.set(r)
			dir := t.TempDir()
			start := func() *runningBot {
				r.openState(dir)
				return r.start(withMatchmaking(nil))
			}
			run := start()
			waittest.Until(t, "the refusal is remembered", func() bool { return opponentOf(run.opts.State, "sulker").Reason == tt.reason })
			rest := time.Until(opponentOf(run.opts.State, "sulker").RestUntil)
			if rest > tt.rest+time.Second || rest < tt.rest-time.Minute {
				t.Errorf("left alone for %s, want %s", rest, tt.rest)
			}
			run.plays()
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
		r.checkRequests(endpointCreate, 1)
	})
}

// While our account is new, the status and the log say what that means.
func TestMatchmaker_NewAccount(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.SetCreated(botName, time.Now())
		r.partner("rival", lichesstest.Idle(), accept)
		run := r.start(withMatchmaking(nil))
		waittest.Until(t, "it is challenged", func() bool { return len(r.Challenges("rival")) > 0 })
		note := run.Status().Matchmaking.Note
		if !strings.Contains(note, "only offers of 3 minutes and slower") || r.log.messages("matchmaking: "+note) != 1 {
			t.Errorf("note %q\n%s", note, r.log)
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
		r.archived(1)
		if first := r.Challenges("pocketbot")[0]; first.ID != r.archive.saved()[0].ID {
			t.Errorf("challenge %s, but game %s", first.ID, r.archive.saved()[0].ID)
		}
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
		r.checkRequests(endpointCreate, 0)
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
			r.archived(len(lines) + 1)
			result, _ := r.Game(id)
			line := strings.Join(result.Moves, " ")
			if slices.Contains(lines, line) {
				t.Fatalf("the line %s lost twice", line)
			}
			lines = append(lines, line)
		}
		if lines[0] != "f2f3 e7e5 g2g4 d8h4" {
			t.Errorf("first game: %s", lines[0])
		}
	})
}

// foolsMateEngine walks into the shortest mate if it may.
type foolsMateEngine struct{}

func (foolsMateEngine) EndGame(string) {}

func (foolsMateEngine) Search(_ context.Context, g *rules.Game, l game.SearchLimits, _ func(engine.Info)) (game.SearchResult, error) {
	moves := l.SearchMoves
	if moves == nil {
		moves = g.Position().LegalMoves()
	}
	for _, uci := range []string{"f2f3", "g2g4"} {
		if m, err := g.Position().ParseUCI(uci); err == nil && slices.Contains(moves, m) {
			return game.SearchResult{Result: engine.Result{Move: m}}, nil
		}
	}
	return game.SearchResult{Result: engine.Result{Move: moves[0]}}, nil
}
