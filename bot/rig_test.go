package bot

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // these tests wait more than they compute
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

const day = 24 * time.Hour

// patience bounds every wait for a condition.
const patience = 60 * time.Second

// unlimited limits nothing.
var unlimited = record.Rate{Burst: 1000, Interval: time.Millisecond}

// shortTiming keeps the tests short; only the waits differ from the real ones.
var shortTiming = timing{
	games: game.Timing{
		Stream: stream.Timing{
			Reopen:           event.Backoff{Initial: 5 * time.Millisecond, Max: 50 * time.Millisecond},
			ReopenEarlyMax:   50 * time.Millisecond,
			FirstEvent:       event.Backoff{Initial: 2 * time.Second, Max: 10 * time.Second},
			DuplicateBackoff: event.Backoff{Initial: 20 * time.Millisecond, Max: 100 * time.Millisecond},
			RefusalGap:       100 * time.Millisecond,
			UnlistedTimeout:  300 * time.Millisecond,
		},
		SyncInterval: time.Minute, SyncLive: time.Minute,
	},
	matchmaking: matchmaking.Timing{
		Interval:          20 * time.Millisecond,
		AnswerTimeout:     200 * time.Millisecond,
		IDTimeout:         300 * time.Millisecond,
		LateIDTimeout:     300 * time.Millisecond,
		Cancel:            event.Backoff{Initial: 5 * time.Millisecond, Max: 50 * time.Millisecond},
		ArenaInterval:     20 * time.Millisecond,
		ArenaListInterval: 20 * time.Millisecond,
	},
	openings:    unlimited,
	onlineCheck: time.Minute,
	maxSilence:  time.Minute,
}

// rig is a server with the bot's account, and the bots that were started on it.
type rig struct {
	*lichesstest.Server
	t         *testing.T
	token     string
	change    func(*lichess.Options) // of the clients; nil for nothing
	state     *record.StateFile      // of the bots; nil for one of their own
	blocklist challenge.BlocklistOptions
	archive   *memoryArchive
	events    *eventRecorder // of the bots, unless they have an observer of their own
	log       *logBuffer

	timeouts bool // games may be lost on time
	crossed  bool // moves may cross those of another program on our account

	mu      sync.Mutex
	counted map[string]int // requests of our bot by endpoint
}

// Endpoints as a client's observer names them.
const (
	endpointMove        = "POST /api/bot/game/{id}/move/{uci}"
	endpointGameStream  = "GET /api/bot/game/stream/{id}"
	endpointEventStream = "GET /api/stream/event"
	endpointPlaying     = "GET /api/account/playing"
	endpointAccept      = "POST /api/challenge/{id}/accept"
	endpointDecline     = "POST /api/challenge/{id}/decline"
	endpointTokenTest   = "POST /api/token/test"
	endpointDraw        = "POST /api/bot/game/{id}/draw/{answer}"
	endpointTakeback    = "POST /api/bot/game/{id}/takeback/{answer}"
	endpointClaim       = "POST /api/bot/game/{id}/claim-victory"
)

// requests returns how many requests of an endpoint our bot has made.
func (r *rig) requests(endpoint string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counted[endpoint]
}

const botName = "ZhBot"

func newRig(t *testing.T, o lichesstest.Options) *rig {
	t.Helper()
	o.AnyClock = true
	o.KeepAlive = cmp.Or(o.KeepAlive, 500*time.Millisecond) // well below the client's StreamIdle
	o.InMemory = o.TLS == nil
	r := &rig{
		Server: lichesstest.NewServer(t, o), t: t, archive: new(memoryArchive), events: new(eventRecorder),
		log:     new(logBuffer),
		counted: map[string]int{},
	}
	r.token = r.AddBot(botName)
	t.Cleanup(r.checkNoViolations)
	return r
}

// inBubble runs a test with a rig of its own in a bubble of synctest, runInBubble as a subtest.
func inBubble(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	inBubbleWith(t, lichesstest.Options{}, test)
}

func inBubbleWith(t *testing.T, o lichesstest.Options, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newRig(t, o)) })
}

func runInBubble(t *testing.T, name string, test func(t *testing.T, r *rig)) {
	t.Helper()
	runInBubbleWith(t, name, lichesstest.Options{}, test)
}

