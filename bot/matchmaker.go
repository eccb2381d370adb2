package bot

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// matchmaker challenges other bots while there is nothing to do: one challenge
// at a time, within the day's budget, and never in a slot kept for humans.
type matchmaker struct {
	bot    *Bot
	log    zerolog.Logger
	terms  Matchmaking
	budget budget
	plan   planner
	outbox outbox

	changed chan struct{} // by poke: the settings may have changed
}

func newMatchmaker(b *Bot) *matchmaker {
	m := &matchmaker{bot: b, log: b.log, changed: make(chan struct{}, 1)}
	m.plan.memory, m.plan.listed = b.memory, b.blocklist.Has
	m.plan.random = rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 64)) //nolint:gosec // no secret depends on it
	m.refresh()
	return m
}

// refresh takes over the settings as they are now.
func (m *matchmaker) refresh() {
	o := m.bot.settings()
	m.terms = o.Matchmaking
	m.budget = budget{games: m.terms.GamesPerDay, hours: m.terms.Hours}
	m.plan.terms, m.plan.block = m.terms, o.Policy.Block
}

// poke makes the matchmaker look at the settings again.
func (m *matchmaker) poke() {
	wake(m.changed)
}

// askOnline is how many online bots are looked at, all that Lichess lists.
const askOnline = 512

// run challenges until the context ends or the bot drains.
func (m *matchmaker) run(ctx context.Context) error {
	m.learn()
	for {
		wait := time.Hour // there is nothing to do but to wait for other settings
		if m.terms.Enabled {
			wait = m.step(ctx)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-m.bot.draining:
			timer.Stop()
			return nil
		case <-m.changed:
			timer.Stop()
			m.refresh()
		case <-timer.C:
		}
	}
}

// learn reads the records. What it cannot read it does without.
func (m *matchmaker) learn() {
	if m.bot.opts.History == nil {
		return
	}
	if err := m.bot.memory.learn(m.bot.opts.History, m.bot.me().Username, time.Now()); err != nil {
		m.log.Warn().Err(err).Msg("games of earlier runs not all known")
	}
}

// step sends a challenge if it is time for one, and returns when to look again.
func (m *matchmaker) step(ctx context.Context) time.Duration {
	if wait := m.notBefore(time.Now()); wait > 0 {
		return wait
	}
	online, err := m.bot.opts.Client.OnlineBots(ctx, askOnline)
	if err != nil {
		m.log.Warn().Err(err).Msg("online bots not all read")
	}
	list := m.plan.rank(time.Now(), newest(m.bot.me(), online), online)
	if len(list) == 0 {
		m.log.Debug().Int("online", len(online)).Msg("no bot to challenge")
		return m.bot.pace.matchEvery
	}
	return m.challenge(ctx, m.firstFree(ctx, list))
}

// newest returns our account as the list of online bots shows it, since ratings
// change.
func newest(me *lichess.Account, online []lichess.Account) *lichess.Account {
	for i := range online {
		if strings.EqualFold(online[i].ID, me.ID) {
			return &online[i]
		}
	}
	return me
}

// notBefore returns how long to wait for idleness, the budget and a slot.
func (m *matchmaker) notBefore(now time.Time) time.Duration {
	busy := m.bot.slots.busyUntil(now)
	if m.bot.desk.waits() {
		busy = now
	}
	if idle := now.Sub(busy); idle < m.terms.Idle {
		return m.terms.Idle - idle
	}
	var at time.Time
	m.bot.memory.state.View(func(s *record.Memory) { at = m.budget.opensAt(now, s) })
	if wait := at.Sub(now); wait > 0 {
		m.log.Debug().Dur("wait", wait).Msg("no challenge within the budget")
		return min(wait, time.Hour) // other games may change it
	}
	return 0
}

// lookAt is how many of the best proposals are looked at for who is not playing.
const lookAt = 20

// firstFree returns the best proposal to a bot that is not in a game, or the best
// of all: some play several at once.
func (m *matchmaker) firstFree(ctx context.Context, list []proposal) proposal {
	ids := make([]string, 0, lookAt)
	for _, n := range list[:min(lookAt, len(list))] {
		ids = append(ids, n.opponent)
	}
	statuses, err := m.bot.opts.Client.UserStatuses(ctx, ids...)
	if err != nil {
		m.log.Debug().Err(err).Msg("who is playing is not known")
		return list[0]
	}
	free := map[string]bool{}
	for _, s := range statuses {
		free[strings.ToLower(s.ID)] = s.Online && !s.Playing
	}
	for _, n := range list {
		if free[n.opponent] {
			return n
		}
	}
	return list[0]
}

