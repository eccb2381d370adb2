package matchmaking

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/state"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// personality is how a simulated bot answers a challenge: with a game ("") or with
// the reason of a refusal.
type personality func(n proposal, r *rand.Rand) string

func always(reason string) personality { return func(proposal, *rand.Rand) string { return reason } }

// willing accepts, but for one time in ten.
func willing(_ proposal, r *rand.Rand) string {
	if r.IntN(10) == 0 {
		return "later"
	}
	return ""
}

func noFaster(least time.Duration) personality {
	return func(n proposal, _ *rand.Rand) string {
		if estimate(n.offer) < least {
			return "toofast"
		}
		return ""
	}
}

// estimate is Lichess's estimate of the time that a side needs.
func estimate(o Offer) time.Duration { return o.Initial + 40*o.Increment }

func onlyCasual(n proposal, _ *rand.Rand) string {
	if n.offer.Rated {
		return "casual"
	}
	return ""
}

// simulatedBot is a bot of the simulated pool, and what happened to it.
type simulatedBot struct {
	lichess.Account
	answers    personality
	aborts     bool // half of its games before they begin
	stalls     bool
	away       HourSpan // hours in which it is offline; none if both are 0
	quotaUntil time.Time

	asked       []time.Time
	offered     []Offer
	games       int
	white       int // of these, we had White
	lastRefusal time.Time
}

// simulation is a simulated month of an idle bot: its clock goes by minutes, and the
// server's side of the rules is kept by itself.
type simulation struct {
	t      *testing.T
	terms  Settings
	random *rand.Rand
	pool   map[string]*simulatedBot
	humans bool // come and keep the bot busy
	rivals bool // challenge the bot by themselves
	block  []string

	now    time.Time
	busy   time.Time // a game is on until then
	quiet  time.Time // since when no game is on
	state  *state.File
	memory *opponent.Memory
	budget budget
	plan   planner
	record []*record.Game

	starts     []time.Time // of games with bots, as the server counts them
	challenges []time.Time
	started    map[time.Time]bool
	refused429 int
	serial     int
}

var simStart = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)

const simMe = "zhbot"

func newSimulation(t *testing.T, terms Settings) *simulation {
	m := &simulation{
		t: t, terms: terms, random: rand.New(rand.NewPCG(7, 64)), pool: map[string]*simulatedBot{}, now: simStart, quiet: simStart,
		state: state.InMemory(), budget: budget{games: terms.GamesPerDay, hours: terms.Hours}, started: map[time.Time]bool{},
	}
	m.restart()
	return m
}

// restart forgets what is not in the records or the state file.
func (m *simulation) restart() {
	m.memory = opponent.NewMemory(m.state, zerolog.Nop())
	m.plan = planner{settings: m.terms, blocks: func(p *lichess.Player) bool { return slices.Contains(m.block, p.ID) }, memory: m.memory, random: m.random}
	if err := m.memory.Load(m, simMe, m.now); err != nil {
		m.t.Fatal(err)
	}
}

// Since makes the month's games the records of the past.
func (m *simulation) GamesSince(since time.Time, visit func(*record.Game) bool) error {
	for _, g := range m.record {
		if !g.Created.Before(since) && !visit(g) {
			break
		}
	}
	return nil
}

func (m *simulation) add(name string, rating, games int, c personality) *simulatedBot {
	r := &simulatedBot{Account: lichess.Account{
		ID: name, Username: name, Title: "BOT",
		Perfs: map[string]lichess.PerfRating{lichess.Crazyhouse: {Rating: rating, Games: games}},
	}, answers: c}
	m.pool[name] = r
	return r
}

func (m *simulation) online() (list []lichess.Account) {
	for _, name := range slices.Sorted(maps.Keys(m.pool)) {
		if r := m.pool[name]; r.away == (HourSpan{}) || !r.away.holds(m.now.Hour()) {
			list = append(list, r.Account)
		}
	}
	return list
}

