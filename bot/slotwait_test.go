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
		for _, name := range []string{"bob", "carol"} {
			r.AddHuman(name, lichesstest.Idle())
		}
		bot := r.fill(func(*Bot) {})
		second := r.Challenge("robot", botName, withColor(blitz, "white"))
		gone := r.Challenge("bob", botName, blitz)
		r.Challenge("carol", botName, blitz)
		third := r.Challenge("carol", botName, withColor(blitz, "white")) // replaces the one before
		r.decided(5)
		r.Cancel(gone)

		for _, next := range []string{third, second} { // the human before the bot, though later
			r.release(bot)
			bot.plays(next)
		}
		synctest.Wait()
		r.checkRequests(endpointAccept, 3)
		r.checkRequests(endpointDecline, 0)
	})
}

func TestChallengeQueue_DeclinesLaterWhenNoSlotComes(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.fill(func(*Bot) {})
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
