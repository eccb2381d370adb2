package live

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/game"
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

// npsMeter measures nodes per second, over the last seconds.
type npsMeter struct {
	bins [meterSeconds]uint64
	last int64 // Unix second of the newest bin
}

const meterSeconds = 5

func (m *npsMeter) add(now time.Time, nodes uint64) {
	m.advance(now)
	m.bins[m.last%meterSeconds] += nodes
}

// advance clears the bins of the seconds that have passed.
func (m *npsMeter) advance(now time.Time) {
	second := now.Unix()
	for s := max(m.last+1, second-meterSeconds+1); s <= second; s++ {
		m.bins[s%meterSeconds] = 0
	}
	m.last = max(m.last, second)
}

// nps returns the nodes per second.
func (m *npsMeter) nps(now time.Time) uint64 {
	m.advance(now)
	sum := uint64(0)
	for _, n := range m.bins {
		sum += n
	}
	return sum / meterSeconds
}

// botPart is the state of the bot as sent to the page.
type botPart struct {
	Account          string      `json:"account"`
	Rating           int         `json:"rating"`
	Site             string      `json:"site"`
	Version          string      `json:"version"`
	Network          string      `json:"network"`
	Program          string      `json:"program,omitempty"`
	Started          int64       `json:"started"`
	Alive            bool        `json:"alive"`
	Draining         bool        `json:"draining"`
	PausedSince      int64       `json:"pausedSince,omitempty"`
	PauseKept        bool        `json:"pauseKept,omitempty"`        // the pause continues after a restart
	Controls         bool        `json:"controls,omitempty"`         // the page can control the bot
	SecondInstanceAt int64       `json:"secondInstanceAt,omitempty"` // when another program last took over our event stream
	Max              int         `json:"max"`
	Games            int         `json:"games"`
	Bots             int         `json:"bots"`
	Reserved         int         `json:"reserved"`
	Threads          int         `json:"threads"`
	Searching        int         `json:"searching"`
	NPS              uint64      `json:"nps"`
	Reconnects       int         `json:"reconnects"`
	Waits            int         `json:"waits"`
	Blocked          []limitPart `json:"blocked"`
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
