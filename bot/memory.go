package bot

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/postmortem"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

const (
	rememberGames  = 90 * day // games are remembered so far back,
	maxGames       = 20_000   // but not more than these
	rememberAborts = 7 * day
	rememberTerms  = 14 * day // after that, declined terms may be offered again
	duePeriod      = day      // the second game of a pair is played within
	fairnessWindow = 7 * day  // opponents have their fair share of it
	// forgetShare is which part of the games is forgotten at once.
	forgetShare = 16
	// maxAborts is the number of aborted games in a day after which a player is avoided.
	maxAborts = 3
)

// memory is what the bot knows about its opponents: from the records and, for the
// rest, from the state file. Its methods may wait for the disk.
type memory struct {
	state *record.State
	log   zerolog.Logger

	mu     sync.Mutex
	games  []pastGame      // by when they began
	known  map[string]bool // their ids
	losing postmortem.LosingMoves
}

// pastGame is a finished game with an opponent.
type pastGame struct {
	id       string
	opponent string // id
	at       time.Time
	bot      bool
	white    bool // we had White
	stalled  bool // the opponent let its clock run
	winner   string
	drawn    bool
}

func newMemory(state *record.State, log zerolog.Logger) *memory {
	return &memory{state: state, log: log, known: map[string]bool{}, losing: postmortem.LosingMoves{}}
}

// update changes the state file. If the disk fails, the change is kept in memory and
// the bot continues.
func (m *memory) update(change func(*record.Memory)) {
	if err := m.state.Update(change); err != nil {
		m.log.Warn().Err(err).Msg("state not written")
	}
}

// began records a game that has begun. It resets the opponent's refusals.
func (m *memory) began(id, opponent string, bot bool, at, now time.Time) {
	m.update(func(s *record.Memory) {
		s.BotGames = since(s.BotGames, now.Add(-day))
		if bot && at.After(now.Add(-day)) {
			s.BotGames[id] = at
		}
		if o := s.Opponents[opponent]; o != nil {
			o.Refusals, o.RestUntil, o.Reason = 0, time.Time{}, ""
		}
		maps.DeleteFunc(s.Opponents, func(_ string, o *record.Opponent) bool { return isForgettable(o, now) })
	})
}

// isForgettable reports whether nothing about a player is worth remembering.
func isForgettable(o *record.Opponent, now time.Time) bool {
	due := o.Pending != nil && now.Before(o.Pending.Until)
	return o.Refusals == 0 && !due && !now.Before(o.RestUntil) && !now.Before(o.TermsUntil) &&
		abortsSince(o, now.Add(-rememberAborts)) == 0
}

// since drops the games that began before a time.
func since(games map[string]time.Time, first time.Time) map[string]time.Time {
	maps.DeleteFunc(games, func(_ string, at time.Time) bool { return at.Before(first) })
	return games
}

// after drops the times before another.
func after(times []time.Time, first time.Time) []time.Time {
	return slices.DeleteFunc(times, func(at time.Time) bool { return at.Before(first) })
}

// aborted records a game that the opponent aborted.
func (m *memory) aborted(opponent string, now time.Time) {
	m.update(func(s *record.Memory) {
		o := s.Opponent(opponent)
		o.Aborts = append(after(o.Aborts, now.Add(-rememberAborts)), now)
		o.Pending = nil // the pair is dropped
	})
}

// idle records an opponent who made no first move: its challenges are accepted as
// before, but we do not challenge it for a while.
func (m *memory) idle(opponent string, now time.Time, terms *Matchmaking) {
	m.update(func(s *record.Memory) {
		o := s.Opponent(opponent)
		o.Pending = nil
		o.Reason, o.RestUntil = refusedIdle, latest(o.RestUntil, now.Add(refusalPause(refusedIdle, 1, terms)))
	})
}

// dropPair drops the second game of a pair whose first was not played.
func (m *memory) dropPair(opponent string) {
	m.update(func(s *record.Memory) {
		if o := s.Opponents[opponent]; o != nil {
			o.Pending = nil
		}
	})
}

