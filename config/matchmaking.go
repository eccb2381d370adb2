package config

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Matchmaking configures challenging other bots when idle. The default of GamesPerDay stays
// below the 100 that Lichess allows, so that some remain for challenges from others.
type Matchmaking struct {
	Enabled          bool                 `key:"enabled"`
	Idle             time.Duration        `key:"idle" default:"2m"`
	Wait             time.Duration        `key:"wait" range:"5s..10m" default:"20s"`
	Offers           []Offer              `key:"offers" default:"3+2 rated 3, 1+1 rated 2, 5+3 rated 1"`
	Rating           MatchRating          `key:"rating" range:"min=..4000 max=0|400.." default:"max_difference=600"`
	Only             []string             `key:"only" form:"user"` // names; none means any
	Hours            []Hours              `key:"hours"`
	GamesPerDay      int                  `key:"games_per_day" range:"1..100" default:"80"`
	GamesPerOpponent int                  `key:"games_per_opponent" default:"12"`
	Pairs            bool                 `key:"pairs" default:"true"`
	Pause            Range[time.Duration] `key:"pause" range:"min=1m.." default:"min=30m max=720h"`
	Arenas           Arenas               `key:"arenas"`
}

// MatchRating bounds an opponent's rating and sets the preferred difference from ours.
type MatchRating struct {
	Rating
	Target int `key:"target" range:"-4000..4000"`
}

// Arenas configures which tournaments to join.
type Arenas struct {
	IDs      []string `key:"ids" form:"id"`
	Teams    []string `key:"teams" form:"id"`
	Password Secret   `key:"password"`
}

// Offer is a kind of game to propose to another bot.
type Offer struct {
	Clock  lichess.Clock
	Rated  bool
	Weight int // how often, relative to other offers
}

// String returns the offer in the form of [Offer.UnmarshalText].
func (o Offer) String() string {
	mode := "casual"
	if o.Rated {
		mode = "rated"
	}
	return fmt.Sprintf("%s %s %d", o.Clock, mode, o.Weight)
}

var offerForm = regexp.MustCompile(`^\s*(\S+)(?:\s+(rated|casual))?(?:\s+([1-9]\d{0,2}|1000))?\s*$`)

// UnmarshalText parses an offer such as "3+2 rated 3": the clock, the mode (rated if not
// given), and the weight (1 if not given).
func (o *Offer) UnmarshalText(text []byte) (err error) {
	parts := offerForm.FindStringSubmatch(string(text))
	if parts == nil {
		return fmt.Errorf("%q is not an offer; want the form 3+2 rated 3, the weight from 1 to 1000", text)
	}
	o.Rated = parts[2] != "casual"
	o.Weight, _ = strconv.Atoi(cmp.Or(parts[3], "1"))
	o.Clock, err = lichess.ParseChallengeClock(parts[1], o.Rated)
	return err
}

// Hours is a part of the day, from one hour (UTC) up to, but not including, another. It
// may cross midnight.
type Hours struct{ From, To int }

// Contain reports whether an hour lies in the part.
func (h Hours) Contain(hour int) bool {
	if h.From < h.To {
		return h.From <= hour && hour < h.To
	}
	return h.From <= hour || hour < h.To
}

// String returns the hours in the form of [Hours.UnmarshalText].
func (h Hours) String() string { return fmt.Sprintf("%d-%d", h.From, h.To) }

var hoursForm = regexp.MustCompile(`^\s*([01]?\d|2[0-3])\s*-\s*([01]?\d|2[0-4])\s*$`)

// UnmarshalText parses a part of the day such as "22-6".
func (h *Hours) UnmarshalText(text []byte) error {
	if hours := hoursForm.FindStringSubmatch(string(text)); hours != nil {
		h.From, _ = strconv.Atoi(hours[1])
		h.To, _ = strconv.Atoi(hours[2])
	}
	if h.From == h.To {
		return fmt.Errorf("%q is not a part of the day; want the form 22-6, hours of UTC", text)
	}
	return nil
}

func (m *Matchmaking) validate(p *problems, key string) {
	if m.Enabled && len(m.Offers) == 0 {
		p.add(key+".offers", "empty; want at least one while matchmaking.enabled is true")
	}
}

func (r *MatchRating) validate(p *problems, key string) {
	r.Range.validate(p, key)
	if r.MaxDifference != 0 && max(r.Target, -r.Target) > r.MaxDifference {
		p.add(key+".target", "%d is beyond max_difference, %d", r.Target, r.MaxDifference)
	}
}
