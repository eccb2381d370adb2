package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/zhbot/zhbot/lichess"
)

// maxChallenge bounds a file with a challenge.
const maxChallenge = 1 << 20

var errNoChallenge = errors.New("not a challenge: want a line of Lichess's event stream, or its answer to /api/challenge/ID/show")

// ReadChallenge reads a challenge, alone or inside its event.
func ReadChallenge(in io.Reader) (*lichess.ChallengeCreated, error) {
	var message struct {
		lichess.Challenge
		OfEvent *lichess.Challenge `json:"challenge"`
		Compat  *lichess.Compat    `json:"compat"`
	}
	if err := json.NewDecoder(io.LimitReader(in, maxChallenge)).Decode(&message); err != nil {
		return nil, fmt.Errorf("%w (%w)", errNoChallenge, err)
	}
	e := &lichess.ChallengeCreated{Challenge: message.Challenge, Compat: message.Compat}
	if message.OfEvent != nil {
		e.Challenge = *message.OfEvent
	}
	c := &e.Challenge
	if c.Variant.Key == "" || c.TimeControl.Type == "" {
		return nil, errNoChallenge
	}
	if c.Speed == "" {
		c.Speed = lichess.Correspondence
		if c.TimeControl.Type == lichess.ClockControl {
			c.Speed = c.TimeControl.Clock.Speed()
		}
	}
	return e, nil
}