func runInBubbleWith(t *testing.T, name string, o lichesstest.Options, test func(t *testing.T, r *rig)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { inBubbleWith(t, o, test) })
}

// client returns a client of the rig's server whose waits are short.
func (r *rig) client() *lichess.Client {
	return r.clientOf(r.token, func(o lichess.Observation) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.counted[o.Endpoint]++
	})
}

func (r *rig) clientOf(secret string, observe func(lichess.Observation)) *lichess.Client {
	r.t.Helper()
	return r.Client(r.t, secret, func(o *lichess.Options) {
		o.Observe, o.StreamIdle, o.MoveTimeout, o.RetryFor = observe, 2*time.Second, 5*time.Second, 5*time.Second
		if r.change != nil {
			r.change(o)
		}
	})
}

// opponentGame is a game of our bot that a test plays by hand.
type opponentGame struct {
	r    *rig
	id   string
	move func(uci string)
}

// terms returns the terms of a challenge, rated and 3+2 unless words are different: a colour,
// "casual", or a casual game's clock such as "15s+0s", days such as "3d", or "unlimited".
func terms(words string) lichesstest.ChallengeSpec {
	s := lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true}
	for word := range strings.FieldsSeq(words) {
		clock, err := lichess.ParseClock(word)
		switch days, _ := strconv.Atoi(strings.TrimSuffix(word, "d")); {
		case word == "casual":
			s.Rated = false
		case err == nil, days > 0, word == "unlimited":
			s.Limit, s.Increment, s.Rated, s.Days = clock.Initial, clock.Increment, false, days
		default:
			s.Color = word
		}
	}
	return s
}

// challenge challenges our bot.
func (r *rig) challenge(challenger, words string) (id string) {
	return r.Challenge(challenger, botName, terms(words))
}

// fault injects faults, each its name and what limits it: a class, "x3" for the next three
// requests, "10%" for a chance, a duration, a status, or "by=" a duration; and a text after a
// colon.
func (r *rig) fault(faults ...string) {
	r.t.Helper()
	for _, fault := range faults {
		header, text, _ := strings.Cut(fault, ": ")
		words, when := strings.Fields(header), lichesstest.When{Text: text}
		for _, word := range words[1:] {
			d, err := time.ParseDuration(strings.TrimPrefix(word, "by="))
			n, notNumber := strconv.ParseFloat(strings.Trim(word, "x%"), 64)
			switch {
			case strings.HasPrefix(word, "by="):
				when.By = d
			case err == nil:
				when.For = d
			case notNumber != nil:
				when.Class = word
			case strings.HasPrefix(word, "x"):
				when.Next = int(n)
			case strings.HasSuffix(word, "%"):
				when.Chance = n / 100
			default:
				when.Status = int(n)
			}
		}
		r.Faults.Inject(words[0], when)
	}
}

// until waits for a condition.
func (r *rig) until(what string, condition func() bool) {
	r.t.Helper()
	fixture.Until(r.t, what, condition)
}

// await waits until our bots have reported so many events of a type, and returns them.
func await[E event.Event](r *rig, n int) (found []E) {
	r.t.Helper()
	r.until(fmt.Sprintf("%d events %T", n, *new(E)), func() bool {
		found = seen[E](r)
		return len(found) >= n
	})
	return found
}

// begin challenges our bot, and returns when the game is in progress.
func (r *rig) begin(challenger, words string) opponentGame {
	r.t.Helper()
	g := opponentGame{r: r, id: r.challenge(challenger, words)}
	r.plies(g.id, 0)
	return g
}

// joined waits until our bot plays a game.
func (r *rig) joined(id string) {
	r.t.Helper()
	r.until("game "+id+" is played", func() bool {
		return slices.ContainsFunc(seen[event.GameChanged](r), func(e event.GameChanged) bool { return e.ID == id })
	})
}

func (g opponentGame) moves() []string {
	result, _ := g.r.Game(g.id)
	return result.Moves
}

// play makes a move when the game has so many.
func (g opponentGame) play(ply int, uci string) {
	g.r.t.Helper()
	g.r.plies(g.id, ply)
	g.move(uci)
	g.r.plies(g.id, ply+1)
}

