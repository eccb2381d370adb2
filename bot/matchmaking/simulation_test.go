package matchmaking

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// simulation is a simulated month of an idle bot: its clock goes by minutes, and the
// server's side of the rules is kept by itself.
type simulation struct {
	t      *testing.T
	terms  config.Matchmaking
	random *rand.Rand
	pool   map[string]*simulatedBot
	humans bool // come and keep the bot busy
	rivals bool // challenge the bot by themselves
	block  []string

	now    time.Time
	busy   time.Time // a game is in progress until then
	quiet  time.Time // since when no game is in progress
	state  *record.StateFile
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

func newSimulation(t *testing.T, terms config.Matchmaking) *simulation {
	m := &simulation{
		t: t, terms: terms, random: rand.New(rand.NewPCG(7, 64)), pool: map[string]*simulatedBot{}, now: simStart, quiet: simStart,
		state: record.InMemoryState(), budget: budget{games: terms.GamesPerDay, hours: terms.Hours}, started: map[time.Time]bool{},
	}
	m.restart()
	return m
}

// restart forgets what is not in the records or the state file.
func (m *simulation) restart() {
	m.memory = opponent.NewMemory(m.state, zerolog.Nop())
	m.plan = planner{settings: m.terms, blocks: func(p *lichess.Player) bool { return slices.Contains(m.block, p.ID) }, memory: m.memory, random: m.random}
	if err := m.memory.Load(m.t.Context(), m, simMe, m.now); err != nil {
		m.t.Fatal(err)
	}
}

// Since makes the month's games the records of the past.
func (m *simulation) GamesSince(_ context.Context, since time.Time, visit func(*record.Game)) error {
	for _, g := range m.record {
		if !g.Created.Before(since) {
			visit(g)
		}
	}
	return nil
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
	if m.budget.opensAt(m.now, m.memory.Usage(m.now)).After(m.now) {
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
	m.memory.Challenged(true, m.now)
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
		m.memory.Refused(n.opponent, n.offer, reason, m.now, m.terms.Pause)
		r.lastRefusal = m.now
		return
	}
	if m.terms.Pairs && !n.second {
		m.memory.BeginPair(n.opponent, n.offer, n.white, m.now)
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
			ID: id, Created: m.now, White: them, Black: us, Clock: lichess.Clock{Initial: 3 * time.Minute}, Result: rules.BlackWins,
		},
		Board: rules.NewGame(rules.StartPosition()), Notes: []record.Note{{HasClock: true, Clock: 2 * time.Minute}},
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
