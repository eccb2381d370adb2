package app

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// Results and the summary are printed; what no bot may do fails the demo, whatever the
// games' results.
func TestSummarize(t *testing.T) {
	results := []lichesstest.Result{
		{
			White: SandboxBot, Black: Drifter, Status: "mate", Winner: "white", Plies: 13, WhiteLeft: 9 * time.Second,
			Moves: strings.Fields("e2e4 e7e5 d1h5 b8c6 Q@f7"),
		},
		{
			White: Magpie, Black: SandboxBot, Status: "resign", Winner: "white", Plies: 4, BlackLeft: 7 * time.Second,
			Moves: []string{"e2e4"},
		},
		{White: SandboxBot, Black: Drifter, Status: "draw", WhiteLeft: 8250 * time.Millisecond},
	}
	var out strings.Builder
	PrintResult(&out, 1, 2, results[0])
	PrintResult(&out, 2, 0, results[1])
	if err := summarize(&out, results, lichesstest.Audit{Moves: 8, MaxConcurrent: 2}); err != nil {
		t.Error(err)
	}
	want := `game 1/2     won as white against Drifter   by checkmate in 7 moves (0s, 9s left); last: d1h5 b8c6 Q@f7
game 2       lost as black against Magpie    by resignation in 2 moves (0s, 7s left); last: e2e4

  opponent  games  won  drawn  lost  least clock left
   Drifter      2    1      1     0              8.3s
    Magpie      1    0      0     1                7s
     total      3    1      1     1                7s

8 moves posted; lost on time: 0; illegal posts: 0; posts twice or out of turn: 0; most games at once: 2
`
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", &out, want)
	}
	for _, a := range []lichesstest.Audit{{LostOnTime: 1}, {Illegal: 1}, {Duplicates: 1}, {OutOfTurn: 1}} {
		if err := summarize(&strings.Builder{}, results, a); err == nil {
			t.Errorf("%+v: no error", a)
		}
	}
}

// An interrupted demo sums up the games so far.
func TestPlayDemo_Interrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	e := config.Default().Engine
	e.Threads, e.MaxNodes, e.HashMB = 1, 100, 1
	var out fixture.Log
	ended := make(chan error, 1)
	go func() {
		ended <- PlayDemo(ctx, DemoOptions{
			Games: 1000, Concurrent: 1, Control: lichess.Clock{Initial: time.Hour}, Engine: e, Dir: t.TempDir(),
			Log: zerolog.Nop(),
		}, &out, io.Discard)
	}()
	fixture.Until(t, "a game has ended", func() bool { return out.Count("game 1/1000") == 1 })
	interrupt()
	if err := <-ended; !errors.Is(err, context.Canceled) || out.Count(" total ") != 1 {
		t.Errorf("ended with %v, printed\n%s", err, &out)
	}
}

// A game has not the id of one that an earlier demo may have left in the records.
func TestStartServer_NewIDs(t *testing.T) {
	ids := map[string]bool{}
	for range 2 {
		s, _, err := startServer("")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		ids[s.Challenge(Drifter, SandboxBot, lichesstest.ChallengeSpec{Limit: time.Minute})] = true
	}
	if len(ids) != 2 {
		t.Errorf("two servers have the same id: %v", ids)
	}
}

