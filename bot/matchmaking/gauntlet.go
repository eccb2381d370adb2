package matchmaking

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules/pgn"
)

// A gauntlet is a match against each of several bots, in pairs of games with colours
// reversed, within the limits of matchmaking but its ratings. Only its terms are stored: how
// far it is follows from the games, so that after a crash none is missing and none played
// twice.

// GauntletMatch is the match against one opponent.
type GauntletMatch struct {
	record.Tally
	Opponent string `json:"opponent"`
	Begun    int    `json:"begun"` // games, those in progress included
}

// BeginGauntlet begins a gauntlet, which replaces another one, once all users are known to be
// bots that may be challenged.
func (c *Challenger) BeginGauntlet(ctx context.Context, g record.Gauntlet) error {
	for i, name := range g.Opponents {
		user, err := c.findUser(ctx, name)
		switch {
		case err != nil:
		case !user.IsBot():
			err = errors.New("no bot, and only bots can be in a gauntlet")
		case c.cfg.Blocks(&lichess.Player{ID: user.ID, Name: user.Name}):
			err = errors.New("blocked: the bot never challenges it")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		g.Opponents[i] = user.Name
	}
	return c.setGauntlet(&g)
}

// EndGauntlet ends the gauntlet, and reports whether there was one. A game in progress goes on.
func (c *Challenger) EndGauntlet() (ended bool, err error) {
	ended = c.Gauntlet() != nil
	return ended, c.setGauntlet(nil)
}

func (c *Challenger) setGauntlet(g *record.Gauntlet) error {
	err := c.cfg.State.UpdateDurably(func(s *record.State) { s.Gauntlet = g })
	c.Notify()
	if err != nil {
		return fmt.Errorf("done, but %w", err)
	}
	return nil
}

// Gauntlet returns the terms of the current gauntlet, or of the last one if it is over, nil
// without one.
func (c *Challenger) Gauntlet() (g *record.Gauntlet) {
	c.cfg.State.View(func(s *record.State) { g = s.Gauntlet })
	return g
}

// CurrentGauntlet returns the terms of the gauntlet that is in progress, nil without one.
func CurrentGauntlet(file *record.StateFile) (current *record.Gauntlet) {
	file.View(func(s *record.State) {
		if g := s.Gauntlet; g != nil && !g.Over {
			current = g
		}
	})
	return current
}

// GauntletMatches returns how the matches of a gauntlet stand.
func (c *Challenger) GauntletMatches(g *record.Gauntlet) (matches []GauntletMatch) {
	for _, name := range g.Opponents {
		t, white, black := c.cfg.Opponents.Match(strings.ToLower(name), g)
		matches = append(matches, GauntletMatch{t, name, white + black})
	}
	return matches
}

// endIfOver ends a gauntlet all of whose games have been played.
func (c *Challenger) endIfOver() {
	g := CurrentGauntlet(c.cfg.State)
	if g == nil {
		return
	}
	matches := c.GauntletMatches(g)
	for _, m := range matches {
		if m.Games() < 2*g.Pairs {
			return
		}
	}
	over := *g
	over.Over = true
	for _, m := range matches {
		c.cfg.Log.Info().Str("opponent", m.Opponent).Int("won", m.Won).Int("drawn", m.Drawn).Int("lost", m.Lost).
			Msg("gauntlet is over")
	}
	err := c.cfg.State.Update(func(s *record.State) {
		if s.Gauntlet == g { // the operator has not replaced it meanwhile
			s.Gauntlet = &over
		}
	})
	if err != nil {
		c.cfg.Log.Warn().Err(err).Msg("end of the gauntlet not stored")
	}
	c.Notify()
}

// proposeGauntlet appends the next game against an opponent of the gauntlet: the second of a
// pair first, and else where the fewest games have begun.
func (p *planner) proposeGauntlet(list []proposal, n proposal) []proposal {
	g := p.gauntlet
	_, white, black := p.memory.Match(n.opponent, g)
	if white+black >= 2*g.Pairs {
		return list
	}
	n.offer = config.Offer{Clock: g.Clock(), Rated: g.Rated}
	n.white, n.share = p.random.IntN(2) == 0, float64(white+black+1)
	if white != black {
		n.white, n.second, n.share = white < black, true, 0
	}
	return append(list, n)
}

// isOpponent reports whether the plan may challenge a user, by name.
func (p *planner) isOpponent(id string) bool {
	only := p.settings.Only
	if p.gauntlet != nil {
		only = p.gauntlet.Opponents
	}
	for _, name := range only {
		if strings.EqualFold(name, id) {
			return true
		}
	}
	return len(only) == 0
}

// NewGauntlet returns the terms of a gauntlet that begins now.
func NewGauntlet(opponents []string, clock lichess.Clock, rated bool, pairs int) record.Gauntlet {
	return record.Gauntlet{
		Opponents: opponents, Control: pgn.TimeControl(clock).String(), Rated: rated, Pairs: pairs,
		Since: time.Now().UTC().Truncate(time.Second),
	}
}
