package opponent

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

var (
	pauses = config.Range[time.Duration]{Min: 30 * time.Minute, Max: 3 * day}
	blitz  = config.Offer{Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, Rated: true}
	bullet = config.Offer{Clock: lichess.Clock{Initial: time.Minute}, Rated: true}
	casual = config.Offer{Clock: lichess.Clock{Initial: 5 * time.Minute, Increment: 3 * time.Second}}
)

func newMemory() *Memory { return NewMemory(record.InMemoryState(), zerolog.Nop()) }

// rest returns how long an opponent is not challenged.
func rest(m *Memory, opponent string) (left time.Duration) {
	for {
		s := m.Standing(opponent, start.Add(left), pauses)
		if !s.Resting {
			return left
		}
		left += 30 * time.Minute
	}
}

// The pause after a refusal depends on its reason, and doubles with each one more
// until a game begins.
func TestMemory_Refused(t *testing.T) {
	for _, tt := range []struct {
		reason string
		times  int
		want   time.Duration
	}{
		{"later", 1, 30 * time.Minute}, {"later", 2, time.Hour}, {"later", 4, 4 * time.Hour},
		{NoAnswer, 1, time.Hour}, {"generic", 1, 4 * time.Hour}, {"of a new kind", 1, 4 * time.Hour},
		{"nobot", 1, day}, {"nobot", 9, 3 * day},
	} {
		m := newMemory()
		for range tt.times {
			m.Refused("sulker", blitz, tt.reason, start, pauses)
		}
		if got := rest(m, "sulker"); got != tt.want {
			t.Errorf("%s, %d times: not challenged for %s, want %s", tt.reason, tt.times, got, tt.want)
		}
		if m.Began("game", "sulker", true, start, start); rest(m, "sulker") != 0 {
			t.Errorf("%s: a game does not end the pause", tt.reason)
		}
	}
}

func TestMemory_Idle(t *testing.T) {
	m := newMemory()
	m.BeginPair("idler", blitz, true, start)
	m.Idle("idler", start, pauses)
	if got := rest(m, "idler"); got != 4*time.Hour || m.IsAvoided("idler", start) {
		t.Errorf("not challenged for %s, and avoided: %t", got, m.IsAvoided("idler", start))
	}
	if s := m.Standing("idler", start, pauses); s.Pending != nil {
		t.Errorf("a second game is due: %+v", s.Pending)
	}
}

// What an opponent declines is not offered to it for a while.
func TestStanding_Declines(t *testing.T) {
	for _, tt := range []struct {
		reason string
		to     config.Offer
		want   []config.Offer
	}{
		{"toofast", blitz, []config.Offer{blitz, bullet}},
		{"tooslow", blitz, []config.Offer{blitz, casual}},
		{"timecontrol", blitz, []config.Offer{blitz}},
		{"casual", blitz, []config.Offer{blitz, bullet}}, // it wants casual games
		{"rated", casual, []config.Offer{casual}},
		{"later", blitz, nil},
	} {
		m := newMemory()
		m.Refused("picky", tt.to, tt.reason, start, pauses)
		for _, when := range []time.Duration{0, rememberTerms} {
			s, declined := m.Standing("picky", start.Add(when), pauses), []config.Offer(nil)
			for _, o := range []config.Offer{blitz, bullet, casual} {
				if s.Declines(o) {
					declined = append(declined, o)
				}
			}
			if want := tt.want; when == 0 && !slices.Equal(declined, want) || when > 0 && declined != nil {
				t.Errorf("%q after %s: declines %v, want %v", tt.reason, when, declined, want)
			}
		}
	}
	m := newMemory()
	m.Refused("picky", casual, "tooslow", start, pauses)
	m.Refused("picky", blitz, "tooslow", start, pauses)
	if s := m.Standing("picky", start, pauses); !s.Declines(blitz) || s.Declines(bullet) {
		t.Error("the fastest of what was too slow does not count")
	}
}

// The limit that the server reports may be ours or the opponent's.
func TestMemory_RecordLimit(t *testing.T) {
	m := newMemory()
	m.RecordLimit(errors.New("of no limit"), "rival", start)
	m.RecordLimit(&lichess.RateLimitError{RetryAfter: time.Hour}, "rival", start) // of requests
	if u := m.Usage(start); !u.ClosedUntil.IsZero() || rest(m, "rival") != 0 {
		t.Errorf("limits without one: %+v", u)
	}
	m.RecordLimit(&lichess.RateLimitError{Key: lichess.BotGamesLimit, RetryAfter: 6 * time.Hour}, "rival", start)
	m.RecordLimit(&lichess.RateLimitError{Key: lichess.BotGamesLimit, RetryAfter: time.Hour}, "rival", start)
	if u := m.Usage(start); !u.ClosedUntil.Equal(start.Add(6*time.Hour)) || rest(m, "rival") != 0 {
		t.Errorf("our limit: %+v", u)
	}
	for seconds, want := range map[lichess.Seconds]time.Duration{7200: 2 * time.Hour, 1 << 30: day} {
		m.RecordLimit(&lichess.APIError{StatusCode: 400, Limit: &lichess.Limit{Key: lichess.BotGamesLimit, Seconds: seconds}}, "rival", start)
		if got := rest(m, "rival"); got != want {
			t.Errorf("the opponent's limit of %d s: not challenged for %s, want %s", seconds, got, want)
		}
	}
}

