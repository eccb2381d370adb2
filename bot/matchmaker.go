package bot

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
)

// matchmaker challenges other bots while the bot is idle: one challenge at a time,
// within the daily budget, and never in a slot reserved for humans.
type matchmaker struct {
	bot     *Bot
	log     zerolog.Logger
	terms   Matchmaking
	budget  budget
	planner planner
	pending pendingChallenge

	changed chan struct{} // by poke: the settings may have changed
}

func newMatchmaker(b *Bot) *matchmaker {
	m := &matchmaker{bot: b, log: b.log, changed: make(chan struct{}, 1)}
	m.planner.memory, m.planner.blocks = b.memory, b.blocks
	m.planner.random = rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 64)) //nolint:gosec // no secret depends on it
	m.reloadSettings()
	return m
}

// reloadSettings applies the current settings.
func (m *matchmaker) reloadSettings() {
	o := m.bot.settings()
	m.terms = o.Matchmaking
	m.budget = budget{games: m.terms.GamesPerDay, hours: m.terms.Hours}
	m.planner.terms = m.terms
}

// notify makes the matchmaker read the settings again.
func (m *matchmaker) notify() {
	signal(m.changed)
}

// maxOnlineBots is the number of online bots requested, all that Lichess lists.
const maxOnlineBots = 512

// run challenges until the context ends or the bot drains.
func (m *matchmaker) run(ctx context.Context) error {
	m.loadHistory()
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
			m.reloadSettings()
		case <-timer.C:
		}
	}
}

// loadHistory reads the records, as far as they can be read.
func (m *matchmaker) loadHistory() {
	if m.bot.opts.History == nil {
		return
	}
	if err := m.bot.memory.Load(m.bot.opts.History, m.bot.me().Username, time.Now()); err != nil {
		m.log.Warn().Err(err).Msg("game history not fully loaded")
	}
}

// step sends a challenge if one is due, and returns when to check again.
func (m *matchmaker) step(ctx context.Context) time.Duration {
	if wait := m.waitTime(time.Now()); wait > 0 {
		return wait
	}
	online, err := m.bot.opts.Client.OnlineBots(ctx, maxOnlineBots)
	if err != nil {
		m.log.Warn().Err(err).Msg("online bots not fully read")
	}
	list := m.planner.rank(time.Now(), newest(m.bot.me(), online), online)
	if len(list) == 0 {
		m.log.Debug().Int("online", len(online)).Msg("no bot to challenge")
		return m.bot.timing.challengeInterval
	}
	return m.challenge(ctx, m.firstIdle(ctx, list))
}

// newest returns our account from the list of online bots, where the rating is up to
// date.
func newest(me *lichess.Account, online []lichess.Account) *lichess.Account {
	for i := range online {
		if strings.EqualFold(online[i].ID, me.ID) {
			return &online[i]
		}
	}
	return me
}

// waitTime returns how long to wait for idleness and the budget.
func (m *matchmaker) waitTime(now time.Time) time.Duration {
	busy := m.bot.slots.BusyUntil(now)
	if m.bot.queue.HumanWaits() {
		busy = now
	}
	if idle := now.Sub(busy); idle < m.terms.Idle {
		return m.terms.Idle - idle
	}
	if wait := m.budget.opensAt(now, m.bot.memory.Usage()).Sub(now); wait > 0 {
		m.log.Debug().Dur("wait", wait).Msg("no challenge within the budget")
		return min(wait, time.Hour) // other games may change it
	}
	return 0
}

// maxStatusLookups is the number of best proposals whose status is checked.
const maxStatusLookups = 20

