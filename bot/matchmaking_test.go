package bot

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

const endpointCreate = "POST /api/challenge/{user}"

// withMatchmaking lets a bot look for games at once.
func withMatchmaking(change func(*config.Matchmaking)) func(*setup) {
	return func(b *setup) {
		b.settings().Matchmaking = config.Matchmaking{
			Enabled: true, Idle: 5 * time.Millisecond, Wait: patience,
			Offers: []config.Offer{
				{Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, Rated: true, Weight: 3},
				{Clock: lichess.Clock{Initial: time.Minute, Increment: time.Second}, Rated: true, Weight: 2},
				{Clock: lichess.Clock{Initial: 5 * time.Minute, Increment: 3 * time.Second}, Weight: 1},
			},
			GamesPerDay: 80, GamesPerOpponent: 12, Pairs: true,
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
		run := r.start(withMatchmaking(func(m *config.Matchmaking) { m.GamesPerOpponent = 2 }))
		r.archived(2)
		games := r.archive.saved()
		if games[0].White.Name == games[1].White.Name {
			t.Errorf("%s had White in both games", games[0].White.Name)
		}
		if games[0].Clock != games[1].Clock || games[0].Rated != games[1].Rated {
			t.Error("the second game of the pair was another kind of game")
		}
		r.until("both games are counted", func() bool {
			n := 0
			file.View(func(d *record.State) { n = len(d.BotGames) })
			return n == 2
		})
		r.until("after the pair nothing is due", func() bool { return opponentOf(file, "pocketbot").Pending == nil })
		run.drain()
		r.checkRequests(endpointCreate, 2)
	})
}

// What a bot says no to is remembered, also over a restart, and that our own quota is used up.
func TestMatchmaker_RemembersRefusals(t *testing.T) {
	for reason, set := range map[string]func(*rig){
		"later":                  func(r *rig) { r.AnswerChallenges("sulker", declining("later")) },
		opponent.RefusedByServer: func(r *rig) { r.fault("fail challenge x1 400: Challenge not created") },
		opponent.QuotaReached:    func(r *rig) { r.SetBotGamesPlayed("sulker", 100) },
		"":                       func(r *rig) { r.SetBotGamesPlayed(botName, 100) },
	} {
		runInBubble(t, reason, func(t *testing.T, r *rig) {
			r.partner("sulker", lichesstest.Idle(), accept)
			set(r)
			dir := t.TempDir()
			r.openState(dir)
			run := r.start(withMatchmaking(nil))
			var closed time.Time
			r.until("the refusal is remembered", func() bool {
				r.state.View(func(d *record.State) { closed = d.BotGamesClosed })
				return reason != "" && opponentOf(r.state, "sulker").Reason == reason ||
					time.Until(closed) > 11*time.Hour
			})
			run.plays()
			run.halt()
			r.openState(dir)
			r.partner("other", peaceful(4, 0), accept)
			time.Sleep(10 * time.Second) // then the server lists its bots anew
			run = r.start(withMatchmaking(nil))
			if until := run.Status().Blocked[lichess.BotGamesLimit]; until.IsZero() != (reason != "") {
				t.Errorf("games against bots are closed until %s", until)
			}
			time.Sleep(time.Second) // in which the matchmaker looks several times
			if n := len(r.Challenges("other")); (n > 0) != (reason != "") || r.requests(endpointCreate) != 1+n {
				t.Errorf("%d challenges to another, %d in all", n, r.requests(endpointCreate))
			}
		})
	}
}

// The slots kept for humans are none for challenges of ours.
func TestMatchmaker_ReservedSlots(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.partner("rival", lichesstest.Idle(), accept)
		run := r.start(func(b *setup) {
			b.settings().Games = config.Games{Max: 2, ReservedForHumans: 2}
			withMatchmaking(nil)(b)
		})
		time.Sleep(time.Second) // in which the matchmaker looks several times
		r.checkRequests(endpointCreate, 0)
		run.reload(func(c *config.Config) { c.Games.ReservedForHumans = 1 })
		r.until("it is challenged", func() bool { return len(r.Challenges("rival")) > 0 })
	})
}

// A move that lost is not played again.
func TestBot_DeviatesFromLostLine(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.start(func(b *setup) {
			b.opts.Engine = &fakeEngine{peace: 1000, hook: func(s *search) error {
				if len(s.limits.SearchMoves) > 0 {
					s.found.Move = s.limits.SearchMoves[0]
				}
				return nil
			}}
		})
		var lines []string
		for n := range 2 {
			p := r.challengeAsHuman("black")
			r.plies(p.id, 1)
			p.exchange("e7e5")
			lines = append(lines, strings.Join(p.moves(), " "))
			r.must(r.client().Resign(t.Context(), p.id)) // as an operator could
			r.archived(n + 1)
		}
		first, second := strings.Fields(lines[0]), strings.Fields(lines[1])
		if first[0] != second[0] || first[2] == second[2] {
			t.Errorf("after %s it plays %s", lines[0], lines[1])
		}
	})
}
