package web

import (
	"slices"

	"github.com/zhbot/zhbot/bot"
)

// challenges are the newest challenges, the last to come first.
type challenges []challengePart

// challengePart is what the page gets of a challenge.
type challengePart struct {
	ID         string     `json:"id"`
	Challenger playerPart `json:"challenger"`
	Control    string     `json:"control"`
	Speed      string     `json:"speed"`
	Rated      bool       `json:"rated"`
	Ours       bool       `json:"ours,omitempty"` // we challenge
	Accept     bool       `json:"accept"`
	State      string     `json:"state"` // waiting, accepted, declined, gone
	Reason     string     `json:"reason,omitempty"`
	Rule       string     `json:"rule"`
	At         int64      `json:"at"`
}

// mostChallenges is how many challenges the page shows.
const mostChallenges = 20

const waiting = "waiting"

func (c *challenges) add(e bot.ChallengeDecided) {
	c.insert(challengePart{
		ID: e.ID, Challenger: partOfPlayer(e.Challenger), Control: control(e.HasClock, e.Initial, e.Increment), Speed: e.Speed, Rated: e.Rated,
		Accept: e.Decision.Accept, State: waiting, Reason: string(e.Decision.Reason), Rule: e.Decision.Rule, At: e.At.UnixMilli(),
	})
}

// send adds a challenge of ours.
func (c *challenges) send(e bot.ChallengeSent) {
	c.insert(challengePart{
		ID: e.ID, Challenger: playerPart{Name: e.Opponent, Title: "BOT"}, Control: control(true, e.Initial, e.Increment),
		Rated: e.Rated, Ours: true, State: waiting, At: e.At.UnixMilli(),
	})
}

func (c *challenges) insert(part challengePart) {
	*c = slices.Insert(*c, 0, part)
	if len(*c) > mostChallenges {
		*c = slices.Delete(*c, c.leastWorth(), c.leastWorth()+1)
	}
}

// leastWorth returns the oldest challenge that no longer waits, or the oldest.
func (c *challenges) leastWorth() int {
	for i := len(*c) - 1; i >= 0; i-- {
		if (*c)[i].State != waiting {
			return i
		}
	}
	return len(*c) - 1
}

func (c *challenges) settle(e bot.ChallengeClosed) {
	for i := range *c {
		if part := &(*c)[i]; part.ID == e.ID {
			part.State, part.Rule = string(e.Outcome), e.Rule
		}
	}
}

// part returns what a viewer gets.
func (c challenges) part() []challengePart { return append([]challengePart{}, c...) }