// firstIdle returns the best proposal to a bot that is not playing, or the best of
// all: some bots play several games at once.
func (m *matchmaker) firstIdle(ctx context.Context, list []proposal) proposal {
	ids := make([]string, 0, maxStatusLookups)
	for _, n := range list[:min(maxStatusLookups, len(list))] {
		ids = append(ids, n.opponent)
	}
	statuses, err := m.bot.opts.Client.UserStatuses(ctx, ids...)
	if err != nil {
		m.log.Debug().Err(err).Msg("user statuses unavailable")
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

// challenge sends a challenge and waits for its outcome. It returns how long to wait
// before the next.
func (m *matchmaker) challenge(ctx context.Context, n proposal) time.Duration {
	slot, err := m.bot.slots.Reserve(n.game())
	if err != nil {
		m.log.Debug().Err(err).Msg("no slot for a challenge")
		return m.bot.timing.challengeInterval
	}
	learned := m.pending.expect(n.opponent)
	defer m.pending.forget()
	log := m.log.With().Str("opponent", n.name).Str("control", n.offer.Control()).Bool("rated", n.offer.Rated).Logger()
	m.bot.memory.Challenged(time.Now())
	id, wait := m.send(ctx, n, learned, log)
	if id == "" {
		slot.Release()
		return wait
	}
	slot.Bind(id)
	log.Info().Str("challenge", id).Msg("challenge sent")
	m.bot.emit(event.ChallengeSent{
		ID: id, Opponent: n.name, Initial: n.offer.Initial, Increment: n.offer.Increment, Rated: n.offer.Rated, At: time.Now(),
	})
	m.handleAnswer(ctx, n, id, slot, <-m.bot.outgoing.follow(id, m.terms.Wait), log)
	return m.bot.timing.challengeInterval
}

// send posts a challenge and returns its id, or "" and how long to wait.
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
	m.bot.memory.RecordLimit(err, n.opponent, now)
	switch {
	case errors.As(err, &limited):
		return "", max(limited.RetryAfter, m.bot.timing.challengeInterval)
	case errors.As(err, &api) && api.Limit != nil:
	case lichess.IsRefusal(err):
		m.bot.memory.Refused(n.opponent, n.offer.Offer, opponent.RefusedByServer, now, m.terms.Pauses)
	default:
		return m.findSent(ctx, n, learned), m.bot.timing.challengeInterval
	}
	return "", m.bot.timing.challengeInterval
}

// findSent returns the id of a challenge whose reply was lost, from the event stream
// or the list of challenges; "" if the server does not seem to have it.
func (m *matchmaker) findSent(ctx context.Context, n proposal, learned <-chan string) string {
	timer := time.NewTimer(m.bot.timing.challengeIDTimeout)
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
		m.log.Debug().Err(err).Msg("outgoing challenges not listed")
		return ""
	}
	for _, c := range list.Out {
		if c.DestUser != nil && strings.EqualFold(c.DestUser.ID, n.opponent) {
			return c.ID
		}
	}
	return ""
}

// handleAnswer handles the answer to a challenge.
func (m *matchmaker) handleAnswer(ctx context.Context, n proposal, id string, slot *slots.Reservation, a answer, log zerolog.Logger) {
	if a.started {
		log.Info().Str("game", id).Msg("challenge accepted by the opponent")
		m.bot.emit(event.ChallengeClosed{ID: id, Outcome: event.Accepted})
		if m.terms.Paired && !n.second {
			m.bot.memory.BeginPair(n.opponent, n.offer.Offer, n.white, time.Now())
		} else {
			m.bot.memory.EndPair(n.opponent)
		}
		if m.bot.slots.Register(id, n.game()) {
			m.bot.games.Go(func() { m.bot.play(ctx, id, nil) })
		}
		return
	}
	if !slot.Release() {
		m.bot.emit(event.ChallengeClosed{ID: id, Outcome: event.Accepted})
		return // the game started after all
	}
	m.bot.emit(event.ChallengeClosed{ID: id, Outcome: event.Declined, Rule: a.reason})
	log.Info().Str("challenge", id).Str("reason", a.reason).Msg("challenge not accepted by the opponent")
	if !m.bot.isDraining() && ctx.Err() == nil {
		m.bot.memory.Refused(n.opponent, n.offer.Offer, a.reason, time.Now(), m.terms.Pauses)
	}
}
