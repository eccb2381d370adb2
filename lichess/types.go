package lichess

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// Crazyhouse is the key of the variant.
const Crazyhouse = "crazyhouse"

// titleBot is the title of a BOT account.
const titleBot = "BOT"

// Color is a side, or "random" in a challenge.
type Color string

// The colours of sides and challenges.
const (
	White       Color = "white"
	Black       Color = "black"
	RandomColor Color = "random"
)

// Speed is the class of a time control: see [Clock.Speed].
type Speed string

// The speeds, fastest first. Bots may not play UltraBullet.
const (
	UltraBullet    Speed = "ultraBullet"
	Bullet         Speed = "bullet"
	Blitz          Speed = "blitz"
	Rapid          Speed = "rapid"
	Classical      Speed = "classical"
	Correspondence Speed = "correspondence"
)

// Speeds returns the speeds, fastest first.
func Speeds() []Speed {
	return []Speed{UltraBullet, Bullet, Blitz, Rapid, Classical, Correspondence}
}

// Variant identifies the rules of a game.
type Variant struct {
	Key   string `json:"key"` // "" if unknown
	Name  string `json:"name"`
	Short string `json:"short"`
}

// IsOther reports whether it is known to be another variant than crazyhouse.
func (v Variant) IsOther() bool { return v.Key != "" && v.Key != Crazyhouse }

// UnmarshalJSON decodes a variant, or the key of one.
func (v *Variant) UnmarshalJSON(b []byte) error {
	type plain Variant
	if json.Unmarshal(b, &v.Key) != nil {
		_ = unmarshal(b, (*plain)(v)) // unknown
	}
	return nil
}

// Compat tells which APIs may play a game.
type Compat struct {
	Bot   bool `json:"bot"` // also if unknown
	Board bool `json:"board"`
}

// UnmarshalJSON decodes what the server tells.
func (c *Compat) UnmarshalJSON(b []byte) error {
	type plain Compat
	c.Bot = true
	_ = unmarshal(b, (*plain)(c))
	return nil
}

// Player is a player of a challenge or of a streamed game. For Lichess's own
// computer only AILevel is set; for an anonymous player nothing.
type Player struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Rating      int    `json:"rating"`
	Provisional bool   `json:"provisional"`
	Online      bool   `json:"online"`
	AILevel     int    `json:"aiLevel"`
}

// IsBot reports whether the player has a BOT account.
func (p *Player) IsBot() bool { return p != nil && p.Title == titleBot }

// Status is the status of a game. Lichess sends it as a name, as an object or
// (rarely) as a number; all three are accepted.
type Status string

// The statuses of a game.
const (
	StatusCreated              Status = "created"
	StatusStarted              Status = "started"
	StatusAborted              Status = "aborted"
	StatusMate                 Status = "mate"
	StatusResign               Status = "resign"
	StatusStalemate            Status = "stalemate"
	StatusTimeout              Status = "timeout" // a player left
	StatusDraw                 Status = "draw"
	StatusOutOfTime            Status = "outoftime"
	StatusCheat                Status = "cheat"
	StatusNoStart              Status = "noStart"
	StatusUnknownFinish        Status = "unknownFinish"
	StatusInsufficientMaterial Status = "insufficientMaterialClaim"
	StatusVariantEnd           Status = "variantEnd"
)

// InProgress reports whether the game has certainly not ended.
func (s Status) InProgress() bool { return s == StatusCreated || s == StatusStarted }

// Over reports whether the game has certainly ended.
func (s Status) Over() bool {
	for _, known := range statusByID {
		if s == known {
			return !s.InProgress()
		}
	}
	return false
}

// IsUnknown reports whether the status is none of those above, or missing: the game may have
// ended.
func (s Status) IsUnknown() bool { return !s.InProgress() && !s.Over() }

// statusByID maps the numbers of Lichess.
var statusByID = map[int]Status{
	10: StatusCreated, 20: StatusStarted, 25: StatusAborted, 30: StatusMate,
	31: StatusResign, 32: StatusStalemate, 33: StatusTimeout, 34: StatusDraw,
	35: StatusOutOfTime, 36: StatusCheat, 37: StatusNoStart,
	38: StatusUnknownFinish, 39: StatusInsufficientMaterial, 60: StatusVariantEnd,
}

// UnmarshalJSON decodes a name, a number, or an object with either. Anything else is "".
func (s *Status) UnmarshalJSON(b []byte) error {
	var status struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	if json.Unmarshal(b, &status.Name) != nil && json.Unmarshal(b, &status.ID) != nil {
		_ = unmarshal(b, &status) // unknown
	}
	if *s = cmp.Or(Status(status.Name), statusByID[status.ID]); *s == "" && status.ID != 0 {
		*s = Status(strconv.Itoa(status.ID)) // an unknown number is its own name
	}
	return nil
}

// Millis is a duration or a Unix time in milliseconds, the unit of game streams.
type Millis int64

// Duration converts to a time.Duration, saturating on overflow.
func (m Millis) Duration() time.Duration { return scale(int64(m), time.Millisecond) }

// IsClock reports whether a running clock can show it. Lichess sends the greatest int32 for a
// game without a clock.
func (m Millis) IsClock() bool { return m > 0 && m < math.MaxInt32 }

// Seconds is a duration in seconds, the unit of challenges.
type Seconds int64

// Duration converts to a time.Duration, saturating on overflow.
func (s Seconds) Duration() time.Duration { return scale(int64(s), time.Second) }

// scale multiplies with saturation: the number comes from the network.
func scale(n int64, unit time.Duration) time.Duration {
	limit := int64(math.MaxInt64) / int64(unit)
	return time.Duration(min(max(n, -limit), limit)) * unit
}
