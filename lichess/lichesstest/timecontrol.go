package lichesstest

import (
	"cmp"
	"strconv"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// The kinds of time control.
const (
	realTime       = "clock"
	correspondence = "correspondence"
	unlimited      = "unlimited"
)

// ultraBullet is the speed that bots may not play.
const ultraBullet = "ultraBullet"

func (c *ChallengeSpec) kind() string {
	switch {
	case c.Limit > 0 || c.Increment > 0:
		return realTime
	case c.Days > 0:
		return correspondence
	}
	return unlimited
}

// speed is Lichess's speed of the time control.
func (c *ChallengeSpec) speed() string {
	if c.kind() != realTime {
		return correspondence
	}
	return string(lichess.Clock{Initial: c.Limit, Increment: c.Increment}.Speed())
}

// rateable reports whether a game of crazyhouse at this time control can be rated. Lichess
// silently makes the others casual.
func (c *ChallengeSpec) rateable() bool {
	return c.Limit > 0 && c.Limit+40*c.Increment >= 30*time.Second || c.Increment >= 2*time.Second
}

// control is the JSON of the time control in challenges.
func (c *ChallengeSpec) control() object {
	switch c.kind() {
	case realTime:
		limit, increment := int64(c.Limit.Seconds()), int64(c.Increment.Seconds())
		return object{
			"type": realTime, "limit": limit, "increment": increment,
			"show": showMinutes(limit) + "+" + strconv.FormatInt(increment, 10),
		}
	case correspondence:
		return object{"type": correspondence, "daysPerTurn": c.Days}
	}
	return object{"type": unlimited}
}

// fractions are the shown minutes of times below one, by seconds.
var fractions = map[int64]string{15: "¼", 30: "½", 45: "¾"}

func showMinutes(seconds int64) string {
	return cmp.Or(fractions[seconds], strconv.FormatFloat(float64(seconds)/60, 'g', 3, 64))
}
