package live

import (
	"slices"

	"github.com/zhbot/zhbot/internal/web"
)

// parts returns all parts of the page, and a channel that is closed at the next change.
// The analysis of games in progress is for trusted viewers.
func (p *Page) parts(trusted bool) (list []web.Part, changed <-chan struct{}) {
	use := p.opts.Slots()
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.maxGames = use.Limits.Max
	bot := h.status(use)
	bot.Controls, bot.Analyses = p.hasControls(), trusted && p.opts.Analyse != nil
	list = []web.Part{
		{Name: "bot", Value: bot},
		{Name: "challenges", Value: slices.Clone(h.challenges)},
		{Name: "records", Value: recordsPart{h.recordedCount, bot.Account}},
	}
	for slot, g := range h.boards {
		if g != nil {
			list = append(list, web.Part{Name: "game/" + g.view.ID, Value: g.part(slot, trusted)})
		}
	}
	return list, h.changed
}

// recordsPart tells the page when to fetch the records again: when it changes.
type recordsPart struct {
	Finished int    `json:"finished"`
	Account  string `json:"account"`
}
