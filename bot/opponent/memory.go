// Package opponent remembers what the bot knows about its opponents, from the records of
// games and, for what they do not contain, from the state file.
//
// [Memory.Load] reads the records of earlier runs; [Memory.Played] adds the games of
// this one. Players are identified by their Lichess ids, in lower case.
package opponent

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

const (
	day            = 24 * time.Hour
	rememberGames  = 90 * day // older games are forgotten
	maxGames       = 20_000   // of more games, the oldest are forgotten
	rememberStalls = 30 * day
	// forgetShare: games are forgotten more than 1/forgetShare of them at a time, which is cheap.
	forgetShare = 16
)

// Memory is what the bot knows about its opponents. It is safe for concurrent use;
// the methods that change the state file may wait for the disk.
type Memory struct {
	state *record.StateFile
	log   zerolog.Logger

	mu     sync.Mutex      // for all that follows
	games  []*game         // by when they began
	known  map[string]bool // their ids
	losing losingMoves

	leveled *stats.LeveledGames // what games has, and what it has forgotten since the start

	assigned map[string]*game // in progress, by id
}

// game is a finished game with an opponent.
type game struct {
	id       string
	opponent string
	at       time.Time // when it began
	us       rules.Color
	stalled  bool // the opponent let its clock run
	result   rules.Result
	opening  []rules.Move // see openingOf
	balanced int          // how many plies of it were played in balance

	rated     bool
	clock     lichess.Clock
	contender string // of ours; "" for none

	sparring bool    // casual, with a person, below full strength, and long enough to count:
	level    float64 // the level of play
}

// NewMemory returns a memory with only the content of the state file.
func NewMemory(file *record.StateFile, log zerolog.Logger) *Memory {
	return &Memory{
		state: file, log: log, known: map[string]bool{}, losing: losingMoves{}, leveled: stats.NewLeveledGames(),
		assigned: map[string]*game{},
	}
}

// ID returns a player's id, in lower case.
func ID(p *lichess.Player) string {
	if p.ID != "" {
		return strings.ToLower(p.ID)
	}
	return strings.ToLower(p.Name)
}

// History reads the games that an archive holds; see [record.Archive.GamesSince].
type History interface {
	GamesSince(ctx context.Context, since time.Time, visit func(*record.Game)) error
}

// Load reads the records of earlier runs; me is our name in them. Those of others, such as
// an account of another name, do not count.
func (m *Memory) Load(ctx context.Context, past History, me string, now time.Time) error {
	recent := map[string]time.Time{} // the games between bots of the last day
	err := past.GamesSince(ctx, now.Add(-rememberGames), func(g *record.Game) {
		view, ok := g.View(me)
		if !ok {
			return
		}
		m.Played(g, view.Color)
		if g.White.IsBot() && g.Black.IsBot() && g.Created.After(now.Add(-day)) {
			recent[g.ID] = g.Created
		}
	})
	m.update(func(s *record.State) { addBotGames(s, recent, now) })
	return err
}

// Played records a finished game. Repeated ones are ignored.
func (m *Memory) Played(g *record.Game, us rules.Color) {
	them := g.Opponent(us)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[g.ID] {
		return
	}
	m.known[g.ID] = true
	delete(m.assigned, g.ID)
	m.leveled.Add(&record.PlayerView{Summary: &g.Summary, Color: us, Opponent: them})
	past := &game{
		id: g.ID, opponent: strings.ToLower(them.Name), at: g.Created,
		us: us, stalled: stalled(g, us), result: g.Result,
		opening: slices.Clone(openingOf(g.Board)), balanced: balancedPlies(g, us),
		// which may be a part of the whole game's text
		rated: g.Rated, clock: g.Clock, contender: strings.Clone(g.Contender),
	}
	if at, ok := g.PlayedLevel(); ok && !g.Rated && !them.IsBot() && g.Result != rules.NoResult &&
		g.Board.Ply() >= fewestSparringPlies {
		past.sparring, past.level = true, at
	}
	place, _ := slices.BinarySearchFunc(m.games, past.at, func(o *game, at time.Time) int { return o.at.Compare(at) })
	m.games = slices.Insert(m.games, place, past)
	if g.Level == "" {
		m.losing.add(g, us)
	}
	m.prune()
}

// prune drops the games that are too old or too many, with their losing moves: many
// at once, so that the cost per game is small. The caller holds the lock.
func (m *Memory) prune() {
	first := m.games[len(m.games)-1].at.Add(-rememberGames)
	old, _ := slices.BinarySearchFunc(m.games, first, func(o *game, at time.Time) int { return o.at.Compare(at) })
	old = max(old, len(m.games)-maxGames)
	if old*forgetShare <= len(m.games) {
		return
	}
	for _, g := range m.games[:old] {
		delete(m.known, g.id)
	}
	m.games = slices.Delete(m.games, 0, old)
	m.losing.prune(m.games[0].at)
}

// stalled reports whether the opponent let its clock run out rather than being too
// slow: it had much time left after its last move.
func stalled(g *record.Game, us rules.Color) bool {
	timeUp := g.Status == lichess.StatusOutOfTime || g.Status == lichess.StatusTimeout
	if !timeUp || g.Result != rules.WinOf(us) || g.Clock.IsZero() {
		return false
	}
	for ply := len(g.Notes) - 1; ply >= 0; ply-- {
		byThem := (ply%2 == 0) == (us == rules.Black)
		if note := g.Notes[ply]; byThem && note.HasClock {
			return note.Clock >= max(15*time.Second, g.Clock.Initial/4)
		}
	}
	return false
}

// past returns the games with an opponent since a time, latest first. They must not be
// changed.
func (m *Memory) past(opponent string, first time.Time) (games []*game) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range slices.Backward(m.games) {
		if g.at.Before(first) {
			break
		}
		if g.opponent == opponent {
			games = append(games, g)
		}
	}
	return games
}

// CountWithin counts the games with an opponent in the period before now, including those
// of the given ids that are not recorded yet, and those that the server dates later, since
// our clock may be behind, but not by as much as the period.
func (m *Memory) CountWithin(period time.Duration, opponent string, now time.Time, also ...string) (n int) {
	for _, g := range m.past(opponent, now.Add(-period)) {
		if g.at.Before(now.Add(period)) {
			n++
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range also {
		if g := m.assigned[id]; !m.known[id] && (g == nil || !g.at.Before(now.Add(-period))) {
			n++
		}
	}
	return n
}

// LastColor reports whether we had White in the latest game with an opponent, if
// there is one.
func (m *Memory) LastColor(opponent string) (white, known bool) {
	if games := m.past(opponent, time.Time{}); len(games) > 0 {
		return games[0].us == rules.White, true
	}
	return false, false
}

// stalls counts the recent games in which an opponent stalled.
func (m *Memory) stalls(opponent string, now time.Time) (n int) {
	for _, g := range m.past(opponent, now.Add(-rememberStalls)) {
		if g.stalled {
			n++
		}
	}
	return n
}

// Tally counts our remembered results against an opponent.
func (m *Memory) Tally(opponent string) (t record.Tally) {
	for _, g := range m.past(opponent, time.Time{}) {
		t.Add(g.result, g.us)
	}
	return t
}
