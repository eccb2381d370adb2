package game

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Contender is one of several engines among which games are shared out.
type Contender struct {
	Name    string        // by which [SearchLimits] and the records know it
	Weight  int           // of its share of the games; 0 for no new ones
	Network string        // name of its evaluation network, for the records
	Program func() string // see [Options]
}

// assignContender decides which contender plays the game: the one of the journal, so that
// neither a restart nor a reload changes it, or for a new game the one that its id
// points to. Since nothing else counts, a restart without a journal decides alike.
func (g *game) assignContender() {
	if g.journalState == nil {
		g.useContender(pickContender(g.Contenders, g.id))
		return
	}
	name := g.journalState.Contender
	if name == "" {
		return // it began without
	}
	i := slices.IndexFunc(g.Contenders, func(c Contender) bool { return c.Name == name })
	if i < 0 {
		g.log.Warn().Str("contender", name).Msg("contender no longer configured: engine of the settings plays on, and the record names no contender")
		return
	}
	g.useContender(&g.Contenders[i])
}

func (g *game) useContender(c *Contender) {
	if c != nil {
		g.contender, g.Network, g.Program = c.Name, c.Network, c.Program
	}
}

// pickContender picks a contender by the weights, nil if there is none. The hash of a
// game's id is as good as chance, and nobody can choose an id.
func pickContender(list []Contender, id string) *Contender {
	total := 0
	for i := range list {
		total += list[i].Weight
	}
	if total == 0 {
		return nil
	}
	sum := sha256.Sum256([]byte(id))
	n := int(binary.BigEndian.Uint64(sum[:]) % uint64(total))
	for i := range list {
		if n -= list[i].Weight; n < 0 {
			return &list[i]
		}
	}
	return nil // unreachable
}

// fullStrength reports whether the level of play is ignored: it is for casual games, as
// rated ones are to compare the contenders.
func (g *game) fullStrength() bool { return len(g.Contenders) > 0 && g.full.Rated }
