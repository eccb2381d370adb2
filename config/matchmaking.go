package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Matchmaking configures challenging other bots when idle.
type Matchmaking struct {
	Enabled          bool                 `key:"enabled"`
	Idle             time.Duration        `key:"idle"`
	Wait             time.Duration        `key:"wait"`
	Offers           []string             `key:"offers"`
	Rating           MatchRating          `key:"rating"`
	Hours            []string             `key:"hours"`
	GamesPerDay      int                  `key:"games_per_day"`
	GamesPerOpponent int                  `key:"games_per_opponent"`
	GamesInARow      int                  `key:"games_in_a_row"`
	Rest             time.Duration        `key:"rest"`
	Pairs            bool                 `key:"pairs"`
	Pause            Range[time.Duration] `key:"pause"`
	Arenas           Arenas               `key:"arenas"`
}

// MatchRating bounds an opponent's rating and sets the preferred difference from ours.
type MatchRating struct {
	Rating
	Target int `key:"target"`
}

// Arenas configures which tournaments to join.
type Arenas struct {
	IDs      []string `key:"ids"`
	Teams    []string `key:"teams"`
	Password Secret   `key:"password"`
}

// defaultMatchmaking stays below the 100 games a day that Lichess allows between
// bots, so that some remain for challenges from others.
func defaultMatchmaking() Matchmaking {
	return Matchmaking{
		Idle: 2 * time.Minute, Wait: 20 * time.Second,
		Offers:      []string{"3+2 rated 3", "1+1 rated 2", "5+3 rated 1"},
		Rating:      MatchRating{Rating: Rating{MaxDifference: 600}},
		GamesPerDay: 80, GamesPerOpponent: 12, GamesInARow: 4, Rest: 3 * time.Hour, Pairs: true,
		Pause: Range[time.Duration]{Min: 30 * time.Minute, Max: 30 * 24 * time.Hour},
	}
}

// Offer is a kind of game to propose, with its weight.
type Offer struct {
	Clock  lichess.Clock
	Rated  bool
	Weight int
}

// HourSpan is a part of the day, from one hour (UTC) up to, but not including, another.
type HourSpan struct{ From, To int }

// ParseOffer parses an offer such as "3+2 rated 3": the clock, the mode (rated if not
// given), and the weight (1 if not given).
func ParseOffer(text string) (Offer, error) {
	o := Offer{Rated: true, Weight: 1}
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return o, fmt.Errorf("%q is not an offer; want the form 3+2 rated 3", text)
	}
	rest := fields[1:]
	if len(rest) > 0 && slices.Contains(modes, rest[0]) {
		o.Rated, rest = rest[0] == "rated", rest[1:]
	}
	var err error
	if len(rest) > 0 {
		o.Weight, err = strconv.Atoi(rest[0])
		rest = rest[1:]
	}
	if err != nil || o.Weight < 1 || o.Weight > 1000 || len(rest) > 0 {
		return o, fmt.Errorf("%q is not an offer; want the form 3+2 rated 3, the weight from 1 to 1000", text)
	}
	o.Clock, err = lichess.ParseChallengeClock(fields[0], o.Rated)
	return o, err
}

// ParseHours reads a part of the day such as "22-6".
func ParseHours(text string) (HourSpan, error) {
	first, second, _ := strings.Cut(text, "-")
	from, err := strconv.Atoi(strings.TrimSpace(first))
	to, errTo := strconv.Atoi(strings.TrimSpace(second))
	if err != nil || errTo != nil || from < 0 || from > 23 || to < 0 || to > 24 || from == to {
		return HourSpan{}, fmt.Errorf("%q is not a part of the day; want the form 22-6, hours of UTC", text)
	}
	return HourSpan{from, to}, nil
}

// pathName matches the ids of tournaments and teams.
var pathName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// maxBotGames is how many games between bots Lichess allows in a day.
const maxBotGames = 100

func (m *Matchmaking) validate(p *problems) {
	for _, text := range m.Offers {
		if _, err := ParseOffer(text); err != nil {
			p.add("matchmaking.offers", "%v", err)
		}
	}
	for _, text := range m.Hours {
		if _, err := ParseHours(text); err != nil {
			p.add("matchmaking.hours", "%v", err)
		}
	}
	if m.Enabled && len(m.Offers) == 0 {
		p.add("matchmaking.offers", "empty; want at least one while matchmaking.enabled is true")
	}
	p.atLeast("matchmaking.games_per_day", m.GamesPerDay, 1)
	if m.GamesPerDay > maxBotGames {
		p.add("matchmaking.games_per_day", "%d is more than the %d that Lichess allows", m.GamesPerDay, maxBotGames)
	}
	p.atLeast("matchmaking.games_per_opponent", m.GamesPerOpponent, 0)
	p.atLeast("matchmaking.games_in_a_row", m.GamesInARow, 0)
	p.checkRatings("matchmaking.rating", m.Rating.Rating)
	if r := m.Rating; r.MaxDifference != 0 && max(r.Target, -r.Target) > r.MaxDifference {
		p.add("matchmaking.rating.target", "%d is beyond max_difference, %d", r.Target, r.MaxDifference)
	}
	m.validateTimes(p)
	checkIDs(p, "matchmaking.arenas.ids", m.Arenas.IDs)
	checkIDs(p, "matchmaking.arenas.teams", m.Arenas.Teams)
}

func checkIDs(p *problems, key string, ids []string) {
	for _, id := range ids {
		if !pathName.MatchString(id) {
			p.add(key, "%q is not an id; want the last part of the address on Lichess", id)
		}
	}
}

func (m *Matchmaking) validateTimes(p *problems) {
	if m.Wait < 5*time.Second || m.Wait > 10*time.Minute {
		p.add("matchmaking.wait", "%s is not within 5s and 10m", m.Wait)
	}
	if m.Pause.Min < time.Minute {
		p.add("matchmaking.pause.min", "%s is too short, want at least 1m", m.Pause.Min)
	}
	if m.Pause.Max < m.Pause.Min {
		p.add("matchmaking.pause.max", "%s is less than min, %s", m.Pause.Max, m.Pause.Min)
	}
}