// run lets so many days pass, minute by minute.
func (m *simulation) run(days int) {
	for end := simStart.Add(time.Duration(days) * day); m.now.Before(end); m.now = m.now.Add(time.Minute) {
		if m.now.Sub(simStart)%(3*day) == 0 {
			m.restart()
		}
		if m.now.Before(m.busy) {
			m.quiet = m.busy
			continue
		}
		switch {
		case m.humans && m.random.IntN(60) == 0:
			m.busy = m.now.Add(time.Duration(3+m.random.IntN(40)) * time.Minute)
		case m.rivals && m.random.IntN(180) == 0 && m.quotaLeft():
			m.game(proposal{opponent: "friend00", white: m.random.IntN(2) == 0}, m.pool["friend00"])
		case m.now.Sub(m.quiet) >= m.terms.Idle:
			m.step()
		}
	}
}

// step is one look of the matchmaker.
func (m *simulation) step() {
	if m.budget.opensAt(m.now, m.memory.Usage()).After(m.now) {
		return
	}
	me := &lichess.Account{ID: simMe, Perfs: map[string]lichess.PerfRating{lichess.Crazyhouse: {Rating: 2300}}}
	list := m.plan.rank(m.now, me, m.online())
	if len(list) == 0 {
		return
	}
	m.challenge(list[0])
}

// challenge is the server's and the opponent's side of a challenge.
func (m *simulation) challenge(n proposal) {
	r := m.pool[n.opponent]
	m.memory.Challenged(m.now)
	m.challenges = append(m.challenges, m.now)
	r.asked, r.offered = append(r.asked, m.now), append(r.offered, n.offer)
	m.checkChallenge(n, r)
	if !m.quotaLeft() {
		m.refused429++
		m.memory.RecordLimit(&lichess.RateLimitError{Key: lichess.BotGamesLimit, RetryAfter: 6 * time.Hour}, n.opponent, m.now)
		return
	}
	if m.now.Before(r.quotaUntil) {
		limit := &lichess.Limit{Key: lichess.BotGamesLimit, Seconds: lichess.Seconds(r.quotaUntil.Sub(m.now) / time.Second)}
		m.memory.RecordLimit(&lichess.APIError{StatusCode: 400, Limit: limit}, n.opponent, m.now)
		return
	}
	if reason := r.answers(n, m.random); reason != "" {
		m.memory.Refused(n.opponent, n.offer.Offer, reason, m.now, m.terms.Pauses)
		r.lastRefusal = m.now
		return
	}
	if m.terms.Paired && !n.second {
		m.memory.BeginPair(n.opponent, n.offer.Offer, n.white, m.now)
	} else {
		m.memory.EndPair(n.opponent)
	}
	m.game(n, r)
}

// game starts a game, and for the memory also ends it.
func (m *simulation) game(n proposal, r *simulatedBot) {
	m.serial++
	id := fmt.Sprintf("g%07d", m.serial)
	m.starts = append(m.starts, m.now)
	m.memory.Began(id, n.opponent, true, m.now, m.now)
	if r.aborts && m.random.IntN(2) == 0 {
		m.memory.Aborted(n.opponent, m.now)
		m.busy = m.now.Add(time.Minute)
		return
	}
	r.games++
	us, them := record.Player{Name: simMe, Title: "BOT"}, record.Player{Name: r.Username, Title: "BOT"}
	g := &record.Game{
		Summary: record.Summary{
			ID: id, Created: m.now, White: them, Black: us, HasClock: true, Initial: 3 * time.Minute, Result: rules.BlackWins,
		},
		Game: rules.NewGame(rules.StartPosition()), Notes: []record.Note{{HasClock: true, Clock: 2 * time.Minute}},
	}
	side := rules.Black
	if n.white {
		r.white++
		g.White, g.Black, g.Result, side = us, them, rules.WhiteWins, rules.White
		g.Notes = append(g.Notes, g.Notes[0])
	}
	if r.stalls && m.random.IntN(2) == 0 {
		g.Status = "outoftime"
	}
	m.memory.Played(g, side)
	m.record = append(m.record, g)
	m.busy = m.now.Add(time.Duration(4+m.random.IntN(12)) * time.Minute)
}

// quotaLeft counts as the server does: 100 games from the first on, for a day.
func (m *simulation) quotaLeft() bool { return inLast(m.starts, m.now, day) < maxBotGames }

func inLast(times []time.Time, now time.Time, span time.Duration) (n int) {
	for _, at := range slices.Backward(times) {
		if now.Sub(at) >= span {
			break
		}
		n++
	}
	return n
}

