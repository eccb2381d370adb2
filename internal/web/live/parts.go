package live

import (
	"slices"

	"github.com/zhbot/zhbot/internal/web"
)

// parts returns all parts of the page, with the analysis of games in progress if all
// is true.
func (p *Page) parts(all bool) []web.Part {
	use := p.opts.Slots()
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.maxGames = use.Max
	bot := h.status(&p.opts, use)
	bot.Controls = p.hasControls()
	list := []web.Part{
		{Name: "bot", Value: bot},
		{Name: "challenges", Value: slices.Clone(h.challenges)},
		{Name: "records", Value: recordsPart{h.recordedCount, h.account}},
	}
	for slot, g := range h.boards {
		if g != nil {
			list = append(list, web.Part{Name: "game/" + g.view.ID, Value: g.part(slot, all)})
		}
	}
	return list
}

// recordsPart tells the page when to fetch the records again: when it changes.
type recordsPart struct {
	Finished int    `json:"finished"`
	Account  string `json:"account"`
}
