package opponent

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Assignment is a game in progress and the contender that plays it.
type Assignment struct {
	Game, Opponent string // ids
	config.GameKind
	Clock     lichess.Clock
	At        time.Time // when the game began
	Contender string    // its name; "" for none
}

// Assign returns the name of the contender that plays a new game, "" for none: in the second
// game of a pair, that of the first; else the one whose turn it is among those that share
// such games out. Only games with a result count, and those in progress until they end.
func (m *Memory) Assign(list []config.Contender, a Assignment) string {
	var key []byte
	m.state.View(func(s *record.State) { key = s.AssignmentKey })
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.assigned[a.Game]; ok { // the game was interrupted
		return known.contender
	}
	games, sharing := m.alike(&a), config.ContendersFor(list, a.GameKind)
	if a.Contender = partner(list, games, &a); a.Contender == "" && len(sharing) > 0 {
		a.Contender = due(sharing, games, &a, key)
	}
	m.keep(&a)
	return a.Contender
}

// Resume records which contender plays a game that an earlier run began.
func (m *Memory) Resume(a Assignment) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(&a)
}

// keep adds an assignment. The caller holds the lock.
func (m *Memory) keep(a *Assignment) {
	us := rules.White
	if a.Color == lichess.Black {
		us = rules.Black
	}
	m.assigned[a.Game] = &game{
		id: a.Game, opponent: a.Opponent, at: a.At, us: us, rated: a.Rated, clock: a.Clock, contender: a.Contender,
	}
}

// Release ends an assignment: unless the game was [Memory.Played] with a result, its
// contender gets the turn back.
func (m *Memory) Release(game string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.assigned, game)
}

// Match returns our results against the opponent in a match of a gauntlet, and how many games
// have begun with White and with Black, those in progress included. Games without a result do
// not count.
func (m *Memory) Match(opponent string, g *record.Gauntlet) (t record.Tally, white, black int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, past := range m.alike(&Assignment{Opponent: opponent, GameKind: config.GameKind{Rated: g.Rated}}) {
		if past.clock != g.Clock() || past.at.Before(g.Since) {
			continue
		}
		t.Add(past.result, past.us)
		if past.us == rules.White {
			white++
		} else {
			black++
		}
	}
	return t, white, black
}

// alike returns the games with the opponent of a game, those in progress included, that are
// rated if it is, in the order in which they began. The caller holds the lock.
func (m *Memory) alike(a *Assignment) (games []*game) {
	add := func(g *game) {
		if g.opponent == a.Opponent && g.rated == a.Rated {
			games = append(games, g)
		}
	}
	for _, g := range m.games {
		if g.result != rules.NoResult {
			add(g)
		}
	}
	for _, g := range m.assigned {
		add(g)
	}
	slices.SortStableFunc(games, func(x, y *game) int { return x.at.Compare(y.at) })
	return games
}

// partner returns the contender of the game of which a new one is the reverse, "" if there
// is none. Two games in succession with the same clock and reversed colours are a pair,
// whoever proposed them. That a contender is for one colour only does not split a pair.
func partner(list []config.Contender, games []*game, a *Assignment) string {
	var first *game // without a second one so far
	for _, g := range games {
		switch {
		case g.clock != a.Clock:
		case first != nil && g.us != first.us && g.at.Sub(first.at) < pairPeriod:
			first = nil
		default:
			first = g
		}
	}
	if first == nil || first.us.String() == string(a.Color) || a.At.Sub(first.at) >= pairPeriod {
		return ""
	}
	for _, k := range list {
		either := k.For
		either.Color = ""
		if k.Name == first.contender && k.Weight > 0 && either.Matches(a.GameKind) {
			return k.Name
		}
	}
	return ""
}

// due returns the contender whose turn a game is. With each opponent and colour, the games
// form blocks in which each contender plays as often as its weight, in an order that the
// key draws.
//
// The blocks follow from the games. A contender that has played too often in a block, in the
// second games of pairs or before others came, begins the next with what was too much, but
// no more than its share of that block: a new contender does not catch up on old games.
func due(sharing []config.Contender, games []*game, a *Assignment, key []byte) string {
	divisor := 0
	for _, k := range sharing {
		divisor = gcd(divisor, k.Weight)
	}
	turns := make([]int, len(sharing)) // that are left in the block; negative ones count for the next
	start := func() {
		for i, k := range sharing {
			turns[i] = max(turns[i], -k.Weight/divisor) + k.Weight/divisor
		}
	}
	start()
	before := "" // the id of the game before it
	for _, g := range games {
		i := slices.IndexFunc(sharing, func(k config.Contender) bool { return k.Name == g.contender })
		if i < 0 || g.us.String() != string(a.Color) {
			continue
		}
		before = g.id
		if turns[i]--; slices.Max(turns) <= 0 {
			start()
		}
	}
	left := 0
	for _, n := range turns {
		left += max(n, 0)
	}
	order := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(order, "%s %t %s %s", a.Opponent, a.Rated, a.Color, before) // never fails
	n := int(binary.BigEndian.Uint64(order.Sum(nil)) % uint64(left))
	for i, k := range sharing {
		if n -= max(turns[i], 0); n < 0 {
			return k.Name
		}
	}
	return "" // unreachable
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
