package bot

import (
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/slots"
)

// emit reports an event to the observer, if there is one.
func (b *Bot) emit(e event.Event) { event.Notify(b.opts.Observe, e, b.log) }

// Slots returns the current use of the slots.
func (b *Bot) Slots() slots.Use { return b.slots.Use() }
