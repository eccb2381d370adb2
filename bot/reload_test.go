package bot

import (
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// TestReload_DecidesWaitingChallengesAgain changes the rules while challenges
// wait, and the number of slots.
func TestReload_DecidesWaitingChallengesAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("bob", lichesstest.Idle())
		r.AddHuman("carol", lichesstest.Idle())
		bot := r.fill()
		r.challenge("bob", "white 1+2")
		good := r.challenge("carol", "white")
		await[event.ChallengeDecided](r, 3)

		bot.reload(func(c *config.Config) { c.Challenges.Humans.Initial.Min, c.Games.Max = 2*time.Minute, 2 })
		r.declined("toofast", 1)
		r.until("the other one is accepted", func() bool { return slices.Contains(bot.Running(), good) })
		if use := bot.Slots(); use.Max != 2 || use.Games != 2 {
			t.Errorf("slots %+v", use)
		}

		bot.reload(func(c *config.Config) { c.Challenges.Block, c.Games.Max = []string{"bob"}, 1 })
		r.challenge("bob", "")
		r.declined("generic", 1)
		if len(bot.Running()) != 2 {
			t.Error("a game was given up for fewer slots")
		}
	})
}

// TestReload_Matchmaking turns matchmaking on while the bot runs, with a block
// list that it keeps to.
func TestReload_Matchmaking(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.partner("pocketbot", peaceful(8, 0), accept)
		r.partner("pest", peaceful(8, 0), accept)
		bot := r.start(withMatchmaking(func(m *config.Matchmaking) { m.Enabled = false }))
		bot.reload(func(c *config.Config) { c.Matchmaking.Enabled, c.Challenges.Block = true, []string{"Pest"} })
		r.archived(2)
		if n := len(r.Challenges("pest")); n != 0 {
			t.Errorf("%d challenges to a blocked bot", n)
		}
		bot.reload(func(c *config.Config) { c.Matchmaking.Enabled = false })
		bot.plays()
	})
}

// TestBot_Blocklist shows the list at work: from one address, and from another one after the
// settings changed.
func TestBot_Blocklist(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header["Authorization"]) > 0 {
			t.Error("the server of the list was sent the token")
		}
		_, _ = io.WriteString(w, strings.TrimPrefix(r.URL.Path, "/"))
	}))
	t.Cleanup(s.Close)
	r := newRig(t, lichesstest.Options{})
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	r.blocklist = challenge.BlocklistOptions{RootCAs: roots}
	bot := r.start(func(b *setup) {
		b.settings().Challenges.BlockURL, b.settings().Challenges.BlockRefresh = config.URLs{s.URL + "/pest"}, time.Hour
	})
	for n, name := range []string{"pest", "worse"} {
		r.AddHuman(name, lichesstest.Idle())
		r.until("the list is read", func() bool { return bot.blocklist.Has(&lichess.Player{ID: name}) })
		r.challenge(name, "")
		r.declined("generic", n+1)
		bot.reload(func(c *config.Config) { c.Challenges.BlockURL = config.URLs{s.URL + "/worse"} })
	}
	bot.plays(r.challenge("pest", "white")) // who is on no list any more
	bot.reload(func(c *config.Config) { c.Challenges.Allow, c.Games.MaxPerOpponentPerDay = []string{"Worse"}, 2 })
	if bot.blocks(&lichess.Player{ID: "worse"}) {
		t.Error("whom the settings allow is not challenged")
	}
	if n := bot.matchmakingSettings().GamesPerOpponent; n != 2 {
		t.Errorf("matchmaking plays %d games a day against an opponent", n)
	}
}

// A game keeps its contender over a restart, whatever the weights are then, and its
// record names it. Rated games are played at full strength.
func TestRestart_KeepsContender(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		var mu sync.Mutex
		var searches []string
		start := func(weights ...int) *runningBot {
			return r.startIn(dir, func(b *setup) {
				b.opts.Archive.(*record.Archive).SetSync(func(f *os.File) error {
					time.Sleep(time.Second / 2)
					return f.Sync()
				})
				for i, name := range []string{"a", "b"} {
					b.opts.Contenders = append(b.opts.Contenders,
						game.Contender{Contender: config.Contender{Name: name, Weight: weights[i]}})
				}
				b.opts.Engine = &fakeEngine{peace: 1000, hook: func(s *search) error {
					l := s.limits
					if !strings.Contains(liveText(dir, l.Game), fmt.Sprintf(`"contender": %q`, l.Contender)) {
						t.Errorf("%s searches before it is saved", l.Contender)
					}
					mu.Lock()
					defer mu.Unlock()
					searches = append(searches, fmt.Sprintf("%s %t", l.Contender, l.Strength.Full()))
					return nil
				}}
			})
		}
		before := start(1, 0)
		o := r.challengeAsBot("white")
		o.exchange("e2e4")
		before.halt()
		start(0, 1)
		o.exchange("d2d4")
		o.resign()
		if text := r.archivedIn(dir); !strings.Contains(text, `[EngineContender "a"]`) {
			t.Errorf("archived as\n%s", text)
		}
		r.challengeAsHuman("white casual").exchange("e2e4")
		mu.Lock()
		defer mu.Unlock()
		// the second after the restart
		if want := []string{"a true", "a true", "b true"}; !slices.Equal(searches, want) {
			t.Errorf("searched by %q, want %q", searches, want)
		}
	})
}
