package bot

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestChallengeQueue_ChallengeWaitsForSlot(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddBotPlayer("robot", lichesstest.Idle())
		for _, name := range []string{"alice", "bob", "carol"} {
			r.AddHuman(name, lichesstest.Idle())
		}
		bot := r.start(func(b *Bot) {
			b.games.Resize(config.Games{Max: 1})
		})
		first := r.Challenge("alice", botName, withColor(blitz, "white"))
		waittest.Until(t, "the first game is in progress", func() bool { return slices.Equal(bot.Running(), []string{first}) })
		second := r.Challenge("robot", botName, withColor(blitz, "white"))
		gone := r.Challenge("bob", botName, blitz)
		third := r.Challenge("carol", botName, withColor(blitz, "white"))
		r.decided(4)
		r.Cancel(gone)

		for _, next := range []string{third, second} { // the human before the bot, though later
			r.release(bot)
			waittest.Until(t, "the next game is in progress", func() bool { return slices.Equal(bot.Running(), []string{next}) })
		}
		if n := r.countDeclined(""); n != 0 {
			t.Errorf("%d challenges declined", n)
		}
	})
}

func TestChallengeQueue_DeclinesLaterWhenNoSlotComes(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", lichesstest.Idle())
		bot := r.start(func(b *Bot) {
			b.games.Resize(config.Games{Max: 1})
		})
		r.Challenge("alice", botName, withColor(blitz, "white"))
		waittest.Until(t, "the first game is in progress", func() bool { return len(bot.Running()) == 1 })
		for _, name := range []string{"bob", "carol", "dave"} {
			r.AddHuman(name, lichesstest.Idle())
			r.Challenge(name, botName, blitz)
		}
		r.declined("later", 3)
	})
}

// fill starts a bot with one slot and lets alice take it.
func (r *rig) fill(change func(*Bot)) *runningBot {
	r.t.Helper()
	r.AddHuman("alice", lichesstest.Idle())
	bot := r.start(func(b *Bot) {
		b.games.Resize(config.Games{Max: 1})
		change(b)
	})
	id := r.Challenge("alice", botName, withColor(blitz, "white"))
	waittest.Until(r.t, "the slot is taken", func() bool { return slices.Equal(bot.Running(), []string{id}) && bot.games.HasBegun(id) })
	return bot
}

// release ends the game in the only slot.
func (r *rig) release(b *runningBot) {
	r.t.Helper()
	id := b.Running()[0]
	waittest.Until(r.t, "the server has the game", func() bool {
		_, known := r.Game(id)
		return known
	})
	if err := r.client().Abort(r.t.Context(), id); err != nil {
		r.t.Fatal(err)
	}
}

// A challenge that its challenger's next one has replaced is not answered.
func TestChallengeQueue_Replaced(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("bob", lichesstest.Idle())
		bot := r.fill(func(*Bot) {})
		r.Challenge("bob", botName, blitz)
		second := r.Challenge("bob", botName, withColor(blitz, "white"))
		r.decided(3)
		r.release(bot)
		waittest.Until(t, "the second is accepted", func() bool { return slices.Equal(bot.Running(), []string{second}) })
		synctest.Wait()
		if accepts, declines := r.requests(endpointAccept), r.requests(endpointDecline); accepts != 2 || declines != 0 {
			t.Errorf("%d accepts and %d declines sent", accepts, declines)
		}
	})
}

func TestChallengeQueue_FirstCome(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddBotPlayer("robot", lichesstest.Idle())
		bot := r.fill(func(b *Bot) { b.settings().Challenges.Order = config.FirstCome })
		first := r.Challenge("robot", botName, withColor(blitz, "white"))
		second := r.Challenge("alice", botName, withColor(blitz, "white"))
		r.decided(3)
		for _, next := range []string{first, second} {
			r.release(bot)
			waittest.Until(t, "the next game is in progress", func() bool { return slices.Equal(bot.Running(), []string{next}) })
		}
	})
}