// challenge sends a challenge and sees it through. It returns how long to wait
// before the next.
func (m *matchmaker) challenge(ctx context.Context, n proposal) time.Duration {
	// A game's id has no blank, so this stands for it until the id is known.
	slot := "challenge to " + n.opponent
	if err := m.bot.slots.offer(slot, party{opponent: n.opponent, bot: true, clock: true}); err != nil {
		m.log.Debug().Err(err).Msg("no slot for a challenge")
		return m.bot.pace.matchEvery
	}
	learned := m.outbox.expect(n.opponent)
	defer m.outbox.forget()
	log := m.log.With().Str("opponent", n.name).Str("control", n.offer.control()).Bool("rated", n.offer.Rated).Logger()
	m.bot.memory.sent(time.Now())
	id, wait := m.send(ctx, n, learned, log)
	if id == "" {
		m.bot.slots.withdraw(slot)
		return wait
	}
	m.bot.slots.rename(slot, id)
	log.Info().Str("challenge", id).Msg("challenge sent")
	m.bot.tell(ChallengeSent{
		ID: id, Opponent: n.name, Initial: n.offer.Initial, Increment: n.offer.Increment, Rated: n.offer.Rated, At: time.Now(),
	})
	m.settle(ctx, n, id, <-m.bot.own.follow(id, m.terms.Wait), log)
	return m.bot.pace.matchEvery
}

// send posts a challenge and returns its id, or "" and how long to wait if there
// is none.
func (m *matchmaker) send(ctx context.Context, n proposal, learned <-chan string, log zerolog.Logger) (id string, wait time.Duration) {
	color := lichess.Black
	if n.white {
		color = lichess.White
	}
	c, err := m.bot.opts.Client.CreateChallenge(ctx, n.name, lichess.ChallengeRequest{
		Rated: n.offer.Rated, Limit: n.offer.Initial, Increment: n.offer.Increment, Color: color, Opponent: lichess.Bot,
	})
	if err == nil {
		return c.ID, 0
	}
	log.Info().Err(err).Msg("challenge not sent")
	var api *lichess.APIError
	var limited *lichess.RateLimitError
	now := time.Now()
	m.bot.memory.limited(err, n.opponent, now)
	switch {
	case errors.As(err, &limited):
		return "", max(limited.RetryAfter, m.bot.pace.matchEvery)
	case errors.As(err, &api) && api.Limit != nil:
	case lichess.IsRefusal(err):
		m.bot.memory.refused(n, refusedByServer, now, &m.terms)
	default:
		return m.find(ctx, n, learned), m.bot.pace.matchEvery
	}
	return "", m.bot.pace.matchEvery
}

// find returns the id of a challenge whose reply was lost, "" if the server does
// not seem to have it: the event stream tells, or the list of challenges.
func (m *matchmaker) find(ctx context.Context, n proposal, learned <-chan string) string {
	timer := time.NewTimer(m.bot.pace.existWithin)
	defer timer.Stop()
	select {
	case id := <-learned:
		return id
	case <-ctx.Done():
		return ""
	case <-timer.C:
	}
	list, err := m.bot.opts.Client.Challenges(ctx)
	if err != nil {
		m.log.Debug().Err(err).Msg("own challenges not listed")
		return ""
	}
	for _, c := range list.Out {
		if c.DestUser != nil && strings.EqualFold(c.DestUser.ID, n.opponent) {
			return c.ID
		}
	}
	return ""
}

// settle takes in the answer to a challenge.
func (m *matchmaker) settle(ctx context.Context, n proposal, id string, a answer, log zerolog.Logger) {
	if a.started {
		log.Info().Str("game", id).Msg("challenge accepted by the opponent")
		m.bot.tell(ChallengeClosed{ID: id, Outcome: Accepted})
		m.bot.memory.accepted(n, time.Now(), &m.terms)
		if m.bot.slots.adopt(id, party{opponent: n.opponent, bot: true, clock: true}) {
			m.bot.games.Go(func() { m.bot.play(ctx, id, nil) })
		}
		return
	}
	if !m.bot.slots.withdraw(id) {
		m.bot.tell(ChallengeClosed{ID: id, Outcome: Accepted})
		return // it began after all
	}
	m.bot.tell(ChallengeClosed{id, Declined, a.reason})
	log.Info().Str("challenge", id).Str("reason", a.reason).Msg("challenge came to nothing")
	if !m.bot.isDraining() && ctx.Err() == nil {
		m.bot.memory.refused(n, a.reason, time.Now(), &m.terms)
	}
}