// exchange makes moves, and waits for our bot's reply to each.
func (g opponentGame) exchange(moves ...string) {
	g.r.t.Helper()
	for _, uci := range moves {
		ply := len(g.moves())
		g.play(ply, uci)
		g.r.plies(g.id, ply+2)
	}
}

// botOpponent is a bot that a test moves by hand.
type botOpponent struct {
	opponentGame
	*lichess.Client
}

// challengeAsBot challenges our bot, and returns when their game is in progress.
func (r *rig) challengeAsBot(words string) *botOpponent {
	r.t.Helper()
	client := r.clientOf(r.AddBot("rival"), nil)
	o := &botOpponent{r.begin("rival", words), client}
	o.move = func(uci string) {
		r.must(o.Move(r.t.Context(), lichess.MoveRequest{GameID: o.id, UCI: uci, Ply: len(o.moves())}))
	}
	return o
}

func (o *botOpponent) resign() { o.r.must(o.Resign(o.r.t.Context(), o.id)) }

// humanOpponent is a human opponent whom a test plays by hand.
type humanOpponent struct{ opponentGame }

const humanName = "alice"

// challengeAsHuman challenges our bot as a human, and returns when their game is in progress.
func (r *rig) challengeAsHuman(words string) *humanOpponent {
	r.t.Helper()
	r.AddHuman(humanName, lichesstest.Idle())
	p := &humanOpponent{r.begin(humanName, words)}
	p.move = func(uci string) { p.perform(lichesstest.Action{Move: moveOf(r.t, p.moves(), uci)}) }
	return p
}

func (p *humanOpponent) resign() { p.perform(lichesstest.Action{Resign: true}) }

// moveOf reads a move that follows others.
func moveOf(t *testing.T, moves []string, uci string) rules.Move {
	t.Helper()
	g := fixture.Game(t, moves...)
	return fixture.Move(t, g.Position(), uci)
}

func (p *humanOpponent) perform(a lichesstest.Action) { p.r.Perform(p.id, humanName, a) }

