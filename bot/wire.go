package bot

import (
	"context"
	"time"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/lichess"
)

// blocks reports whether a user is neither to be accepted nor to be challenged.
func (b *Bot) blocks(user *lichess.Player) bool {
	return b.policy().Blocks(user) || b.blocklist.Has(user)
}

// addParts adds what answers challenges and what finds games.
func (b *Bot) addParts() {
	o := b.opts.Blocklist
	o.Settings, o.Log = b.settings, b.log
	o.OnUpdate = func() { b.queue.Notify() }
	b.blocklist = challenge.NewBlocklist(o)
	b.queue = challenge.NewQueue(challenge.Config{
		Client: b.opts.Client, Games: b.games, Opponents: b.memory,
		Policy: b.policy, IsListed: b.blocklist.Has,
		Emit: b.emit, Log: b.log,
	})
	c := matchmaking.Config{
		Client: b.opts.Client, Games: b.games, Opponents: b.memory, State: b.opts.State,
		Settings: b.matchmakingSettings, Blocks: b.blocks,
		HumanWaits: b.queue.HumanWaits, Account: b.me, Emit: b.emit,
		Timing: &b.timing.matchmaking, Log: b.log,
		Accepts: func(c *lichess.Challenge, rating int) (rule string, ok bool) {
			d := b.queue.Decide(challenge.Offer{Challenge: c, Playable: true, Rating: rating})
			return d.Rule, d.Accept
		},
	}
	b.challenger = matchmaking.NewChallenger(c)
	b.arenas = matchmaking.NewArenas(c)
}

// loadHistory reads the records of earlier runs, as far as they can be read.
func (b *Bot) loadHistory(ctx context.Context) {
	if b.opts.History == nil {
		return
	}
	if err := b.memory.Load(ctx, b.opts.History, b.me().Username, time.Now()); err != nil && ctx.Err() == nil {
		b.log.Warn().Err(err).Msg("game history not fully loaded")
	}
}

func (b *Bot) gameOptions() game.Options {
	return game.Options{
		Games: b.games, Client: listingClient{b.opts.Client, b.announced.check}, Engine: b.opts.Engine, Contenders: b.opts.Contenders, Opponents: b.memory, Challenger: b.challenger, Waiting: b.queue.Waiting,
		Stream:  func(id string) stream.Source { return stream.FromLichess(b.opts.Client, id) },
		Account: b.me, Settings: b.settings,
		Liveness: b.liveness, Reachability: b.server, Archive: b.opts.Archive, Emit: b.emit,
		Timing: b.timing.games, Log: b.log, Site: b.opts.Site, Version: b.opts.Version, Network: b.opts.Network, Program: b.opts.Program,
	}
}