// played records a finished game, of this run or from the records.
func (m *memory) played(g *record.Game, us rules.Color) {
	them := g.Black
	if us == rules.Black {
		them = g.White
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[g.ID] {
		return
	}
	m.known[g.ID] = true
	past := pastGame{
		id: g.ID, opponent: strings.ToLower(them.Name), at: g.Created, bot: them.Title == "BOT",
		white: us == rules.White, stalled: stalled(g, us), winner: g.Winner, drawn: drawn(g),
	}
	place, _ := slices.BinarySearchFunc(m.games, past.at, func(o pastGame, at time.Time) int { return o.at.Compare(at) })
	m.games = slices.Insert(m.games, place, past)
	m.losing.Add(g, us)
	m.prune()
}

// prune drops the games that are too old or too many, with their losing moves: many
// at once, so that the cost per game is small. The caller holds the lock.
func (m *memory) prune() {
	first := m.games[len(m.games)-1].at.Add(-rememberGames)
	old, _ := slices.BinarySearchFunc(m.games, first, func(o pastGame, at time.Time) int { return o.at.Compare(at) })
	old = max(old, len(m.games)-maxGames)
	if old*forgetShare <= len(m.games) {
		return
	}
	for _, g := range m.games[:old] {
		delete(m.known, g.id)
	}
	m.games = slices.Delete(m.games, 0, old)
	m.losing.Prune(m.games[0].at)
}

// stalled reports whether the opponent let its clock run out rather than being too
// slow: it had much time left after its last move.
func stalled(g *record.Game, us rules.Color) bool {
	timeUp := g.Status == "outoftime" || g.Status == "timeout"
	if !timeUp || g.Winner != us.String() || !g.HasClock {
		return false
	}
	for ply := len(g.Notes) - 1; ply >= 0; ply-- {
		byThem := (ply%2 == 0) == (us == rules.Black)
		if note := g.Notes[ply]; byThem && note.HasClock {
			return note.Clock >= max(15*time.Second, g.Initial/4)
		}
	}
	return false
}

// load reads the records. Before it, only the state file is known.
func (m *memory) load(past History, me string, now time.Time) error {
	recent := map[string]time.Time{}
	err := past.GamesSince(now.Add(-rememberGames), func(g *record.Game) bool {
		us := rules.Black
		if strings.EqualFold(g.White.Name, me) {
			us = rules.White
		}
		m.played(g, us)
		if g.White.Title == "BOT" && g.Black.Title == "BOT" && g.Created.After(now.Add(-day)) {
			recent[g.ID] = g.Created
		}
		return true
	})
	m.update(func(s *record.Memory) {
		maps.Copy(s.BotGames, recent)
		s.BotGames = since(s.BotGames, now.Add(-day))
	})
	return err
}

// History reads the games that an archive holds; see [record.Archive.GamesSince].
type History interface {
	GamesSince(since time.Time, visit func(*record.Game) bool) error
}

// avoid returns the legal moves that have not lost in a position, nil if there is no
// restriction.
func (m *memory) avoid(p *rules.Position) []rules.Move {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.losing.Avoid(p)
}

// countSince counts the games with an opponent since a time.
func (m *memory) countSince(opponent string, first time.Time) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range slices.Backward(m.games) {
		if g.at.Before(first) {
			break
		}
		if g.opponent == opponent {
			n++
		}
	}
	return n
}

// countStarted counts the games with an opponent since a time, including those in
// also that are not recorded yet.
func (m *memory) countStarted(opponent string, first time.Time, also []string) int {
	n := m.countSince(opponent, first)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range also {
		if !m.known[id] {
			n++
		}
	}
	return n
}

// streak returns how many of the latest games against bots were against one opponent
// without a rest between them, and when the last of them began.
func (m *memory) streak(opponent string, rest time.Duration) (n int, last time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range slices.Backward(m.games) {
		switch {
		case !g.bot:
			continue
		case g.opponent != opponent, n > 0 && last.Sub(g.at) > rest:
			return n, latestOf(m.games, opponent)
		}
		n, last = n+1, g.at
	}
	return n, latestOf(m.games, opponent)
}

func latestOf(games []pastGame, opponent string) time.Time {
	for _, g := range slices.Backward(games) {
		if g.opponent == opponent {
			return g.at
		}
	}
	return time.Time{}
}

// lastColor returns our color in the latest game with an opponent.
func (m *memory) lastColor(opponent string) (white, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range slices.Backward(m.games) {
		if g.opponent == opponent {
			return g.white, true
		}
	}
	return false, false
}

// stalls counts the games of the last 30 days in which an opponent stalled.
func (m *memory) stalls(opponent string, now time.Time) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range m.games {
		if g.opponent == opponent && g.stalled && g.at.After(now.Add(-30*day)) {
			n++
		}
	}
	return n
}

// isAvoided reports whether a player is avoided for now, after too many aborted
// games.
func (m *memory) isAvoided(opponent string, now time.Time) (yes bool) {
	m.state.View(func(s *record.Memory) {
		if o := s.Opponents[opponent]; o != nil {
			yes = abortsTooOften(o, now)
		}
	})
	return yes
}

func abortsTooOften(o *record.Opponent, now time.Time) bool {
	return abortsSince(o, now.Add(-day)) >= maxAborts
}

func abortsSince(o *record.Opponent, first time.Time) (n int) {
	for _, at := range o.Aborts {
		if at.After(first) {
			n++
		}
	}
	return n
}

// tally counts our results against an opponent.
type tally struct{ won, drawn, lost int }

func (t tally) games() int { return t.won + t.drawn + t.lost }

// drawn reports whether a game is known to be a draw.
func drawn(g *record.Game) bool {
	switch g.Status {
	case "unknownFinish", "aborted", "noStart":
		return false
	}
	return g.Winner == ""
}

// tally counts our results against an opponent, as far as they are remembered.
func (m *memory) tally(opponent string) (t tally) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range m.games {
		switch {
		case g.opponent != opponent:
		case g.drawn:
			t.drawn++
		case g.winner == "": // result unknown
		case (g.winner == "white") == g.white:
			t.won++
		default:
			t.lost++
		}
	}
	return t
}

// idOf returns a player's id.
func idOf(p *lichess.Player) string {
	if p.ID != "" {
		return strings.ToLower(p.ID)
	}
	return strings.ToLower(p.Name)
}
