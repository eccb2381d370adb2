package lichess

import (
	"context"
	"time"

	"golang.org/x/sync/singleflight"
)

// GameList is the list of the account's games in progress. Callers share it, and must not
// modify it.
type GameList struct {
	Games       []Game    `json:"nowPlaying"` // the most urgent first; one whose entry cannot be read has no id
	RequestedAt time.Time `json:"-"`          // what has begun or ended since may not show
	Complete    bool      `json:"-"`          // there were no other games
}

// Find returns a game of the list, nil if the list lacks it.
func (l *GameList) Find(id string) *Game {
	for i := range l.Games {
		if l.Games[i].ID == id {
			return &l.Games[i]
		}
	}
	return nil
}

// shareList requests the list of games in progress. One request is in flight at a time. Callers that
// arrive meanwhile share the next one: the answer to the one in flight may predate their call. Each
// request uses a new connection, because the list is what tells whether a move on a lost connection
// arrived.
func (c *Client) shareList(ctx context.Context, r request) error {
	shared := c.lists.DoChan("", func() (any, error) {
		c.listing <- struct{}{}
		c.lists.Forget("") // who asks from now on gets the next one
		l := &GameList{RequestedAt: time.Now()}
		own := r
		own.into, own.list = l, nil
		err := c.send(c.closing, c.fresh, own) // until Close
		<-c.listing
		l.Complete = err == nil && l.Games != nil && len(l.Games) < MaxPlaying && l.Find("") == nil
		return l, err
	})
	answers := make(chan singleflight.Result, 1)
	c.onWire.Go(func() { answers <- <-shared })
	select {
	case answer := <-answers:
		*r.list = *answer.Val.(*GameList)
		return answer.Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
