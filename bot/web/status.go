package web

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot"
)

// streams are the streams from Lichess.
type streams struct {
	alive      bool // the event stream is open
	reconnects int
}

func (s *streams) opened(e bot.StreamOpened) {
	if e.Game == "" {
		s.alive = true
	}
	if e.Reopened {
		s.reconnects++
	}
}

func (s *streams) lost(e bot.StreamLost) {
	if e.Game == "" {
		s.alive = false
	}
}

// limits are Lichess's 429s.
type limits struct {
	waits int
	until map[string]time.Time // by endpoint
}

func (l *limits) add(r Request) {
	l.waits++
	l.until[r.Endpoint] = time.Now().Add(r.Wait)
}

// closed returns the classes of requests that Lichess does not take now.
func (l *limits) closed(now time.Time) []limitPart {
	list := []limitPart{}
	for endpoint, until := range l.until {
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

// meter measures the nodes searched a second, over the last seconds.
type meter struct {
	bins [meterSeconds]uint64
	last int64 // the newest bin's second since 1970
}

const meterSeconds = 5

func (m *meter) add(now time.Time, nodes uint64) {
	m.turn(now)
	m.bins[m.last%meterSeconds] += nodes
}

// turn empties the bins of the seconds that have passed.
func (m *meter) turn(now time.Time) {
	second := now.Unix()
	for s := max(m.last+1, second-meterSeconds+1); s <= second; s++ {
		m.bins[s%meterSeconds] = 0
	}
	m.last = max(m.last, second)
}

// speed returns the nodes a second.
func (m *meter) speed(now time.Time) uint64 {
	m.turn(now)
	sum := uint64(0)
	for _, n := range m.bins {
		sum += n
	}
	return sum / meterSeconds
}

// botPart is what the page gets of the bot as a whole.
type botPart struct {
	Account    string      `json:"account"`
	Rating     int         `json:"rating"`
	Site       string      `json:"site"`
	Version    string      `json:"version"`
	Network    string      `json:"network"`
	Started    int64       `json:"started"`
	Alive      bool        `json:"alive"`
	Draining   bool        `json:"draining"`
	Rival      int64       `json:"rival,omitempty"` // when another program last took our event stream
	Max        int         `json:"max"`
	Games      int         `json:"games"`
	Bots       int         `json:"bots"`
	Reserved   int         `json:"reserved"`
	Threads    int         `json:"threads"`
	Searching  int         `json:"searching"`
	NPS        uint64      `json:"nps"`
	Reconnects int         `json:"reconnects"`
	Waits      int         `json:"waits"`
	Closed     []limitPart `json:"closed"`
}

// status returns what a viewer gets of the bot. The lock is held.
func (h *hub) status(o *Options, use bot.SlotUse) botPart {
	now := time.Now()
	searching := 0
	for _, g := range h.games {
		if g.search.on {
			searching++
		}
	}
	return botPart{
		Account: h.account, Rating: h.rating, Site: o.Site, Version: o.Version, Network: h.network,
		Started: since1970(h.started), Alive: h.streams.alive, Draining: h.draining, Rival: since1970(h.rival),
		Max: use.Max, Games: use.Games, Bots: use.Bots, Reserved: use.ReservedForHumans,
		Threads: o.Threads, Searching: searching, NPS: h.meter.speed(now),
		Reconnects: h.streams.reconnects, Waits: h.limits.waits, Closed: h.limits.closed(now),
	}
}
