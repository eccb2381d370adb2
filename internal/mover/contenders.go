package mover

import (
	"cmp"
	"context"
	"fmt"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
)

// ContenderSettings returns the settings of a contender: what it does not set is as in e.
// Protocol, clock and options belong to a command, so another command does not inherit them.
func ContenderSettings(e config.Engine, k *config.Contender) config.Engine {
	if k.Network != nil {
		e.Network = *k.Network
	}
	if k.Book != nil {
		e.Book = k.Book
	}
	if k.Command != nil {
		e.Command, e.Protocol, e.Clock, e.Options = *k.Command, config.UCI, config.BotClock, nil
	}
	e.Protocol, e.Clock = cmp.Or(k.Protocol, e.Protocol), cmp.Or(k.Clock, e.Clock)
	if k.Options != nil {
		e.Options = k.Options
	}
	return e
}

// keyOf returns a key that is the same for settings that share an engine.
func keyOf(e config.Engine) string {
	if e.Command == "" {
		return e.Network
	}
	return fmt.Sprintf("%q %q %s %s %q", e.Network, e.Command, e.Protocol, e.Clock, e.Options)
}

// divide returns what each engine has of the memory for hash tables, in MiB, and what each
// program has of the threads, which all our own engines share.
func divide(e config.Engine, list []config.Contender) (hashMB, threads int) {
	engines, programs := map[string]bool{}, map[string]bool{}
	add := func(e config.Engine) {
		engines[keyOf(e)] = true
		if e.Command != "" {
			programs[keyOf(e)] = true
		}
	}
	add(e)
	for i := range list {
		add(ContenderSettings(e, &list[i]))
	}
	return max(e.HashMB/len(engines), 1), max(e.Threads/max(len(programs), 1), 1)
}

// addContenders makes a mover of each contender, given the settings of m. Contenders
// share engines that are alike, and all of ours share the threads. One without books of
// its own has those of m, which a reload may change.
func (m *Mover) addContenders(ctx context.Context, c *config.Config, e config.Engine, o Options) (err error) {
	m.contenders = map[string]*Mover{}
	list := c.Contenders
	engines := map[string]*searcher{keyOf(e): m.searcher}
	for i := range list {
		k := ContenderSettings(e, &list[i])
		found := engines[keyOf(k)]
		if found == nil {
			if found, err = m.newSearcher(ctx, c, k, m.engine, o); err != nil {
				return fmt.Errorf("contenders[%d]: %w", i, err)
			}
			engines[keyOf(k)] = found
		}
		books := m.openings
		if list[i].Book != nil {
			if books, err = newOpenings(k.Book); err != nil {
				return fmt.Errorf("contenders[%d]: %w", i, err)
			}
		}
		m.contenders[list[i].Name] = &Mover{openings: books, searcher: found}
	}
	return nil
}

// Contenders returns contenders of the settings as the bot shares games out to them.
func (m *Mover) Contenders(list []config.Contender) (out []game.Contender) {
	for _, k := range list {
		mover := m.contenders[k.Name]
		out = append(out, game.Contender{Contender: k, NetworkName: mover.Network(), ProgramName: mover.Program})
	}
	return out
}
