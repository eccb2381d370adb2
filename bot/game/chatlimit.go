package game

import (
	"maps"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/lichess"
)

// Rate limits of chat answers: per user over all games, and per game over all
// users. Answers share a connection with resignations and claims, which must not
// wait behind them.
const (
	userAnswers = 4
	userEvery   = 15 * time.Second
	gameAnswers = 8
	gameEvery   = 8 * time.Second
	// maxBuckets is the maximum number of users, and of games, that are tracked.
	maxBuckets = 512
)

// chatLimit limits the rate of answers. It is safe for concurrent use.
type chatLimit struct {
	Now func() time.Time // the clock; [time.Now] unless a test sets it

	mu           sync.Mutex
	users, games map[string]*rate.Limiter
}

// newChatLimit returns a limit that nobody has used yet.
func newChatLimit() *chatLimit {
	return &chatLimit{Now: time.Now, users: map[string]*rate.Limiter{}, games: map[string]*rate.Limiter{}}
}

// allow reports whether a user's command in a game is answered, and counts it.
func (c *chatLimit) allow(user, game string) bool {
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	return allowFrom(c.users, user, userAnswers, userEvery, now) && allowFrom(c.games, game, gameAnswers, gameEvery, now)
}

// allowFrom takes a token from a bucket. When there are too many buckets, full ones
// are dropped; if none is full, new names are not answered.
func allowFrom(buckets map[string]*rate.Limiter, name string, burst int, every time.Duration, now time.Time) bool {
	l := buckets[name]
	if l == nil {
		if len(buckets) >= maxBuckets {
			maps.DeleteFunc(buckets, func(_ string, l *rate.Limiter) bool { return l.TokensAt(now) >= float64(burst) })
		}
		if len(buckets) >= maxBuckets {
			return false
		}
		l = rate.NewLimiter(rate.Every(every), burst)
		buckets[name] = l
	}
	return l.AllowN(now, 1)
}

// chatText normalises a text and truncates it to a line of chat.
func chatText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	units := 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > lichess.MaxChatLength {
			return text[:i]
		}
	}
	return text
}
