package bot

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

const (
	// muteTimeout is how long an event stream may fail to announce a game in progress, or bring
	// something other than JSON, before it is closed.
	muteTimeout = 10 * time.Second
	// maxMuteTimeout bounds the timeout for announcements, which doubles each time: Lichess may
	// never announce some game.
	maxMuteTimeout = 80 * time.Second
)

// announcements finds out whether the open event stream is mute: it must announce each game
// in a list that was requested after it was opened. It is safe for concurrent use.
type announcements struct {
	mu       sync.Mutex
	end      context.CancelCauseFunc // of the open stream; nil if none is, or it is mute
	openedAt time.Time
	games    map[string]time.Time // when they were announced, by id
	timeout  time.Duration        // of the next missing announcement
}

// open starts to watch a newly opened stream, which end closes. A nil end means that no stream is
// open.
func (a *announcements) open(end context.CancelCauseFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end, a.openedAt, a.games, a.timeout = end, time.Now(), map[string]time.Time{}, max(a.timeout, muteTimeout)
}

// add adds a game that the stream has announced.
func (a *announcements) add(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.games[id] = time.Now()
}

// missing returns a listed game that was not announced, "" for none. The caller holds the
// lock.
func (a *announcements) missing(listed []string) string {
	if i := slices.IndexFunc(listed, func(id string) bool { return a.games[id].IsZero() }); i >= 0 {
		return listed[i]
	}
	return ""
}

// check compares the announcements with a list of the games in progress.
func (a *announcements) check(list *lichess.GameList) {
	var listed []string
	for _, g := range list.Games {
		if g.ID != "" { // else it cannot be read
			listed = append(listed, g.ID)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.end == nil || !list.RequestedAt.After(a.openedAt) {
		return
	}
	if list.Complete { // games that are over are forgotten
		maps.DeleteFunc(a.games, func(id string, at time.Time) bool {
			return at.Before(list.RequestedAt) && !slices.Contains(listed, id)
		})
	}
	if a.missing(listed) == "" {
		a.timeout = muteTimeout
		return
	}
	opened := a.openedAt
	time.AfterFunc(a.timeout, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if id := a.missing(listed); a.end != nil && a.openedAt.Equal(opened) && id != "" {
			a.end(fmt.Errorf("%w: it does not announce game %s", errSilent, id))
			a.end, a.timeout = nil, min(2*a.timeout, maxMuteTimeout)
		}
	})
}

// listingClient passes each list of the games in progress to a function.
type listingClient struct {
	*lichess.Client
	listed func(*lichess.GameList)
}

// Playing returns the list of games in progress.
func (c listingClient) Playing(ctx context.Context) (*lichess.GameList, error) {
	list, err := c.Client.Playing(ctx)
	if err == nil {
		c.listed(list)
	}
	return list, err
}
