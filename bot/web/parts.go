package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/zhbot/zhbot/bot/slots"
)

// part is a part of the page as JSON. A part whose name no longer occurs is removed
// from the page.
type part struct {
	name string
	json []byte
}

// message is a part as sent. Value is null for a part to be removed.
type message struct {
	Now   int64           `json:"now"` // server time in Unix milliseconds
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// view is a part before encoding.
type view struct {
	name string
	data any
}

// parts returns all parts of the page, with the analysis of games in progress if all
// is true.
func (p *Page) parts(all bool) ([]part, error) {
	var list []part
	for _, v := range p.views(all) {
		encoded, err := json.Marshal(v.data)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", v.name, err)
		}
		list = append(list, part{v.name, encoded})
	}
	return list, nil
}

func (p *Page) views(all bool) []view {
	use := p.slotUse()
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.maxGames = use.Max
	list := []view{
		{"bot", h.status(&p.opts, use)},
		{"challenges", h.challenges.part()},
		{"records", recordsPart{h.recordedCount, h.account}},
	}
	for slot, id := range h.boardSlots {
		if id != "" {
			list = append(list, view{"game/" + id, h.games[id].part(id, slot, all)})
		}
	}
	return list
}

// recordsPart tells the page when to fetch the records again: when it changes.
type recordsPart struct {
	Finished int    `json:"finished"`
	Account  string `json:"account"`
}

func (p *Page) slotUse() slots.Use {
	if use := p.slots.Load(); use != nil {
		return (*use)()
	}
	return slots.Use{}
}

// sentParts are the parts that were sent to a viewer, by name.
type sentParts map[string][]byte

// changes returns the messages that update a viewer, and marks them as sent.
func (s sentParts) changes(now time.Time, parts []part) (list []message) {
	present := map[string]bool{}
	for _, p := range parts {
		present[p.name] = true
		if !bytes.Equal(s[p.name], p.json) {
			s[p.name] = p.json
			list = append(list, message{now.UnixMilli(), p.name, p.json})
		}
	}
	for name := range s {
		if !present[name] {
			delete(s, name)
			list = append(list, message{now.UnixMilli(), name, json.RawMessage("null")})
		}
	}
	return list
}
