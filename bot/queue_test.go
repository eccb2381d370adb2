package bot

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// fill starts a bot with one slot and lets alice take it.
func (r *rig) fill(change func(*Bot)) *runningBot {
	r.t.Helper()
	r.AddHuman("alice", lichesstest.Idle())
	bot := r.start(func(b *Bot) {
		b.slots.Resize(slots.Limits{Max: 1})
		b.timing.challenges.SlotWait = patience
		change(b)
	})
	id := r.Challenge("alice", botName, withColor(blitz, "white"))
	eventually(r.t, "the slot is taken", func() bool { return slices.Equal(bot.Running(), []string{id}) })
	return bot
}

// release ends the game in the only slot.
func (r *rig) release(b *runningBot) {
	r.t.Helper()
	id := b.Running()[0]
	eventually(r.t, "the server has the game", func() bool {
		_, known := r.Game(id)
		return known
	})
	if err := r.client().Abort(r.t.Context(), id); err != nil {
		r.t.Fatal(err)
	}
}

func TestChallengeQueue_FirstCome(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddBotPlayer("robot", lichesstest.Idle())
	bot := r.fill(func(b *Bot) { b.settings().Policy.Order = challenge.FirstCome })
	first := r.Challenge("robot", botName, withColor(blitz, "white"))
	second := r.Challenge("alice", botName, withColor(blitz, "white"))
	eventually(t, "all are decided", func() bool { return r.log.messages("challenge decided") == 3 })
	for _, next := range []string{first, second} {
		r.release(bot)
		eventually(t, "the next game is on", func() bool { return slices.Equal(bot.Running(), []string{next}) })
	}
}

// TestReload_DecidesWaitingChallengesAgain changes the rules while challenges
// wait, and the number of slots.
func TestReload_DecidesWaitingChallengesAgain(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("bob", lichesstest.Idle())
	bot := r.fill(func(*Bot) {})
	fast := blitz
	fast.Limit = time.Minute
	r.Challenge("bob", botName, withColor(fast, "white"))
	good := r.Challenge("bob", botName, withColor(blitz, "white"))
	eventually(t, "all are decided", func() bool { return r.log.messages("challenge decided") == 3 })

	o := *bot.settings()
	o.Policy.Humans.Initial.Min = 2 * time.Minute
	o.Slots = slots.Limits{Max: 2}
	bot.Reload(o)
	r.declined("toofast", 1)
	eventually(t, "the other one is accepted", func() bool { return slices.Contains(bot.Running(), good) })
	if use := bot.Slots(); use.Max != 2 || use.Games != 2 {
		t.Errorf("slots %+v", use)
	}

	o.Policy.Block = []string{"bob"}
	o.Slots = slots.Limits{Max: 1}
	bot.Reload(o)
	r.Challenge("bob", botName, blitz)
	r.declined("generic", 1)
	if len(bot.Running()) != 2 {
		t.Error("a game was given up for fewer slots")
	}
}

// TestReload_Game shows that a game in play takes over what changes.
func TestReload_Game(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(6, 0))
	bot := r.start(func(b *Bot) { b.opts.Engine, b.settings().Play.Goodbye = &fakeEngine{peace: 6}, "Bye" })
	o := *bot.settings()
	o.Play.Greeting, o.Play.Goodbye = "Hello {opponent}", "See you"
	bot.Reload(o)
	id := r.Challenge("alice", botName, blitz)
	r.finished(id)
	eventually(t, "the new words are said", func() bool {
		lines, err := r.client().ChatMessages(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, line := range lines {
			said = append(said, line.Text)
		}
		return slices.Contains(said, "Hello alice") && slices.Contains(said, "See you") && !slices.Contains(said, "Bye")
	})
}

// TestChallengeQueue_GamesOfTheDay counts finished games and those in play, and a
// challenge that waits while another game begins.
func TestChallengeQueue_GamesOfTheDay(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(4, 0))
	r.AddHuman("bob", lichesstest.Idle())
	bot := r.start(func(b *Bot) { b.settings().Policy.MaxPerDay = 2 })
	for n := range 2 {
		r.finished(r.Challenge("alice", botName, blitz))
		eventually(t, "the game is remembered", func() bool { return bot.memory.CountSince("alice", time.Now().Add(-day)) == n+1 })
	}
	r.Challenge("alice", botName, blitz)
	r.declined("later", 1)
	for range 2 {
		r.Challenge("bob", botName, withColor(blitz, "white"))
	}
	eventually(t, "two games are on", func() bool { return len(bot.Running()) == 2 })
	r.Challenge("bob", botName, blitz)
	r.declined("later", 2)
	if rules := r.log.entries(func(_, message string) bool { return message == "challenge declined" }); len(rules) > 0 &&
		fmt.Sprint(rules[0]["rule"]) != "games.max_per_opponent_per_day" {
		t.Errorf("declined by %v", rules[0]["rule"])
	}
}

// TestChallengeQueue_Rematch shows that an offered rematch is a challenge like others.
func TestChallengeQueue_Rematch(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(4, 0))
	bot := r.start(func(b *Bot) { b.settings().Policy.MaxPerDay = 2 })
	r.OfferRematches("alice", 2)
	first := r.Challenge("alice", botName, blitz)
	r.finished(first)
	r.declined("later", 1) // the second rematch would be the third game
	eventually(t, "the rematch is played", func() bool { return len(r.archive.saved()) == 2 })
	games := r.archive.saved()
	if games[0].White.Name != games[1].Black.Name {
		t.Errorf("the colours are not changed: %s has White twice", games[0].White.Name)
	}
	eventually(t, "the slots are free", func() bool { return len(bot.Running()) == 0 })
}

// TestChallengeQueue_RematchThatNeverStarts frees the slot of a game that the server does
// not have after all.
func TestChallengeQueue_RematchThatNeverStarts(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", lichesstest.Idle())
	r.AddBotPlayer("robot", lichesstest.Idle())
	bot := r.start(func(b *Bot) { b.slots.Resize(slots.Limits{Max: 1}) })
	r.Faults.Refuse("game", 1<<30, 404, "No such game")
	none := r.Challenge("alice", botName, withColor(blitz, "white"))
	eventually(t, "the game is accepted", func() bool { return slices.Contains(bot.Running(), none) })
	r.Perform(none, "alice", lichesstest.Action{Abort: true})
	eventually(t, "the slot is freed", func() bool { return r.log.messages("slot freed") == 1 })
	r.Faults.Clear()
	id := r.Challenge("robot", botName, withColor(blitz, "white"))
	eventually(t, "the slot is given to another", func() bool { return slices.Contains(bot.Running(), id) })
}

// TestReload_Matchmaking turns matchmaking on while the bot runs, with a block
// list that it keeps to.
func TestReload_Matchmaking(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.partner("pocketbot", peaceful(8, 0), accept)
	r.partner("pest", peaceful(8, 0), accept)
	bot := r.start(withMatchmaking(func(m *matchmaking.Settings) { m.Enabled = false }))
	o := *bot.settings()
	o.Matchmaking.Enabled, o.Policy.Block = true, []string{"Pest"}
	bot.Reload(o)
	eventually(t, "games are archived", func() bool { return len(r.archive.saved()) >= 2 })
	if n := len(r.Challenges("pest")); n != 0 {
		t.Errorf("%d challenges to a blocked bot", n)
	}
	o.Matchmaking.Enabled = false
	bot.Reload(o)
	eventually(t, "the slots are free", func() bool { return len(bot.Running()) == 0 })
}
