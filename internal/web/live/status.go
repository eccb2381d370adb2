package live

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
)

// blocked returns the endpoints that must not be used now, never nil. mu is held.
func (h *hub) blocked(now time.Time) []limitPart {
	list := slices.DeleteFunc(slices.Clone(h.bot.Blocked), func(l limitPart) bool { return l.Until <= now.UnixMilli() })
	slices.SortFunc(list, func(a, b limitPart) int { return int(a.Until - b.Until) })
	return append([]limitPart{}, list...)
}

// limitPart is an endpoint of Lichess that must not be used until a time.
type limitPart struct {
	Endpoint string `json:"endpoint"`
	Until    int64  `json:"until"`
}

// takenPart is when another program with our token last took over a stream, and when the bot
// opens it again.
type takenPart struct {
	At    int64 `json:"at"`
	Until int64 `json:"until"`
}

// npsMeter measures nodes per second, over the last seconds.
type npsMeter []searched

// searched is a number of nodes, and when they were reported.
type searched struct {
	at    time.Time
	nodes uint64
}

const meterSeconds = 5

func (m *npsMeter) add(now time.Time, nodes uint64) {
	m.nps(now) // forgets old ones
	*m = append(*m, searched{now, nodes})
}

// nps returns the nodes per second, and forgets what is too old to count.
func (m *npsMeter) nps(now time.Time) (sum uint64) {
	*m = slices.DeleteFunc(*m, func(s searched) bool { return now.Sub(s.at) >= meterSeconds*time.Second })
	for _, s := range *m {
		sum += s.nodes
	}
	return sum / meterSeconds
}

// botPart is the state of the bot as sent to the page.
type botPart struct {
	Account     string      `json:"account"`
	Rating      int         `json:"rating"`
	Site        string      `json:"site"`
	Version     string      `json:"version"`
	Network     string      `json:"network"`
	Program     string      `json:"program,omitempty"`
	Started     int64       `json:"started"`
	Alive       bool        `json:"alive"`
	Draining    bool        `json:"draining"`
	PausedSince int64       `json:"pausedSince,omitempty"`
	PauseKept   bool        `json:"pauseKept,omitempty"`   // the pause continues after a restart
	Analyses    bool        `json:"analyses,omitempty"`    // finished games can be analysed
	Controls    bool        `json:"controls,omitempty"`    // the page can control the bot
	EventsTaken *takenPart  `json:"eventsTaken,omitempty"` // our event stream, by another program
	GamesTaken  *takenPart  `json:"gamesTaken,omitempty"`  // the stream of a game, likewise
	Max         int         `json:"max"`
	Games       int         `json:"games"`
	Bots        int         `json:"bots"`
	Reserved    int         `json:"reserved"`
	Threads     int         `json:"threads"`
	Searching   int         `json:"searching"`
	NPS         uint64      `json:"nps"`
	Reconnects  int         `json:"reconnects"`
	Waits       int         `json:"waits"`
	Blocked     []limitPart `json:"blocked"`

	Records record.Backlog `json:"records,omitzero"`
}

// status returns the state of the bot as sent to the page. mu is held.
func (h *hub) status(use game.Use) botPart {
	now, b := time.Now(), h.bot
	for _, g := range h.boards {
		if g != nil && g.search.running {
			b.Searching++
		}
	}
	b.Max, b.Games, b.Bots, b.Reserved = use.Limits.Max, use.Games, use.Bots, use.Limits.ReservedForHumans
	b.NPS, b.Blocked = h.nps.nps(now), h.blocked(now)
	return b
}
