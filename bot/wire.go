package bot

import (
	"context"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/lichess"
)

// gameStarter lets others start games.
type gameStarter struct{ bot *Bot }

func (s gameStarter) Go(f func())                         { s.bot.games.Go(f) }
func (s gameStarter) Play(ctx context.Context, id string) { s.bot.play(ctx, id, nil) }
func (s gameStarter) RequestSync()                        { s.bot.requestSync() }

func (b *Bot) newChallengeQueue() *challenge.Queue {
	return challenge.NewQueue(challenge.Config{
		Client: b.opts.Client, Games: gameStarter{b}, Opponents: b.memory, Slots: b.slots,
		Policy: func() *challenge.Policy { return &b.settings().Policy }, IsListed: b.blocklist.Has,
		Emit: b.emit, Draining: b.draining, Timing: &b.timing.challenges, Log: b.log,
	})
}

func (b *Bot) blocklistFollower() *challenge.Follower {
	return &challenge.Follower{
		List: b.blocklist, Source: func() challenge.BlockSource { return b.settings().Blocklist },
		Changed: b.blocklistChanged, OnUpdate: b.queue.Notify, Retry: &b.timing.blocklistRetry, Log: b.log,
	}
}

// blocks reports whether a user is neither to be accepted nor to be challenged.
func (b *Bot) blocks(user *lichess.Player) bool {
	return b.settings().Policy.Blocks(user) || b.blocklist.Has(user)
}
