package live

import (
	"slices"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
)

// challenges are the latest challenges, newest first.
type challenges []challengePart

// challengePart is a challenge as sent to the page.
type challengePart struct {
	ID         string        `json:"id"`
	Challenger record.Player `json:"challenger"`
	Control    string        `json:"control"`
	Speed      string        `json:"speed"`
	Rated      bool          `json:"rated"`
	Ours       bool          `json:"ours,omitempty"` // sent by us
	By         string        `json:"by,omitempty"`   // what had it sent
	Accept     bool          `json:"accept"`
	State      string        `json:"state"` // waiting, accepted, declined, gone
	Reason     string        `json:"reason,omitempty"`
	Rule       string        `json:"rule"`
	At         int64         `json:"at"`
}

// maxChallenges is how many challenges the page shows.
const maxChallenges = 20

const statePending = "waiting"

func (c *challenges) add(e event.ChallengeDecided) {
	c.insert(challengePart{
		ID: e.ID, Challenger: e.Challenger, Control: e.Clock.String(), Speed: string(e.Speed), Rated: e.Rated,
		Accept: e.Decision.Accept, State: statePending, Reason: string(e.Decision.Reason), Rule: e.Decision.Rule, At: e.At.UnixMilli(),
	})
}

// addSent adds a challenge of ours.
func (c *challenges) addSent(e event.ChallengeSent) {
	them := record.Player{Name: e.Opponent}
	if e.Bot {
		them.Title = "BOT"
	}
	c.insert(challengePart{
		ID: e.ID, Challenger: them, Control: e.Clock.String(),
		Rated: e.Rated, Ours: true, By: string(e.Sender), State: statePending, At: e.At.UnixMilli(),
	})
}

func (c *challenges) insert(part challengePart) {
	*c = slices.Insert(*c, 0, part)
	if len(*c) > maxChallenges {
		*c = slices.Delete(*c, c.evictIndex(), c.evictIndex()+1)
	}
}

// evictIndex returns the index of the oldest challenge that is not pending, or else
// of the oldest.
func (c *challenges) evictIndex() int {
	for i := len(*c) - 1; i >= 0; i-- {
		if (*c)[i].State != statePending {
			return i
		}
	}
	return len(*c) - 1
}

func (c *challenges) resolve(e event.ChallengeClosed) {
	for i := range *c {
		if part := &(*c)[i]; part.ID == e.ID {
			part.State, part.Rule = string(e.Outcome), e.Rule
		}
	}
}