// The second game of a pair has the other colour, and is due for a day.
func TestMemory_Pairs(t *testing.T) {
	m := newMemory()
	m.EndPair("nobody")
	m.BeginPair("partner", blitz, true, start)
	s := m.Standing("partner", start, pauses)
	if due := s.Pending; due == nil || due.White || due.Control != "180+2" || !due.Rated {
		t.Errorf("due is %+v", due)
	}
	if s := m.Standing("partner", start.Add(pairPeriod), pauses); s.Pending != nil {
		t.Error("still due after a day")
	}
	if m.EndPair("partner"); m.Standing("partner", start, pauses).Pending != nil {
		t.Error("still due after the second game")
	}
	m.BeginPair("partner", blitz, true, start)
	if m.Aborted("partner", start); m.Standing("partner", start, pauses).Pending != nil || m.Standing("partner", start, pauses).Incidents != 1 {
		t.Error("still due after an abort, or the abort is forgotten")
	}
}

// Usage has the last day, oldest first.
func TestMemory_Usage(t *testing.T) {
	m := newMemory()
	for i, ago := range []time.Duration{25 * time.Hour, 3 * time.Hour, time.Hour} {
		m.Challenged(true, start.Add(-ago))
		m.Began(fmt.Sprint(i), "rival", true, start.Add(-ago), start)
	}
	m.Began("human", "alice", false, start, start)
	m.Challenged(false, start)
	u := m.Usage(start)
	if want := []time.Time{start.Add(-3 * time.Hour), start.Add(-time.Hour)}; !slices.Equal(u.BotGames, want) {
		t.Errorf("games %v, want %v", u.BotGames, want)
	}
	if len(u.Challenges) != 2+humanCost || !u.Challenges[0].Equal(start.Add(-3*time.Hour)) {
		t.Errorf("challenges %v, want the two to bots of the day, and one to a human", u.Challenges)
	}
}

// A streak is of games with one bot and no rest between them; humans do not count.
func TestMemory_Streak(t *testing.T) {
	m := newMemory()
	play := func(opponent, title string, ago time.Duration) {
		m.Played(&record.Game{
			Summary: record.Summary{ID: fmt.Sprint(opponent, ago), Created: start.Add(-ago), Black: record.Player{Name: opponent, Title: title}},
			Board:   rules.NewGame(rules.StartPosition()),
		}, rules.White)
	}
	for _, hours := range []time.Duration{9, 2, 1} {
		play("rival", "BOT", hours*time.Hour)
	}
	play("alice", "", 90*time.Minute)
	if n, last := m.Streak("rival", 3*time.Hour); n != 2 || !last.Equal(start.Add(-time.Hour)) {
		t.Errorf("%d in a row, the last at %s", n, last)
	}
	play("other", "BOT", 30*time.Minute)
	if n, last := m.Streak("rival", 3*time.Hour); n != 0 || !last.Equal(start.Add(-time.Hour)) {
		t.Errorf("%d in a row after another's, the last at %s", n, last)
	}
	if n, last := m.Streak("stranger", 3*time.Hour); n != 0 || !last.IsZero() {
		t.Errorf("%d in a row with a stranger, the last at %s", n, last)
	}
}

// What was remembered while this machine's clock was ahead holds nobody up for longer than
// the limits themselves, once the clock is right.
func TestMemory_ClockWasAhead(t *testing.T) {
	for _, ahead := range []time.Duration{10 * time.Minute, 5 * time.Hour, 3 * day, 500 * day} {
		m, then := newMemory(), start.Add(ahead)
		for i := range 200 {
			m.Challenged(true, then)
			m.Began(fmt.Sprint(i), "rival", true, start.Add(-time.Hour), then)
		}
		for range maxAborts {
			m.Aborted("leaver", then)
		}
		m.Refused("sulker", blitz, "casual", then, pauses)
		m.BeginPair("partner", blitz, true, then)
		m.RecordLimit(&lichess.RateLimitError{Key: lichess.BotGamesLimit, RetryAfter: day}, "rival", then)
		if rest(m, "sulker")+rest(m, "leaver") > 0 || m.IsAvoided("leaver", start) {
			t.Errorf("%s ahead: an opponent is avoided", ahead)
		}
		sulker, partner := m.Standing("sulker", start, pauses), m.Standing("partner", start, pauses)
		if sulker.Declines(blitz) || partner.Pending != nil {
			t.Errorf("%s ahead: declined terms or a pair end too late", ahead)
		}
		if u := m.Usage(start); len(u.Challenges) > 0 || u.ClosedUntil.After(start.Add(day)) {
			t.Errorf("%s ahead: %d challenges count, closed until %s", ahead, len(u.Challenges), u.ClosedUntil)
		}
		m.RecordLimit(&lichess.RateLimitError{Key: lichess.BotGamesLimit, RetryAfter: time.Hour}, "rival", start)
		if u := m.Usage(start); !u.ClosedUntil.Equal(start.Add(time.Hour)) {
			t.Errorf("%s ahead: closed until %s, not as long as the server says now", ahead, u.ClosedUntil)
		}
	}
}

// Games that the server dates later than our clock count as well, but those against bots
// for no longer than a day from now.
func TestMemory_ClockIsBehind(t *testing.T) {
	m := newMemory()
	m.Began("game", "rival", true, start.Add(5*time.Hour), start)
	if n := len(m.Usage(start).BotGames); n != 1 {
		t.Errorf("%d games count, want 1", n)
	}
	m.Began("game", "rival", true, start.Add(5*time.Hour), start.Add(day-1)) // resumed
	if n := len(m.Usage(start.Add(day)).BotGames); n != 0 {
		t.Errorf("%d games count after a day", n)
	}
	for _, at := range []time.Duration{-2 * time.Hour, 5 * time.Hour, 30 * time.Hour} {
		g := played(t, "e2e4 e7e5", rules.White, rules.Draw)
		g.ID, g.Created = at.String(), start.Add(at)
		m.Played(g, rules.White)
	}
	if n := m.CountWithin(day, "rival", start); n != 2 {
		t.Errorf("%d games with an opponent count, want 2", n)
	}
}
