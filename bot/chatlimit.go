package bot

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How often chat is answered: a user, over all games, and a game, whoever asks
// there. Answers share a connection with resignations and claims, which must not
// wait behind them.
const (
	userAnswers = 4
	userEvery   = 15 * time.Second
	gameAnswers = 8
	gameEvery   = 8 * time.Second
	// maxBuckets is how many users and games are told apart.
	maxBuckets = 512
)

// chatLimit bounds the answers in chat.
type chatLimit struct {
	now func() time.Time

	mu           sync.Mutex
	users, games map[string]*rate.Limiter
}

func newChatLimit() *chatLimit {
	return &chatLimit{now: time.Now, users: map[string]*rate.Limiter{}, games: map[string]*rate.Limiter{}}
}

// allow reports whether a user's question in a game is answered, and counts it.
func (c *chatLimit) allow(user, game string) bool {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	return allowFrom(c.users, user, userAnswers, userEvery, now) && allowFrom(c.games, game, gameAnswers, gameEvery, now)
}

// allowFrom takes an answer from the bucket of a name. Buckets that are full again are
// forgotten when there are many; if none is, nobody new is answered.
func allowFrom(buckets map[string]*rate.Limiter, name string, burst int, every time.Duration, now time.Time) bool {
	l := buckets[name]
	if l == nil {
		if len(buckets) >= maxBuckets {
			pruneFull(buckets, burst, now)
		}
		if len(buckets) >= maxBuckets {
			return false
		}
		l = rate.NewLimiter(rate.Every(every), burst)
		buckets[name] = l
	}
	return l.AllowN(now, 1)
}

func pruneFull(buckets map[string]*rate.Limiter, burst int, now time.Time) {
	for name, l := range buckets {
		if l.TokensAt(now) >= float64(burst) {
			delete(buckets, name)
		}
	}
}
