package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/zhbot/zhbot/bot"
)

// part is a piece of what the page shows, as JSON. A name that is no longer
// there is gone from the page.
type part struct {
	name string
	json []byte
}

// message is a part as it is sent. Value is null for one that is gone.
type message struct {
	Now   int64           `json:"now"` // the server's time
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// value is a part before it is encoded.
type value struct {
	name string
	of   any
}

// parts returns all there is to show. Only a viewer who may see all gets what
// would help an opponent.
func (p *Page) parts(all bool) ([]part, error) {
	var list []part
	for _, v := range p.values(all) {
		encoded, err := json.Marshal(v.of)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", v.name, err)
		}
		list = append(list, part{v.name, encoded})
	}
	return list, nil
}

func (p *Page) values(all bool) []value {
	use := p.slotUse()
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.slots = use.Max
	list := []value{
		{"bot", h.status(&p.opts, use)},
		{"challenges", h.challenges.part()},
		{"records", recordsPart{h.recorded, h.account}},
	}
	for seat, id := range h.seats {
		if id != "" {
			list = append(list, value{"game/" + id, h.games[id].part(id, seat, all)})
		}
	}
	return list
}

// recordsPart tells a viewer when to read the records again.
type recordsPart struct {
	Finished int    `json:"finished"`
	Account  string `json:"account"`
}

func (p *Page) slotUse() bot.SlotUse {
	if use := p.slots.Load(); use != nil {
		return (*use)()
	}
	return bot.SlotUse{}
}

// seen is what a viewer has got, by name of part.
type seen map[string][]byte

// changes returns the messages that bring a viewer up to date, and notes them.
func (s seen) changes(now time.Time, parts []part) (list []message) {
	there := map[string]bool{}
	for _, p := range parts {
		there[p.name] = true
		if !bytes.Equal(s[p.name], p.json) {
			s[p.name] = p.json
			list = append(list, message{now.UnixMilli(), p.name, p.json})
		}
	}
	for name := range s {
		if !there[name] {
			delete(s, name)
			list = append(list, message{now.UnixMilli(), name, json.RawMessage("null")})
		}
	}
	return list
}