// The server says how to play there, in its output and on its page, challenges whoever connects, as a person can by
// the commands that it shows, and ends with the context.
func TestServeSandbox(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out fixture.Log
	ended := make(chan error, 1)
	clock := lichess.Clock{Initial: time.Minute, Increment: time.Second}
	go func() { ended <- ServeSandbox(ctx, ":0", clock, 1, &out) }()
	commands := regexp.MustCompile(`(?s)URL=(\S+) ZHBOT_LICHESS_TOKEN=(\S+) zhbot run\n.*` +
		`curl -H '(\w+): (.*?)' \\\n +-d '(\S+)' (\S+)\n.*curl -H 'Authorization: Bearer \w+' -X POST (\S+)\n`)
	fixture.Until(t, "the server says how to play there", func() bool { return commands.MatchString(out.String()) })
	c, words := config.Default(), commands.FindStringSubmatch(out.String())
	c.Lichess.URL = words[1]
	client, err := Connect(&c, config.Secret(words[2]))
	if err != nil || !strings.HasPrefix(c.Lichess.URL, "http://127.0.0.1:") {
		t.Fatalf("%v; printed %s", err, &out)
	}
	defer client.Close()
	events, err := client.StreamEvents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	e, err := events.Next()
	if c, ok := e.(*lichess.ChallengeCreated); !ok || err != nil || c.Challenge.TimeControl.Clock != clock {
		t.Errorf("the bot gets %+v, %v, want a challenge", e, err)
	}
	curl := func(method, url, body string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(words[3], words[4])
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return string(text)
	}
	id := regexp.MustCompile(`"id":"(\w{8})","perf"`).FindStringSubmatch(curl(http.MethodPost, words[6], words[5]))
	if len(id) == 0 || client.AcceptChallenge(t.Context(), id[1], lichess.Human) != nil {
		t.Fatalf("no challenge of a person: %q", id)
	}
	move := curl(http.MethodPost, strings.Replace(words[7], "ID", id[1], 1), "")
	if page := curl(http.MethodGet, words[1], ""); !strings.Contains(page, words[0]) || move != `{"ok":true}` {
		t.Errorf("moved: %s; the page is\n%s", move, page)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}

const onlyLine = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6 d2d3 d7d6 c2c3 a7a6 a2a4 c5a7 h2h3 h7h6 " +
	"f1e1 e8h8 b1d2 f8e8 d2f1 d6d5"

// An opponent follows a line as far as the bot does, and then resigns. The bot, whose book
// has only this line, does not play it again, even after a restart: neither if it lost by it,
// nor if it won, since Lichess would not count that. If it is repeated all the same, the
// records tell that it did not count.
func TestBot_LeavesLines(t *testing.T) {
	fools := "f2f3 e7e5 g2g4 d8h4"
	forget := func(o *bot.Options) { o.Engine = forgetful{o.Engine} }
	for name, tt := range map[string]struct {
		book, line string
		tune       func(*bot.Options)
		games, won int
		uncounted  map[record.Uncounted]int
	}{
		"lost":    {"f2f3 e7e5 g2g4", fools, nil, 2, 1, nil},
		"won":     {onlyLine, onlyLine, nil, 3, 3, nil},
		"forgets": {onlyLine, onlyLine, forget, 3, 3, map[record.Uncounted]int{record.Farming: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, token, err := StartSandbox(lichesstest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			line := enginetest.BookTable(t, tt.line)
			follow := func(_ context.Context, t lichesstest.Turn) (rules.Move, error) {
				p := t.Game.Position()
				if moves := line.Moves(p); len(moves) > 0 {
					return moves[0].Move, nil
				} else if t.Game.Ply() > 20 {
					return rules.NoMove, errors.New("enough")
				}
				return p.LegalMoves()[0], nil
			}
			s.AddBotPlayer("Follower", lichesstest.Searching(follow))
			c := SandboxSettings(s.URL(), t.TempDir(), 1, config.Default().Engine)
			c.Engine.Book, c.Engine.Threads = []string{enginetest.WriteBook(t, tt.book)}, 1
			c.Engine.MaxNodes, c.Engine.HashMB = 500, 1
			plan := lichesstest.Schedule{
				Bot: SandboxBot, Opponents: []string{"Follower"}, Games: 1, Concurrency: 1,
				Spec: func(int) lichesstest.ChallengeSpec {
					return lichesstest.ChallengeSpec{
						Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true, Color: "black",
					}
				},
			}
			for range tt.games {
				a, err := New(t.Context(), c, Options{Log: zerolog.Nop(), Token: token, Bot: tt.tune})
				if err != nil {
					t.Fatal(err)
				}
				err = PlayWhile(t.Context(), a, func(ctx context.Context) error {
					return s.RunGames(ctx, plan, func(lichesstest.Result) {})
				})
				if a.Close(); err != nil {
					t.Fatal(err)
				}
			}
			recorded, _, err := record.ReadFiles(t.Context(), c.Records.Dir)
			total := stats.NewReport(recorded, SandboxBot, stats.Options{}).Total
			if err != nil || total.Games != tt.games || total.Won != tt.won ||
				!maps.Equal(total.Uncounted, tt.uncounted) {
				t.Errorf("won %d, did not count %v, %v", total.Won, total.Uncounted, err)
			}
		})
	}
}

// forgetful is an engine that knows nothing of earlier games.
type forgetful struct{ game.Engine }

func (e forgetful) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info)) (
	game.SearchResult, error,
) {
	l.SearchMoves, l.Fresh = nil, nil
	return e.Engine.Search(ctx, g, l, report)
}
