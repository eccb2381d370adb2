package soak

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

const (
	// longestHang bounds how long the disk or the name servers do not answer.
	longestHang = 10 * time.Second
	// restartCost is what a kill costs until the bot plays again: one of its first calls may
	// hang in a connection that nobody answers.
	restartCost = 6 * time.Second
	// recovery is how long after a kill its cost still reduces what faults may take.
	recovery = 20 * time.Second
)

// injectFaults injects faults at random until the context ends, and counts them by name.
// Those within one turn take no more than half of the clock it began with.
func (k *soak) injectFaults(ctx context.Context) {
	faults := k.faults()
	for _, f := range faults {
		if f.Chance > 0 {
			k.server.Faults.Inject(f.Name, lichesstest.When{Chance: f.Chance})
		}
	}
	faults = slices.DeleteFunc(faults, func(f *lichesstest.Fault) bool { return f.Inject == nil || f.Needs == nameServer && k.names == nil })
	i := lichesstest.Injection{Server: k.server, Bot: app.SandboxBot, Rand: rand.New(rand.NewPCG(k.Seed, 500))} //nolint:gosec // chance, not secrets
	defer k.disk.restore()
	for len(faults) > 0 {
		if lichess.Sleep(ctx, i.Lasts+time.Duration(i.Rand.ExpFloat64()*float64(k.Every))) != nil {
			return
		}
		i.Lasts = 0
		if i.Fault = k.pick(faults, &i); i.Fault != nil {
			k.report.faults[i.Name]++
			i.Inject(&i)
		}
	}
}

// pick draws one of the faults for which there is time, by their weights; nil if there is
// none.
func (k *soak) pick(faults []*lichesstest.Fault, i *lichesstest.Injection) *lichesstest.Fault {
	budget, playing := i.Server.OutageBudget(app.SandboxBot)
	if !playing {
		i.Server.Faults.ClearNext() // all would hit the next challenge
		return nil
	}
	if time.Since(k.killed) < recovery { // the server does not know of it
		budget -= restartCost
	}
	i.Budget = budget
	var drawn *lichesstest.Fault
	total := 0
	for _, f := range faults {
		if max(f.Cost, lichesstest.ShortestFault) < budget {
			if total += f.Weight; i.Rand.IntN(total) < f.Weight {
				drawn = f
			}
		}
	}
	return drawn
}

// useToken does what another start of the bot would: its event stream ends the first one's,
// and its stream of a game the first one's of that game.
func (k *soak) useToken(i *lichesstest.Injection) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if stream, err := k.second.StreamEvents(ctx); err == nil {
		stream.Close()
	}
	if _, err := k.second.Account(ctx); err != nil { // for the same User-Agent
		return
	}
	if ids := i.Server.Playing(i.Bot); len(ids) > 0 { // one is enough
		if stream, err := k.second.StreamGame(ctx, ids[0]); err == nil {
			stream.Close()
		}
	}
}

// killChild kills the bot.
func (k *soak) killChild(i *lichesstest.Injection) {
	k.killed, i.Lasts = time.Now(), restartCost
	k.child.kill()
}

// silenceNames has no name server answer for a while in which connections have to be
// opened. A bot that starts in it would know no address.
func (k *soak) silenceNames(i *lichesstest.Injection) {
	i.Lasts = i.UpTo(longestHang)
	k.names.second.SetSilent(true)
	time.AfterFunc(i.Lasts, func() { k.names.second.SetSilent(false) })
	i.Server.Faults.Inject("cut", lichesstest.When{Next: 1 + i.Rand.IntN(3), Spare: true})
}
