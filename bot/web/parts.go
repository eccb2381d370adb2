package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
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

// parts returns all parts of the page, with the analysis of games in progress if all
// is true.
func (p *Page) parts(all bool) (list []part, err error) {
	names, data := p.views(all)
	for i, name := range names {
		encoded, err := json.Marshal(data[i])
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", name, err)
		}
		list = append(list, part{name, encoded})
	}
	return list, nil
}

// views returns the names of the parts and what is to be encoded.
func (p *Page) views(all bool) (names []string, data []any) {
	use := p.opts.Slots()
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.maxGames = use.Max
	names = []string{"bot", "challenges", "records"}
	data = []any{h.status(&p.opts, use), slices.Clone(h.challenges), recordsPart{h.recordedCount, h.account}}
	for slot, g := range h.boards {
		if g != nil {
			names, data = append(names, "game/"+g.view.ID), append(data, g.part(slot, all))
		}
	}
	return names, data
}

// recordsPart tells the page when to fetch the records again: when it changes.
type recordsPart struct {
	Finished int    `json:"finished"`
	Account  string `json:"account"`
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
