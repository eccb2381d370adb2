package opponent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

var pauses = config.Range[time.Duration]{Min: 30 * time.Minute, Max: 3 * day}

// offer returns a rated offer, or a casual one with another word after the clock.
func offer(words ...string) config.Offer {
	clock, _ := lichess.ParseClock(words[0])
	return config.Offer{Clock: clock, Rated: len(words) == 1}
}

// perform returns what is remembered of rival after steps, and the time by then.
func perform(t *testing.T, steps string) (m *Memory, now time.Time) {
	t.Helper()
	m, now = newMemory(), start
	for step := range strings.SplitSeq(steps, "; ") {
		words := strings.Fields(step)
		switch verb, args := words[0], words[1:]; verb {
		case "refused":
			m.Refused("rival", offer(args[1:]...), strings.ReplaceAll(args[0], "_", " "), now, pauses)
		case "aborted":
			m.Aborted("rival", now)
		case "idle":
			m.Idle("rival", now, pauses)
		case "paired":
			m.BeginPair("rival", offer(args...), true, now)
		case "second":
			m.EndPair("rival")
		case "began":
			m.Began("game", "rival", true, now, now)
		case "limit":
			var seconds lichess.Seconds
			_, _ = fmt.Sscan(args[0], &seconds)
			limit := &lichess.Limit{Key: lichess.BotGamesLimit, Seconds: seconds}
			m.RecordLimit(&lichess.APIError{StatusCode: 400, Limit: limit}, "rival", now)
		case "wait":
			d, err := time.ParseDuration(args[0])
			if now = now.Add(d); err != nil {
				t.Fatal(err)
			}
		}
	}
	return m, now
}

// describe returns what is remembered of rival: for how long it is not challenged, whether it
// is avoided, its second game of a pair, its incidents and what it declines.
func describe(m *Memory, now time.Time) string {
	var list []string
	s, rest := m.Standing("rival", now, pauses), time.Duration(0)
	for ; m.Standing("rival", now.Add(rest), pauses).Resting; rest += 30 * time.Minute {
	}
	if rest > 0 {
		list = append(list, "rests "+rest.String())
	}
	if m.IsAvoided("rival", now) {
		list = append(list, "avoided")
	}
	if due := s.Pending; due != nil {
		list = append(list, fmt.Sprintf("due %s, white %t, rated %t", due.Control, due.White, due.Rated))
	}
	if s.Incidents > 0 {
		list = append(list, fmt.Sprint(s.Incidents, " incidents"))
	}
	for _, text := range []string{"1+0", "3+2", "5+3 casual"} {
		if s.Declines(offer(strings.Fields(text)...)) {
			list = append(list, "no "+text)
		}
	}
	return strings.Join(list, "; ")
}

