package mover

import (
	"context"
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/config"
)

// Contender returns the settings of a contender: what it does not set is as in s. Options
// belong to a command, so another command does not inherit them.
func (s Settings) Contender(k *config.Contender) Settings {
	if k.Network != nil {
		s.Network = *k.Network
	}
	if k.Book != nil {
		s.Books = k.Book
	}
	if k.Command != nil {
		s.Command, s.Options = *k.Command, nil
	}
	if k.Options != nil {
		s.Options = k.Options
	}
	return s
}

// engineKey is the same for settings that share an engine.
type engineKey struct{ network, command, options string }

func (s *Settings) engineKey() engineKey {
	if s.Command == "" {
		return engineKey{network: s.Network}
	}
	return engineKey{s.Network, s.Command, strings.Join(s.Options, "\n")}
}

// hashShare returns what each engine has of the memory for hash tables, in MiB.
func (s Settings) hashShare(list []config.Contender) int {
	engines := map[engineKey]bool{s.engineKey(): true}
	for i := range list {
		k := s.Contender(&list[i])
		engines[k.engineKey()] = true
	}
	return max(s.HashMB/len(engines), 1)
}

// addContenders makes a mover of each contender, given the settings of p. Contenders
// share engines that are alike, and all of ours share the threads. One without books of
// its own has those of p, which a reload may change.
func (p *Mover) addContenders(ctx context.Context, list []config.Contender, s Settings) error {
	p.contenders = map[string]*Mover{}
	engines := map[engineKey]searcher{s.engineKey(): p.searcher}
	for i := range list {
		k := s.Contender(&list[i])
		found, known := engines[k.engineKey()]
		if !known {
			var err error
			if found, err = k.searcher(ctx, p.own.engine); err != nil {
				return fmt.Errorf("contenders[%d]: %w", i, err)
			}
			engines[k.engineKey()], p.searchers = found, append(p.searchers, found)
		}
		o := p.openings
		if list[i].Book != nil {
			var err error
			if o, err = newOpenings(k.Books, p.openings.explorer); err != nil {
				return fmt.Errorf("contenders[%d]: %w", i, err)
			}
		}
		p.contenders[list[i].Name] = &Mover{openings: o, searcher: found}
	}
	return nil
}

// Recorded returns the names of a contender's evaluation network and program for the
// records; the program's is that of [Mover.Program].
func (p *Mover) Recorded(contender string) (network string, program func() string) {
	k := p.contenders[contender]
	return k.Network(), k.Program
}
