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
			lines, err := r.client().ChatMessages(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, line := range lines {
				said = append(said, line.Text)
			}
			return slices.Contains(said, "Hello alice") && slices.Contains(said, "See you") && !slices.Contains(said, "Bye")
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
		waittest.Until(t, "games are archived", func() bool { return len(r.archive.saved()) >= 2 })
		if n := len(r.Challenges("pest")); n != 0 {
			t.Errorf("%d challenges to a blocked bot", n)
		}
		off := o // the bot reads o
		off.Matchmaking.Enabled = false
		bot.Reload(&off)
		waittest.Until(t, "the slots are free", func() bool { return len(bot.Running()) == 0 })
	})
}

// blocklistServer serves a block list.
type blocklistServer struct {
	*httptest.Server

	mu   sync.Mutex
	seen strings.Builder // headers of the requests
}

func newBlocklistServer(t *testing.T, text string) *blocklistServer {
	t.Helper()
	s := new(blocklistServer)
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		fmt.Fprintln(&s.seen, r.Header)
		s.mu.Unlock()
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *blocklistServer) headers() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// TestBot_Blocklist shows the list at work: from the server, and from another
// one after the settings changed.
func TestBot_Blocklist(t *testing.T) {
	first, second := newBlocklistServer(t, "pest\n"), newBlocklistServer(t, "worse\n")
	r := newRig(t, lichesstest.Options{})
	for _, name := range []string{"pest", "worse", "friend"} {
		r.AddHuman(name, lichesstest.Idle())
	}
	roots := x509.NewCertPool()
	roots.AddCert(first.Certificate())
	roots.AddCert(second.Certificate())
	r.blocklist = challenge.BlocklistOptions{RootCAs: roots}
	bot := r.start(func(b *Bot) {
		b.settings().Challenges.BlockURL, b.settings().Challenges.BlockRefresh = config.URLs{first.URL}, time.Hour
		b.settings().Challenges.Allow = []string{"friend"}
	})
	waittest.Until(t, "the list is read", func() bool { return bot.blocklist.Has(&lichess.Player{ID: "pest"}) })
	r.Challenge("pest", botName, blitz)
	r.declined("generic", 1)
	o := *bot.settings()
	o.Challenges.BlockURL = config.URLs{second.URL}
	bot.Reload(&o)
	waittest.Until(t, "the other list is read", func() bool { return bot.blocklist.Has(&lichess.Player{ID: "worse"}) })
	r.Challenge("worse", botName, blitz)
	r.declined("generic", 2)
	id := r.Challenge("pest", botName, withColor(blitz, "white"))
	waittest.Until(t, "who is on no list may play", func() bool { return slices.Equal(bot.Running(), []string{id}) })
	if seen := first.headers() + second.headers(); seen == "" || strings.Contains(seen, r.token) {
		t.Errorf("the servers of the lists were sent %s", seen)
	}
}

// A game keeps its contender over a restart, whatever the weights are then, and its
// record names it. Rated games are played at full strength.
func TestRestart_KeepsContender(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		start := func(weights ...int) (searches func() []string, halt func()) {
			archive, closeArchive := openArchive(t, dir)
			archive.SetSync(func(f *os.File) error {
				time.Sleep(time.Second / 2)
				return f.Sync()
			})
			var mu sync.Mutex
			var list []string
			b := r.start(func(b *Bot) {
				b.opts.Archive = archive
				b.opts.Contenders = []game.Contender{{Contender: config.Contender{Name: "a", Weight: weights[0]}}, {Contender: config.Contender{Name: "b", Weight: weights[1]}}}
				b.opts.Engine = &fakeEngine{peace: 1000, think: func(_ context.Context, _ *rules.Game, l game.SearchLimits) {
					if !strings.Contains(liveText(dir, l.Game), fmt.Sprintf(`"contender": %q`, l.Contender)) {
						t.Errorf("%s searches before it is saved", l.Contender)
					}
					mu.Lock()
					defer mu.Unlock()
					list = append(list, fmt.Sprintf("%s %g", l.Contender, l.LevelsBelow))
				}}
			})
			searches = func() []string {
				mu.Lock()
				defer mu.Unlock()
				return slices.Clone(list)
			}
			return searches, func() {
				b.halt()
				closeArchive()
			}
		}
		_, halt := start(1, 0)
		o := r.challengeAsBot(withColor(blitz, "white"))
		o.play(0, "e2e4")
		r.plies(o.id, 2)
		halt()

		searches, halt := start(0, 1)
		o.play(2, "d2d4")
		r.plies(o.id, 4)
		if got := searches(); !slices.Equal(got, []string{"a 0"}) {
			t.Errorf("searched after the restart: %v, want by a", got)
		}
		if err := o.Resign(t.Context(), o.id); err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "the game is archived", func() bool { return archivedGames(t, dir) != "" })
		if text := archivedGames(t, dir); !strings.Contains(text, `[EngineContender "a"]`) {
			t.Errorf("archived as\n%s", text)
		}
		spec := withColor(blitz, "white")
		spec.Rated = false
		next := r.challengeAsHuman(spec)
		next.play(0, "e2e4")
		r.plies(next.id, 2)
		if got := searches(); got[len(got)-1] != "b 0" {
			t.Errorf("searched in a casual game: %v, want by b", got)
		}
		halt()
	})
}
