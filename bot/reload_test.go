package bot

import (
	"context"
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
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// TestReload_DecidesWaitingChallengesAgain changes the rules while challenges
// wait, and the number of slots.
func TestReload_DecidesWaitingChallengesAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("bob", lichesstest.Idle())
		r.AddHuman("carol", lichesstest.Idle())
		bot := r.fill(func(*Bot) {})
		fast := blitz
		fast.Limit = time.Minute
		r.Challenge("bob", botName, withColor(fast, "white"))
		good := r.Challenge("carol", botName, withColor(blitz, "white"))
		r.decided(3)

		o := *bot.settings()
		o.Challenges.Humans.Initial.Min = 2 * time.Minute
		o.Games = config.Games{Max: 2}
		bot.Reload(&o)
		r.declined("toofast", 1)
		waittest.Until(t, "the other one is accepted", func() bool { return slices.Contains(bot.Running(), good) })
		if use := bot.Slots(); use.Limits.Max != 2 || use.Games != 2 {
			t.Errorf("slots %+v", use)
		}

		fewer := o // the bot reads o
		fewer.Challenges.Block = []string{"bob"}
		fewer.Games = config.Games{Max: 1}
		bot.Reload(&fewer)
		r.Challenge("bob", botName, blitz)
		r.declined("generic", 1)
		if len(bot.Running()) != 2 {
			t.Error("a game was given up for fewer slots")
		}
	})
}

// TestReload_Game shows that a game in play takes over what changes.
func TestReload_Game(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(6, 0))
		bot := r.start(func(b *Bot) { b.opts.Engine, b.settings().Chat.Goodbye = &fakeEngine{peace: 6}, "Bye" })
		o := *bot.settings()
		o.Chat.Greeting, o.Chat.Goodbye = "Hello {opponent}", "See you"
		bot.Reload(&o)
		id := r.Challenge("alice", botName, blitz)
		r.finished(id)
		waittest.Until(t, "the new words are said", func() bool {
			return slices.Equal(r.chatSent(id), []string{"Hello alice", "See you"})
		})
	})
}

// TestReload_Matchmaking turns matchmaking on while the bot runs, with a block
// list that it keeps to.
func TestReload_Matchmaking(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.partner("pocketbot", peaceful(8, 0), accept)
		r.partner("pest", peaceful(8, 0), accept)
		bot := r.start(withMatchmaking(func(m *config.Matchmaking) { m.Enabled = false }))
		o := *bot.settings()
		o.Matchmaking.Enabled, o.Challenges.Block = true, []string{"Pest"}
		bot.Reload(&o)
		r.archived(2)
		if n := len(r.Challenges("pest")); n != 0 {
			t.Errorf("%d challenges to a blocked bot", n)
		}
		off := o // the bot reads o
		off.Matchmaking.Enabled = false
		bot.Reload(&off)
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
	bot := r.start(func(b *Bot) {
		b.settings().Challenges.BlockURL, b.settings().Challenges.BlockRefresh = config.URLs{s.URL + "/pest"}, time.Hour
	})
	for n, name := range []string{"pest", "worse"} {
		r.AddHuman(name, lichesstest.Idle())
		waittest.Until(t, "the list is read", func() bool { return bot.blocklist.Has(&lichess.Player{ID: name}) })
		r.Challenge(name, botName, blitz)
		r.declined("generic", n+1)
		o := *bot.settings()
		o.Challenges.BlockURL = config.URLs{s.URL + "/worse"}
		bot.Reload(&o)
	}
	bot.plays(r.Challenge("pest", botName, withColor(blitz, "white"))) // who is on no list any more
}

// A game keeps its contender over a restart, whatever the weights are then, and its
// record names it. Rated games are played at full strength.
func TestRestart_KeepsContender(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		var mu sync.Mutex
		var searches []string
		start := func(weights ...int) *runningBot {
			return r.startIn(dir, func(b *Bot) {
				b.opts.Archive.(*record.Archive).SetSync(func(f *os.File) error {
					time.Sleep(time.Second / 2)
					return f.Sync()
				})
				for i, name := range []string{"a", "b"} {
					b.opts.Contenders = append(b.opts.Contenders, game.Contender{Contender: config.Contender{Name: name, Weight: weights[i]}})
				}
				b.opts.Engine = &fakeEngine{peace: 1000, think: func(_ context.Context, _ *rules.Game, l game.SearchLimits) {
					if !strings.Contains(liveText(dir, l.Game), fmt.Sprintf(`"contender": %q`, l.Contender)) {
						t.Errorf("%s searches before it is saved", l.Contender)
					}
					mu.Lock()
					defer mu.Unlock()
					searches = append(searches, fmt.Sprintf("%s %t", l.Contender, l.Strength.Full()))
				}}
			})
		}
		before := start(1, 0)
		o := r.challengeAsBot(withColor(blitz, "white"))
		o.exchange("e2e4")
		before.halt()
		start(0, 1)
		o.exchange("d2d4")
		o.resign()
		if text := r.archivedIn(dir); !strings.Contains(text, `[EngineContender "a"]`) {
			t.Errorf("archived as\n%s", text)
		}
		r.challengeAsHuman(withColor(casual, "white")).exchange("e2e4")
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"a true", "a true", "b true"}; !slices.Equal(searches, want) { // the second after the restart
			t.Errorf("searched by %q, want %q", searches, want)
		}
	})
}
