package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// Pause declines new challenges and looks for no games until Resume; with keep, also after
// a restart. It cancels our open challenges.
func (b *Bot) Pause(ctx context.Context, keep bool) (record.Pause, []matchmaking.Canceled, error) {
	p, unkept := b.pause.begin(keep)
	b.notifyAll()
	canceled, err := b.CancelChallenges(ctx)
	if err != nil {
		err = fmt.Errorf("paused, but some of our challenges are still open: %w", err)
	}
	return p, canceled, errors.Join(unkept, err)
}

// Resume ends a pause, and reports whether there was one.
func (b *Bot) Resume() (paused bool, err error) {
	paused, err = b.pause.end()
	b.notifyAll()
	return paused, err
}

// Challenge challenges a user and waits for the answer. It fails until the bot has logged in.
func (b *Bot) Challenge(ctx context.Context, user string, r lichess.ChallengeRequest) (matchmaking.Answer, error) {
	if b.me() == nil {
		return matchmaking.Answer{}, errNotReady
	}
	return b.challenger.Challenge(ctx, user, r)
}

// Rematch challenges the opponent of the last game with a clock to another one, with colours
// reversed, and waits for the answer. It fails when no such game has ended since the start.
func (b *Bot) Rematch(ctx context.Context) (user string, a matchmaking.Answer, err error) {
	last := b.lastGame.Load()
	if last == nil {
		return "", a, errors.New("no game with a clock has ended since the program started")
	}
	user = last.Opponent().Name
	a, err = b.Challenge(ctx, user, lichess.ChallengeRequest{Clock: last.Clock, Rated: last.Rated,
		Color: lichess.Color(last.Us.Other().String())})
	return user, a, err
}

// errNotReady means that Lichess has not been reached yet.
var errNotReady = errors.New("the bot has not logged in yet; try again")

// CancelChallenges cancels our challenges that nobody has answered.
func (b *Bot) CancelChallenges(ctx context.Context) ([]matchmaking.Canceled, error) {
	return b.challenger.Withdraw(ctx, "")
}

// SetMatchmaking turns matchmaking on or off, whatever the settings say.
func (b *Bot) SetMatchmaking(on bool) {
	b.opts.Overrides.change(func(o *Overrides) { o.matchmaking = &on })
	b.challenger.Notify()
}

// SetUser moves a user to one of the operator's lists, "" for none, and returns the
// previous one. Blocking a user cancels our open challenges to them.
func (b *Bot) SetUser(ctx context.Context, user string, list record.UserList) (was record.UserList,
	canceled []matchmaking.Canceled, err error) {
	if was, err = b.opts.Users.Set(user, list); err != nil {
		err = fmt.Errorf("done, but %w", err)
	}
	b.queue.Notify()
	them := &lichess.Player{ID: user}
	switch {
	case list == record.Blocked:
		var open error
		canceled, open = b.challenger.Withdraw(ctx, user)
		err = errors.Join(err, open)
	case b.policy().Blocks(them):
		err = errors.Join(err, fmt.Errorf("%s is still blocked: remove it from challenges.block in the configuration",
			user))
	case list == "" && b.blocklist.Has(them):
		err = errors.Join(err, fmt.Errorf(
			"%s is still blocked by a list of challenges.block_url, which \"allow\" overrides", user))
	}
	return was, canceled, err
}

// BeginGauntlet begins a gauntlet, which replaces another one. It fails until the bot has logged in.
func (b *Bot) BeginGauntlet(ctx context.Context, g record.Gauntlet) error {
	if b.me() == nil {
		return errNotReady
	}
	return b.challenger.BeginGauntlet(ctx, g)
}

// EndGauntlet ends the gauntlet, and reports whether there was one.
func (b *Bot) EndGauntlet() (ended bool, err error) { return b.challenger.EndGauntlet() }

// JoinArena joins an arena and returns its state so far. It fails until the bot has logged in, and
// during a pause.
func (b *Bot) JoinArena(ctx context.Context, id string) (matchmaking.Arena, error) {
	switch {
	case b.me() == nil:
		return matchmaking.Arena{}, errNotReady
	case b.pause.current() != nil:
		return matchmaking.Arena{}, errors.New("paused: resume first")
	}
	switch _, err := b.opts.Client.Arena(ctx, id); {
	case errors.Is(err, lichess.ErrNotFound):
		return matchmaking.Arena{}, fmt.Errorf("there is no arena %s on Lichess: want the last part of its address", id)
	case err != nil:
		return matchmaking.Arena{}, err
	}
	b.opts.Overrides.change(func(o *Overrides) {
		if !slices.Contains(o.arenas, id) {
			o.arenas = append(o.arenas, id)
		}
	})
	e, err := b.arenas.Join(ctx, id)
	if err != nil {
		b.forgetArena(id)
		return matchmaking.Arena{}, fmt.Errorf("arena %s: %w", id, err)
	}
	return e, nil
}

