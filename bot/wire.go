package bot

import (
	"context"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/lichess"
)

// blocks reports whether a user is neither to be accepted nor to be challenged.
func (b *Bot) blocks(user *lichess.Player) bool {
	p := b.policy()
	return p.Blocks(user) || b.blocklist.Has(user) && !p.Allows(user)
}

// addParts adds the parts that answer challenges, find games, and play them.
func (b *Bot) addParts() {
	o := b.opts.Blocklist
	o.Settings, o.Log = b.settings, b.log
	b.blocklist = challenge.NewBlocklist(o)
	b.queue = challenge.NewQueue(challenge.Config{
		Client: b.opts.Client, Games: b.games, Opponents: b.memory,
		Policy: b.policy, IsListed: b.blocklist.Has,
		Emit: b.emit, Log: b.log,
	})
	c := matchmaking.Config{
		Client: b.opts.Client, Games: b.games, Opponents: b.memory, State: b.opts.State,
		Settings: b.matchmakingSettings, Blocks: b.blocks,
		HumanWaits: b.queue.HumanWaits, Account: b.rated, Emit: b.emit,
		Timing: &b.timing.matchmaking, Log: b.log,
	}
	b.challenger = matchmaking.NewChallenger(c)
	b.arenas = matchmaking.NewArenas(c)
	b.manager = game.NewManager(game.Options{
		Games: b.games, Client: listingClient{b.opts.Client, b.announced.check},
		Stream: func(id string) stream.Source { return stream.FromLichess(b.opts.Client, id) },
		Engine: b.opts.Engine, Contenders: b.opts.Contenders, Opponents: b.memory,
		WasCanceled: b.challenger.WasCanceled, Waiting: b.queue.Waiting, Archive: b.opts.Archive,
		Account: b.me, Settings: b.settings, Liveness: b.liveness, Reachability: b.server,
		Emit: b.emit, Timing: b.timing.games, Log: b.log, Site: b.opts.Site,
		Version: b.opts.Version, Network: b.opts.Network, Program: b.opts.Program,
	})
	b.games.SetPlay(b.manager.Run)
}

// notifyOfChanges makes what starts games check again when a slot may be free, or a user
// may be blocked.
func (b *Bot) notifyOfChanges(ctx context.Context) error {
	for {
		changed := b.games.Changed()
		b.queue.Notify()
		b.arenas.Notify()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-b.blocklist.Updated():
		}
	}
}
