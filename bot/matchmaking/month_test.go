package matchmaking

import (
	"slices"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

func simTerms() config.Matchmaking {
	return config.Matchmaking{
		Enabled: true, Idle: 2 * time.Minute,
		Offers: []config.Offer{
			{Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, Rated: true, Weight: 3},
			{Clock: lichess.Clock{Initial: time.Minute, Increment: time.Second}, Rated: true, Weight: 2},
			{Clock: lichess.Clock{Initial: 5 * time.Minute, Increment: 3 * time.Second}, Weight: 1},
		},
		Rating: config.MatchRating{Rating: config.Rating{MaxDifference: 600}}, GamesPerDay: 80, GamesPerOpponent: 12, GamesInARow: 4, Rest: 3 * time.Hour, Pairs: true,
		Pause: config.Range[time.Duration]{Min: 30 * time.Minute, Max: 30 * day},
	}
}

// A month among the pool as it is: a few who play, and everybody else.
func TestMatchmaking_Month(t *testing.T) {
	terms := simTerms()
	m := newSimulation(t, terms)
	m.humans, m.rivals, m.block = true, true, []string{"enemy"}
	friends := m.friends(10)
	m.pool["friend03"].away = config.Hours{From: 0, To: 6}
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
	for name, limit := range map[string]int{"nobot": 6, "blocked": 6, "generic": 9, "later": 13, "silent": 12} {
		r := m.pool[name]
		if n := len(r.asked); n == 0 || n > limit {
			t.Errorf("%s was challenged %d times, want 1 to %d", name, n, limit)
		}
		if !growing(r.asked, terms.Pause.Min) {
			t.Errorf("%s: the pauses do not grow: %v", name, r.asked)
		}
	}
	for _, name := range []string{"aborter", "staller"} {
		if r := m.pool[name]; r.games == 0 || float64(r.games) > mean/2 {
			t.Errorf("%s: %d games, want less than half of %.0f", name, r.games, mean)
		}
	}
	m.checkTermsLearned("slow", func(o config.Offer) bool { return o.Clock.Estimate() < 5*time.Minute })
	m.checkTermsLearned("casual", func(o config.Offer) bool { return o.Rated })
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

// checkChallenge holds each challenge to what was promised.
func (m *simulation) checkChallenge(n proposal, r *simulatedBot) {
	m.t.Helper()
	if !m.budget.active(m.now.Hour()) {
		m.t.Errorf("%s: challenge outside the hours", m.now)
	}
	if got := inLast(m.challenges, m.now, day); got > 200 {
		m.t.Errorf("%s: %d challenges in a day", m.now, got)
	}
	if m.now.Sub(r.lastRefusal) < m.terms.Pause.Min {
		m.t.Errorf("%s: %s challenged %s after a refusal", m.now, r.ID, m.now.Sub(r.lastRefusal))
	}
	if limit := m.terms.GamesPerOpponent; limit > 0 {
		if got := m.memory.CountWithin(day, n.opponent, m.now); got >= limit {
			m.t.Errorf("%s: %s challenged after %d games in a day", m.now, r.ID, got)
		}
	}
	if got, last := m.streakOf(n.opponent); m.terms.GamesInARow > 0 && got >= m.terms.GamesInARow && m.now.Sub(last) < m.terms.Rest {
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

// fair fails if the bots' numbers of games differ by much.
func (m *simulation) fair(names []string) (mean float64) {
	lowest, highest, sum := 1<<30, 0, 0
	for _, name := range names {
		r := m.pool[name]
		lowest, highest, sum = min(lowest, r.games), max(highest, r.games), sum+r.games
		if unpaired := r.games - 2*r.white; max(unpaired, -unpaired) > 8 {
			m.t.Errorf("%s: %d games, %d of them with White for us", name, r.games, r.white)
		}
	}
	if float64(highest) > 1.3*float64(lowest) {
		m.t.Errorf("alike, but the games are between %d and %d", lowest, highest)
	}
	return float64(sum) / float64(len(names))
}

// checkTermsLearned fails if a bot was offered over and over what it declines, or had no
// games at all.
func (m *simulation) checkTermsLearned(name string, unwanted func(config.Offer) bool) {
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