// forgetArena removes an arena from those that the operator has joined.
func (b *Bot) forgetArena(id string) {
	b.opts.Overrides.change(func(o *Overrides) {
		o.arenas = slices.DeleteFunc(o.arenas, func(other string) bool { return other == id })
	})
	b.arenas.Notify()
}

// LeaveArena leaves an arena, whoever wanted it, and returns its name. The bot stays away from it
// until JoinArena. It fails until the bot has logged in.
func (b *Bot) LeaveArena(ctx context.Context, id string) (name string, err error) {
	if b.me() == nil {
		return "", errNotReady
	}
	name, err = b.arenas.Leave(ctx, id)
	b.forgetArena(id)
	if err != nil {
		return "", fmt.Errorf("arena %s: %w", id, err)
	}
	return name, nil
}

// Command executes a command in a game, and waits for the server's answer.
func (b *Bot) Command(ctx context.Context, id string, c game.Command) error {
	return b.games.Command(ctx, id, c)
}

// Overrides are the operator's changes to the settings, which last until the program ends.
// A pause is not among them: see pause. They are safe for concurrent use.
type Overrides struct {
	mu          sync.Mutex
	matchmaking *bool // nil if the settings decide
	arenas      []string
}

// apply changes settings of matchmaking.
func (o *Overrides) apply(s *config.Matchmaking) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.matchmaking != nil {
		s.Enabled = *o.matchmaking
	}
	if len(o.arenas) > 0 {
		s.Arenas.IDs = slices.Concat(s.Arenas.IDs, o.arenas)
	}
}

// change changes the overrides.
func (o *Overrides) change(do func(*Overrides)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	do(o)
}

// pause owns the operator's pause, which is in the state file. While it lasts, challenges
// are declined and none are sent.
type pause struct{ state *record.StateFile }

// current returns the current pause, nil if there is none.
func (p pause) current() (current *record.Pause) {
	p.state.View(func(d *record.State) {
		if d.Pause != nil {
			current = new(*d.Pause)
		}
	})
	return current
}

// begin begins a pause, or changes the current one: keep makes it last over a restart. With
// an error, it lasts until the program ends.
func (p pause) begin(keep bool) (begun record.Pause, err error) {
	err = p.state.UpdateDurably(func(d *record.State) {
		if d.Pause == nil {
			d.Pause = &record.Pause{Since: time.Now().UTC().Truncate(time.Second)}
		}
		d.Pause.Keep = d.Pause.Keep || keep && p.state.IsStored()
		begun = *d.Pause
	})
	if keep && err != nil {
		return begun, fmt.Errorf("paused, but %w", err)
	}
	return begun, nil
}

// end ends the pause, and reports whether there was one.
func (p pause) end() (paused bool, err error) {
	err = p.state.Update(func(d *record.State) {
		paused = d.Pause != nil
		d.Pause = nil
	})
	if err != nil {
		err = fmt.Errorf("resumed, but a restart may pause again: %w", err)
	}
	return paused, err
}

// policy is what decides on challenges now.
func (b *Bot) policy() *challenge.Policy {
	p := challenge.NewPolicy(b.settings())
	p.Paused, p.Users = b.pause.current() != nil, b.opts.Users.Users()
	return p
}

// matchmakingSettings returns the settings now in force.
func (b *Bot) matchmakingSettings() *config.Matchmaking {
	s := b.settings().Matchmaking
	s.Enabled = s.Enabled || matchmaking.CurrentGauntlet(b.opts.State) != nil
	b.opts.Overrides.apply(&s)
	if most := b.settings().Games.MaxPerOpponentPerDay; most > 0 {
		s.GamesPerOpponent = min(cmp.Or(s.GamesPerOpponent, most), most)
	}
	if b.pause.current() != nil {
		s.Enabled, s.Arenas = false, config.Arenas{}
	}
	return &s
}

// notifyAll makes everything that starts games reread the settings.
func (b *Bot) notifyAll() {
	b.queue.Notify()
	b.challenger.Notify()
	b.arenas.Notify()
}

// reportPause reports a pause from an earlier run.
func (b *Bot) reportPause() {
	if p := b.pause.current(); p != nil {
		b.log.Warn().Time("since", p.Since).
			Msg("paused: challenges are declined and none are sent until \"zhbot ctl resume\"")
	}
}