// checkChallenge holds each challenge to what was promised.
func (m *simulation) checkChallenge(n proposal, r *simulatedBot) {
	m.t.Helper()
	if !m.budget.active(m.now) {
		m.t.Errorf("%s: challenge outside the hours", m.now)
	}
	if got := inLast(m.challenges, m.now, day); got > 200 {
		m.t.Errorf("%s: %d challenges in a day", m.now, got)
	}
	if m.now.Sub(r.lastRefusal) < m.terms.Pauses.First {
		m.t.Errorf("%s: %s challenged %s after a refusal", m.now, r.ID, m.now.Sub(r.lastRefusal))
	}
	if most := m.terms.GamesPerOpponent; most > 0 {
		if got := m.memory.CountSince(n.opponent, m.now.Add(-day)); got >= most {
			m.t.Errorf("%s: %s challenged after %d games in a day", m.now, r.ID, got)
		}
	}
	if got, last := m.streakOf(n.opponent); m.terms.InARow > 0 && got >= m.terms.InARow && m.now.Sub(last) < m.terms.Rest {
		m.t.Errorf("%s: %s challenged after %d games in a row, the last one %s ago", m.now, r.ID, got, m.now.Sub(last))
	}
}

// streakOf counts the latest games in a row with one opponent.
func (m *simulation) streakOf(opponent string) (n int, last time.Time) {
	for _, g := range slices.Backward(m.record) {
		if g.White.Name != opponent && g.Black.Name != opponent || !last.IsZero() && last.Sub(g.Created) > m.terms.Rest {
			break
		}
		if last.IsZero() {
			last = g.Created
		}
		n++
	}
	return n, last
}

func simTerms() Settings {
	return Settings{
		Enabled: true, Idle: 2 * time.Minute,
		Offers: []Offer{
			{Offer: opponent.Offer{Initial: 3 * time.Minute, Increment: 2 * time.Second, Rated: true}, Weight: 3},
			{Offer: opponent.Offer{Initial: time.Minute, Increment: time.Second, Rated: true}, Weight: 2},
			{Offer: opponent.Offer{Initial: 5 * time.Minute, Increment: 3 * time.Second}, Weight: 1},
		},
		MaxRatingDifference: 600, GamesPerDay: 80, GamesPerOpponent: 12, InARow: 4, Rest: 3 * time.Hour, Paired: true,
		Pauses: opponent.Pauses{First: 30 * time.Minute, Longest: 30 * day},
	}
}

// friends adds bots that are alike.
func (m *simulation) friends(n int) (names []string) {
	for i := range n {
		name := fmt.Sprintf("friend%02d", i)
		m.add(name, 2300, 500, willing)
		names = append(names, name)
	}
	return names
}

// fair fails if the bots' numbers of games differ by much.
func (m *simulation) fair(names []string) (mean float64) {
	least, most, sum := 1<<30, 0, 0
	for _, name := range names {
		r := m.pool[name]
		least, most, sum = min(least, r.games), max(most, r.games), sum+r.games
		if unpaired := r.games - 2*r.white; max(unpaired, -unpaired) > 8 {
			m.t.Errorf("%s: %d games, %d of them with White for us", name, r.games, r.white)
		}
	}
	if float64(most) > 1.3*float64(least) {
		m.t.Errorf("alike, but the games are between %d and %d", least, most)
	}
	return float64(sum) / float64(len(names))
}