// The pause after a refusal depends on its reason, and doubles with each one more until a
// game begins; what was declined is not offered for a while. The second game of a pair has
// the other colour, and is due for a day. What was remembered while this machine's clock was
// ahead holds nobody up once the clock is right.
func TestMemory_Standing(t *testing.T) {
	const later = "refused later 3+2"
	const ahead = "refused casual 3+2; paired 3+2; aborted; aborted; aborted; paired 3+2; wait -"
	for steps, want := range map[string]string{
		later:                                 "rests 30m0s",
		later + "; " + later:                  "rests 1h0m0s",
		strings.Repeat(later+"; ", 3) + later: "rests 4h0m0s",
		later + "; began":                     "",
		"refused no_answer 3+2":               "rests 1h0m0s",
		"refused invented 3+2":                "rests 4h0m0s",
		"refused generic 3+2":                 "rests 4h0m0s",
		"refused nobot 3+2":                   "rests 24h0m0s",
		"refused nobot 3+2; refused nobot 3+2; refused nobot 3+2; refused nobot 3+2": "rests 72h0m0s",

		"refused toofast 3+2":                                      "rests 30m0s; no 3+2",
		"refused tooslow 3+2":                                      "rests 30m0s; no 3+2",
		"refused timecontrol 3+2":                                  "rests 30m0s; no 3+2",
		"refused casual 3+2":                                       "rests 30m0s; no 3+2",
		"refused rated 5+3 casual":                                 "rests 30m0s; no 5+3 casual",
		"refused toofast 3+2; wait 335h":                           "no 3+2",
		"refused toofast 3+2; wait 336h":                           "",
		"refused toofast 3+2; wait 336h; refused rated 5+3 casual": "rests 1h0m0s; no 5+3 casual",
		"refused tooslow 5+3 casual; refused tooslow 3+2":          "rests 1h0m0s; no 3+2; no 5+3 casual",
		"refused tooslow 3+2; refused tooslow 5+3 casual; began":   "no 3+2; no 5+3 casual",
		"refused timecontrol 3+2; refused timecontrol 1+0; began":  "no 1+0; no 3+2",

		"idle":                                "rests 4h0m0s",
		"paired 3+2; idle":                    "rests 4h0m0s",
		"refused nobot 3+2; idle":             "rests 24h0m0s",
		"refused nobot 3+2; wait 23h; idle":   "rests 4h0m0s",
		"paired 3+2":                          "due 180+2, white false, rated true",
		"paired 5+3 casual; wait 23h":         "due 300+3, white false, rated false",
		"paired 3+2; wait 24h":                "",
		"paired 3+2; second":                  "",
		"second":                              "",
		"paired 3+2; aborted":                 "1 incidents",
		"aborted; wait 167h":                  "1 incidents",
		"aborted; wait 168h":                  "",
		"aborted; aborted; aborted; wait 23h": "rests 1h0m0s; avoided; 3 incidents",
		"aborted; aborted; aborted; wait 25h": "3 incidents",

		"limit 7200":       "rests 2h0m0s",
		"limit 1":          "rests 30m0s",
		"limit 1073741824": "rests 24h0m0s",

		"wait 10m; " + ahead + "10m":       "",
		"wait 5h; " + ahead + "5h":         "",
		"wait 72h; " + ahead + "72h":       "",
		"wait 12000h; " + ahead + "12000h": "",
	} {
		if got := describe(perform(t, steps)); got != want {
			t.Errorf("%s: %q, want %q", steps, got, want)
		}
	}
}

// Usage has the last day, oldest first, and when our own limit ends, whatever was remembered
// while this machine's clock was ahead.
func TestMemory_Usage(t *testing.T) {
	m := newMemory()
	limit := func(err error, closed time.Duration) {
		t.Helper()
		m.RecordLimit(err, "rival", start)
		if u := m.Usage(start); u.ClosedUntil.IsZero() != (closed == 0) || closed > 0 &&
			!u.ClosedUntil.Equal(start.Add(closed)) {
			t.Errorf("after %v: closed until %s, want in %s", err, u.ClosedUntil, closed)
		}
	}
	reached := func(d time.Duration) error { return &lichess.RateLimitError{Key: lichess.BotGamesLimit, RetryAfter: d} }
	m.RecordLimit(reached(day), "rival", start.Add(time.Hour))
	m.Challenged(true, start.Add(time.Hour))
	limit(errors.New("of no limit"), 0)
	limit(&lichess.RateLimitError{RetryAfter: time.Hour}, 0) // of requests
	limit(reached(6*time.Hour), 6*time.Hour)
	limit(reached(time.Hour), 6*time.Hour)
	for i, ago := range []time.Duration{25 * time.Hour, 3 * time.Hour, time.Hour} {
		m.Challenged(true, start.Add(-ago))
		m.Began(fmt.Sprint(i), "rival", true, start.Add(-ago), start)
	}
	m.Began("human", "alice", false, start, start)
	m.Challenged(false, start)
	m.Began("server's clock is ahead", "rival", true, start.Add(5*time.Hour), start)
	u := m.Usage(start)
	if want := []time.Time{start.Add(-3 * time.Hour), start.Add(-time.Hour), start}; !slices.Equal(u.BotGames, want) {
		t.Errorf("games %v, want %v", u.BotGames, want)
	}
	if len(u.Challenges) != 2+humanCost || !u.Challenges[0].Equal(start.Add(-3*time.Hour)) {
		t.Errorf("challenges %v, want the two to bots of the day, and one to a human", u.Challenges)
	}
	later := start.Add(day)
	m.Began("server's clock is ahead", "rival", true, start.Add(5*time.Hour), later.Add(-1)) // resumed
	if n := len(m.Usage(later).BotGames); n != 0 {
		t.Errorf("%d games count after a day", n)
	}
}