// chatSent returns what our bot has said in the players' room of a game.
func (r *rig) chatSent(id string) (texts []string) {
	r.t.Helper()
	messages, err := r.client().ChatMessages(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, m := range messages {
		if m.User == botName {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// runningBot is a bot that runs.
type runningBot struct {
	*Bot
	t       *testing.T
	stop    context.CancelFunc
	done    chan struct{}
	err     error
	records *record.Archive // which are closed with it; nil for none
}

// setup is what a bot is made from.
type setup struct {
	opts   Options
	config *config.Config
	timing timing
}

func (s *setup) settings() *config.Config { return s.config }

// start starts a bot with the usual options and some changes, and returns when it is online or
// has ended; the test's end stops it.
func (r *rig) start(change func(*setup)) *runningBot {
	r.t.Helper()
	run := r.launch(change)
	r.until("the bot is online", func() bool { return r.Online(botName) || run.ended() })
	return run
}

// launch starts a bot that may not get online.
func (r *rig) launch(change func(*setup)) *runningBot {
	r.t.Helper()
	s := &setup{Options{
		Client: r.client(), Engine: &fakeEngine{}, Log: zerolog.New(r.log), Site: r.URL(),
		Archive: r.archive, State: r.state, Blocklist: r.blocklist, Observe: r.events.observe,
	}, &config.Config{
		Challenges: openChallenges(), Games: config.Games{Max: 4}, Engine: config.Engine{Skill: human.MaxLevel},
		Chat: config.Chat{Commands: config.Default().Chat.Commands},
	}, shortTiming}
	if change != nil {
		change(s)
	}
	b := newBot(s.opts, s.config, s.timing)
	ctx, cancel := context.WithCancel(context.Background())
	run := &runningBot{Bot: b, t: r.t, stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(run.done)
		run.err = b.Run(ctx)
	}()
	r.t.Cleanup(func() { run.halt() })
	return run
}

// startPeaceful starts a bot that does not mate before a ply.
func (r *rig) startPeaceful(peace int) *runningBot {
	r.t.Helper()
	return r.start(func(b *setup) { b.opts.Engine = &fakeEngine{peace: peace} })
}

// startIn starts a bot that does not mate, with records in a folder.
func (r *rig) startIn(dir string, change func(*setup)) *runningBot {
	r.t.Helper()
	archive, err := record.Open(dir)
	r.must(err)
	run := r.start(func(b *setup) {
		b.opts.Archive, b.opts.Engine = archive, &fakeEngine{peace: 1000}
		if change != nil {
			change(b)
		}
	})
	run.records = archive
	return run
}

func (r *runningBot) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// halt stops the bot at once, as a kill would.
func (r *runningBot) halt() {
	r.stop()
	r.wait()
	if r.records != nil {
		if err := r.records.Close(); err != nil {
			r.t.Error(err)
		}
		r.records = nil
	}
}

// wait waits for Run to return and returns its error.
func (r *runningBot) wait() error {
	r.t.Helper()
	select {
	case <-r.done:
	case <-time.After(patience):
		r.t.Fatal("Run does not return")
	}
	return r.err
}

// drain drains the bot, and waits for its end.
func (r *runningBot) drain() {
	r.t.Helper()
	r.Drain()
	if err := r.wait(); err != nil {
		r.t.Error(err)
	}
}

// reload reloads changed settings.
func (r *runningBot) reload(change func(*config.Config)) {
	c := *r.settings() // the bot reads these
	change(&c)
	r.Reload(&c)
}

// plays waits until the bot plays these games and no others.
func (r *runningBot) plays(ids ...string) {
	r.t.Helper()
	fixture.Until(r.t, fmt.Sprintf("the games are %q", ids), func() bool { return slices.Equal(r.Running(), ids) })
}

// openChallenges accepts all that can be played.
func openChallenges() config.Challenges {
	terms := config.Terms{
		Enabled: true, Modes: []string{"rated", "casual"}, Speeds: lichess.Speeds(),
		Initial:   config.Range[time.Duration]{Max: 3 * time.Hour},
		Increment: config.Range[time.Duration]{Max: time.Minute}, Provisional: true,
	}
	return config.Challenges{Humans: config.HumanTerms{Terms: terms}, Bots: terms}
}

// finished waits for the end of a game.
func (r *rig) finished(id string) lichesstest.Result {
	r.t.Helper()
	var result lichesstest.Result
	r.until("game "+id+" ends", func() bool {
		var known bool
		result, known = r.Game(id)
		return known && result.Status != "started"
	})
	return result
}

// plies waits until a game has so many moves.
func (r *rig) plies(id string, n int) {
	r.t.Helper()
	r.until("game "+id+" has moves", func() bool {
		result, known := r.Game(id)
		return known && len(result.Moves) >= n
	})
}

// mated waits for games that end by mate.
func (r *rig) mated(ids ...string) {
	r.t.Helper()
	for _, id := range ids {
		if end := r.finished(id); end.Status != "mate" {
			r.t.Errorf("game %s ended by %s after %d plies\n%s", id, end.Status, end.Plies, r.log)
		}
	}
}

// archived waits until so many games are archived, and returns them.
func (r *rig) archived(n int) []*record.Game {
	r.t.Helper()
	r.until(fmt.Sprint(n, " games are archived"), func() bool { return len(r.archive.saved()) >= n })
	return r.archive.saved()
}

// cut has the next line on a stream cut.
func (r *rig) cut() { r.fault("cut x1") }

// must ends the test after an error.
func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// checkRequests checks how many requests of an endpoint our bot has made.
func (r *rig) checkRequests(endpoint string, want int) {
	r.t.Helper()
	if n := r.requests(endpoint); n != want {
		r.t.Errorf("%d requests %s, want %d", n, endpoint, want)
	}
}

func (r *rig) checkNoErrors() {
	r.t.Helper()
	if errs := r.log.errors(); len(errs) > 0 {
		r.t.Errorf("errors logged: %v", errs)
	}
}

// checkNoViolations fails the test if the bot did what a bot must not do.
func (r *rig) checkNoViolations() {
	r.t.Helper()
	a := r.Audit(botName)
	if r.timeouts {
		a.LostOnTime = 0
	}
	if r.crossed {
		a.Duplicates, a.OutOfTurn = 0, 0
	}
	for what, n := range map[string]int{
		"illegal moves": a.Illegal, "duplicate posts": a.Duplicates,
		"posts out of turn": a.OutOfTurn, "games lost on time": a.LostOnTime,
	} {
		if n != 0 {
			r.t.Errorf("%d %s", n, what)
		}
	}
}
