package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// part is a part of the page, sent as JSON. A part whose name no longer occurs is
// removed from the page.
type part struct {
	name  string
	value any
}

// message is a part as sent. Value is null for a part to be removed.
type message struct {
	Now   int64           `json:"now"` // server time in Unix milliseconds
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// parts returns all parts of the page, with the analysis of games in progress if all
// is true.
func (p *Page) parts(all bool) []part {
	use := p.opts.Slots()
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.maxGames = use.Max
	list := []part{
		{"bot", h.status(&p.opts, use)},
		{"challenges", slices.Clone(h.challenges)},
		{"records", recordsPart{h.recordedCount, h.account}},
	}
	for slot, g := range h.boards {
		if g != nil {
			list = append(list, part{"game/" + g.view.ID, g.part(slot, all)})
		}
	}
	return list
}

// recordsPart tells the page when to fetch the records again: when it changes.
type recordsPart struct {
	Finished int    `json:"finished"`
	Account  string `json:"account"`
}

// sentParts are the parts that were sent to a viewer, by name.
type sentParts map[string][]byte

// changes returns the messages that update a viewer, and marks them as sent.
func (s sentParts) changes(now time.Time, parts []part) (list []message, err error) {
	present := map[string]bool{}
	for _, p := range parts {
		encoded, err := json.Marshal(p.value)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", p.name, err)
		}
		present[p.name] = true
		if !bytes.Equal(s[p.name], encoded) {
			s[p.name] = encoded
			list = append(list, message{now.UnixMilli(), p.name, encoded})
		}
	}
	for name := range s {
		if !present[name] {
			delete(s, name)
			list = append(list, message{now.UnixMilli(), name, json.RawMessage("null")})
		}
	}
	return list, nil
}