// A month among the pool as it is: a few who play, and everybody else.
func TestMatchmaking_Month(t *testing.T) {
	terms := simTerms()
	m := newSimulation(t, terms)
	m.humans, m.rivals, m.block = true, true, []string{"enemy"}
	friends := m.friends(10)
	m.pool["friend03"].away = HourSpan{0, 6}
	m.pool["friend07"].quotaUntil = simStart.Add(9 * time.Hour)
	m.add("nobot", 2300, 500, always("nobot"))
	m.add("generic", 2300, 500, always("generic"))
	m.add("later", 2300, 500, always("later"))
	m.add("silent", 2300, 500, always(opponent.NoAnswer))
	m.add("blocked", 2300, 500, always(opponent.RefusedByServer))
	m.add("slow", 2300, 500, noFaster(5*time.Minute))
	m.add("casual", 2300, 500, onlyCasual)
	m.add("aborter", 2300, 500, willing).aborts = true
	m.add("staller", 2300, 500, willing).stalls = true
	for name, r := range map[string]*simulatedBot{
		"newcomer": m.add("newcomer", 2300, 0, willing), "giant": m.add("giant", 3000, 900, willing), "enemy": m.add("enemy", 2300, 500, willing),
	} {
		defer func() {
			if len(r.asked) > 0 {
				t.Errorf("%s was challenged %d times", name, len(r.asked))
			}
		}()
	}
	m.run(30)

	mean := m.fair(friends)
	t.Logf("%d games with bots, %d challenges, %.0f games with each friend", len(m.starts), len(m.challenges), mean)
	if m.refused429 > 0 {
		t.Errorf("the server refused %d challenges for our quota", m.refused429)
	}
	if used := len(m.starts); used < 30*terms.GamesPerDay/2 {
		t.Errorf("only %d games in a month", used)
	}
	for _, at := range m.starts {
		if n := countFrom(m.starts, at, day); n > maxBotGames {
			t.Errorf("%d games with bots in the day from %s", n, at)
		}
		if n := countFrom(m.starts, at, time.Hour); n > 10 {
			t.Errorf("%d games with bots in the hour from %s", n, at)
		}
	}
	for name, most := range map[string]int{"nobot": 6, "blocked": 6, "generic": 9, "later": 13, "silent": 12} {
		r := m.pool[name]
		if n := len(r.asked); n == 0 || n > most {
			t.Errorf("%s was challenged %d times, want 1 to %d", name, n, most)
		}
		if !growing(r.asked, terms.Pauses.First) {
			t.Errorf("%s: the pauses do not grow: %v", name, r.asked)
		}
	}
	for _, name := range []string{"aborter", "staller"} {
		if r := m.pool[name]; r.games == 0 || float64(r.games) > mean/2 {
			t.Errorf("%s: %d games, want less than half of %.0f", name, r.games, mean)
		}
	}
	m.checkTermsLearned("slow", func(o Offer) bool { return estimate(o) < 5*time.Minute })
	m.checkTermsLearned("casual", func(o Offer) bool { return o.Rated })
}

// checkTermsLearned fails if a bot was offered over and over what it declines, or had no
// games at all.
func (m *simulation) checkTermsLearned(name string, unwanted func(Offer) bool) {
	m.t.Helper()
	r, wrong := m.pool[name], 0
	for _, o := range r.offered {
		if unwanted(o) {
			wrong++
		}
	}
	if r.games < 20 || wrong > 6 {
		m.t.Errorf("%s: %d games, %d offers that it had declined", name, r.games, wrong)
	}
}

func countFrom(times []time.Time, from time.Time, span time.Duration) (n int) {
	for _, at := range times {
		if !at.Before(from) && at.Sub(from) < span {
			n++
		}
	}
	return n
}

// growing reports whether the pauses are the first one, twice that, and so on.
func growing(times []time.Time, first time.Duration) bool {
	for i := 1; i < len(times); i++ {
		if times[i].Sub(times[i-1]) < first<<(i-1) {
			return false
		}
	}
	return true
}

// The whole budget, full quota and few hours: never more than Lichess allows.
func TestMatchmaking_MonthOfFewHours(t *testing.T) {
	terms := simTerms()
	terms.GamesPerDay, terms.GamesPerOpponent, terms.Hours = maxBotGames, 0, []HourSpan{{From: 18, To: 2}}
	m := newSimulation(t, terms)
	m.rivals = true
	friends := m.friends(6)
	m.run(30)
	m.fair(friends)
	if m.refused429 > 0 {
		t.Errorf("the server refused %d challenges for our quota", m.refused429)
	}
}

// With one opponent in the world, it has its rests.
func TestMatchmaking_MonthOfOneOpponent(t *testing.T) {
	m := newSimulation(t, simTerms())
	m.friends(1)
	m.run(30)
	if n := m.pool["friend00"].games; n < 30*8 || n > 30*12 {
		t.Errorf("%d games in a month, want 8 to 12 a day", n)
	}
}
