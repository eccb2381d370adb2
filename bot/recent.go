package bot

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
)

// recent is what Status shows of past events that nothing else remembers. It is safe for
// concurrent use.
type recent struct {
	mu         sync.Mutex // for all that follows
	rating     int
	lost       Fault // of the event stream
	reconnects int
	recorded   int
	takeovers  map[string]Takeover
	challenges []ChallengeStatus // newest first
	ended      []event.GameEnded // newest first
}

const (
	maxEnded      = 50
	maxChallenges = 20
)

// latestRating returns our rating after the latest game.
func (r *recent) latestRating() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rating
}

// observe notes an event.
func (r *recent) observe(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := e.(type) {
	case event.LoggedIn:
		r.rating = e.Rating
	case event.RatingShown: // the change by a game may have been missed
		r.rating = e.Rating
	case event.StreamOpened:
		if e.Reopened {
			r.reconnects++
		}
		if e.Game == "" {
			r.lost = Fault{}
		}
	case event.StreamLost:
		if e.Game == "" {
			r.lost = Fault{cmp.Or(r.lost.Since, time.Now().UTC()), e.Err.Error()}
		}
	case event.Duplicate:
		stream := "game"
		if e.Game == "" {
			stream = eventsTaken
		}
		if r.takeovers == nil {
			r.takeovers = map[string]Takeover{}
		}
		r.takeovers[stream] = Takeover{time.Now().UTC(), time.Now().Add(e.RetryIn).UTC()}
	case event.ChallengeDecided:
		r.addChallenge(ChallengeStatus{
			ID: e.ID, Opponent: e.Challenger, Clock: e.Clock.String(), Rated: e.Rated,
			Accept: e.Decision.Accept, Reason: string(e.Decision.Reason), Rule: e.Decision.Rule,
		})
	case event.ChallengeSent:
		them := record.Player{Name: e.Opponent}
		if e.Bot {
			them.Title = "BOT"
		}
		r.addChallenge(ChallengeStatus{
			ID: e.ID, Opponent: them, Clock: e.Clock.String(), Rated: e.Rated, Sender: e.Sender,
		})
	case event.ChallengeClosed:
		for i := range r.challenges {
			if c := &r.challenges[i]; c.ID == e.ID {
				c.Outcome, c.Rule = e.Outcome, e.Rule
			}
		}
	case event.GameEnded:
		r.recorded++
		r.rating += e.RatingDiff // the rating in the game is that at its start
		e.Searching = false
		r.ended = slices.Insert(r.ended, 0, e)
		r.ended = r.ended[:min(len(r.ended), maxEnded)]
	}
}

// noteOffline notes why there is still no event stream.
func (b *Bot) noteOffline(err error) { b.recent.observe(event.StreamLost{Err: err}) }

// addChallenge adds a challenge in place of the oldest one that is closed or, if none is, of
// the oldest.
func (r *recent) addChallenge(c ChallengeStatus) {
	c.At = time.Now().UTC()
	r.challenges = slices.Insert(r.challenges, 0, c)
	if len(r.challenges) <= maxChallenges {
		return
	}
	drop := len(r.challenges) - 1
	for i, other := range slices.Backward(r.challenges) {
		if other.Outcome != "" {
			drop = i
			break
		}
	}
	r.challenges = slices.Delete(r.challenges, drop, drop+1)
}

// find returns a game that has ended, nil if it is none of the last. The caller holds the lock.
func (r *recent) find(id string) *event.GameView {
	for i := range r.ended {
		if r.ended[i].ID == id {
			return &r.ended[i].GameView
		}
	}
	return nil
}
