package bot

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
)

// Overrides are the operator's changes to the settings, which last until the program ends.
// A pause is not among them: see pause. They are safe for concurrent use.
type Overrides struct {
	mu          sync.Mutex
	matchmaking *bool // nil if the settings decide
	arenas      []string
}

// apply changes settings of matchmaking.
func (o *Overrides) apply(s *config.Matchmaking) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.matchmaking != nil {
		s.Enabled = *o.matchmaking
	}
	if len(o.arenas) > 0 {
		s.Arenas.IDs = slices.Concat(s.Arenas.IDs, o.arenas)
	}
}

// change changes the overrides.
func (o *Overrides) change(do func(*Overrides)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	do(o)
}

// pause owns the operator's pause, which is in the state file. While it lasts, challenges
// are declined and none are sent.
type pause struct{ state *record.StateFile }

// current returns the current pause, nil if there is none.
func (p pause) current() (current *record.Pause) {
	p.state.View(func(d *record.State) {
		if d.Pause != nil {
			current = new(*d.Pause)
		}
	})
	return current
}

// begin begins a pause, or changes the current one: keep makes it last over a restart. With
// an error, it lasts until the program ends.
func (p pause) begin(keep bool) (begun record.Pause, err error) {
	stored := p.state.IsStored()
	err = p.state.Update(func(d *record.State) {
		if d.Pause == nil {
			d.Pause = &record.Pause{Since: time.Now().UTC().Truncate(time.Second)}
		}
		d.Pause.Keep = d.Pause.Keep || keep && stored
		begun = *d.Pause
	})
	switch {
	case !keep:
		return begun, nil
	case !stored:
		err = errNotStored
	}
	if err != nil {
		err = fmt.Errorf("paused, but only until the program ends: %w", err)
	}
	return begun, err
}

// errNotStored means that nothing is remembered after the end of the program.
var errNotStored = errors.New("there is no state file: records.dir is not set, or its state.json cannot be read")

// end ends the pause, and reports whether there was one.
func (p pause) end() (paused bool, err error) {
	err = p.state.Update(func(d *record.State) {
		paused = d.Pause != nil
		d.Pause = nil
	})
	if err != nil {
		err = fmt.Errorf("resumed, but a restart may pause again: %w", err)
	}
	return paused, err
}

// policy is what decides on challenges now.
func (b *Bot) policy() *challenge.Policy {
	p := challenge.NewPolicy(b.settings())
	p.Paused = b.pause.current() != nil
	return p
}

// matchmakingSettings are what matchmaking keeps to now.
func (b *Bot) matchmakingSettings() *config.Matchmaking {
	s := b.settings().Matchmaking
	b.opts.Overrides.apply(&s)
	if b.pause.current() != nil {
		s.Enabled, s.Arenas = false, config.Arenas{}
	}
	return &s
}

// notifyAll has everything that starts games look at the settings again.
func (b *Bot) notifyAll() {
	b.queue.Notify()
	b.challenger.Notify()
	b.arenas.Notify()
}

// reportPause reports a pause from an earlier run.
func (b *Bot) reportPause() {
	if p := b.pause.current(); p != nil {
		b.log.Warn().Time("since", p.Since).Msg("paused: challenges are declined and none are sent until \"zhbot ctl resume\"")
		b.emit(event.Paused{Since: p.Since, Keep: p.Keep})
	}
}
