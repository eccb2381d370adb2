package live

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/game"
)

// blocked returns the endpoints that must not be used now. mu is held.
func (h *hub) blocked(now time.Time) []limitPart {
	list := []limitPart{}
	for endpoint, until := range h.blockedUntil {
		if until.After(now) {
			list = append(list, limitPart{endpoint, until.UnixMilli()})
		}
	}
	slices.SortFunc(list, func(a, b limitPart) int { return int(a.Until - b.Until) })
	return list
}

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
func (h *hub) status(o *Options, use game.Use) botPart {
	now := time.Now()
	searching := 0
	for _, g := range h.boards {
		if g != nil && g.search.running {
			searching++
		}
	}
	return botPart{
		Account: h.account, Rating: h.rating, Site: o.Site, Version: o.Version, Network: h.network, Program: h.program,
		Started: unixMilli(h.started), Alive: h.connected, Draining: h.draining,
		PausedSince: unixMilli(h.pausedSince), PauseKept: h.pauseKept, SecondInstanceAt: unixMilli(h.secondInstanceAt),
		Max: use.Max, Games: use.Games, Bots: use.Bots, Reserved: use.ReservedForHumans,
		Threads: o.Threads, Searching: searching, NPS: h.nps.nps(now),
		Reconnects: h.reconnects, Waits: h.rateLimits, Blocked: h.blocked(now),
	}
}
