package matchmaking

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

// Matchmaker challenges other bots while the bot is idle: one challenge at a time,
// within the daily budget, and never in a slot reserved for humans. Its fields belong
// to the goroutine of Run.
type Matchmaker struct {
	cfg      Config
	outgoing *Outgoing
	settings Settings
	budget   budget
	planner  planner
	changed  chan struct{} // capacity 1: the settings may have changed
}

// NewMatchmaker returns a matchmaker whose challenges outgoing follows.
func NewMatchmaker(c Config, outgoing *Outgoing) *Matchmaker {
	return &Matchmaker{
		cfg: c, outgoing: outgoing, changed: make(chan struct{}, 1),
		planner: planner{
			memory: c.Opponents, blocks: c.Blocks,
			random: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 64)), //nolint:gosec // no secret depends on it
		},
	}
}

// Notify makes the matchmaker read the settings again.
func (m *Matchmaker) Notify() { signal(m.changed) }

// maxOnlineBots is the number of online bots requested, all that Lichess lists.
const maxOnlineBots = 512

// Run challenges until the context ends or the bot drains.
func (m *Matchmaker) Run(ctx context.Context) error {
	m.loadSettings()
	m.reportNewAccount()
	for {
		wait := time.Hour // there is nothing to do but to wait for other settings
		if m.settings.Enabled {
			wait = m.step(ctx)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.cfg.Draining:
			return nil
		case <-m.changed:
			m.loadSettings()
			m.reportNewAccount()
		case <-time.After(wait):
		}
	}
}

// loadSettings applies the current settings.
func (m *Matchmaker) loadSettings() {
	m.settings = *m.cfg.Settings()
	m.budget = budget{games: m.settings.GamesPerDay, hours: m.settings.Hours}
	m.planner.settings = m.settings
}

// reportNewAccount logs what the age of our account changes.
func (m *Matchmaker) reportNewAccount() {
	if note := m.settings.NewAccountNote(m.cfg.Account(), time.Now()); note != "" {
		m.cfg.Log.Warn().Msg("matchmaking: " + note)
	}
}

// step sends a challenge if one is due, and returns when to check again.
func (m *Matchmaker) step(ctx context.Context) time.Duration {
	if wait := m.waitTime(time.Now()); wait > 0 {
		return wait
	}
	online, err := m.cfg.Client.OnlineBots(ctx, maxOnlineBots)
	if err != nil {
		m.cfg.Log.Warn().Err(err).Msg("online bots not fully read")
	}
	list := m.planner.rank(time.Now(), newest(m.cfg.Account(), online), online)
	if len(list) == 0 {
		m.cfg.Log.Debug().Int("online", len(online)).Msg("no bot to challenge")
		return m.cfg.Timing.Interval
	}
	return m.challenge(ctx, m.firstIdle(ctx, list))
}

// newest returns our account with the ratings from the list of online bots, where they are
// up to date.
func newest(me *lichess.Account, online []lichess.Account) *lichess.Account {
	updated := *me
	for i := range online {
		if strings.EqualFold(online[i].ID, me.ID) {
			updated.Perfs = online[i].Perfs
		}
	}
	return &updated
}

// waitTime returns how long to wait for idleness and the budget.
func (m *Matchmaker) waitTime(now time.Time) time.Duration {
	idle := now.Sub(m.cfg.Slots.BusyUntil(now))
	switch {
	case idle <= 0, m.cfg.HumanWaits():
		return max(m.settings.Idle, m.cfg.Timing.Interval)
	case idle < m.settings.Idle:
		return m.settings.Idle - idle
	}
	if wait := m.budget.opensAt(now, m.cfg.Opponents.Usage(now)).Sub(now); wait > 0 {
		m.cfg.Log.Debug().Stringer("wait", wait.Round(time.Millisecond)).Msg("no challenge within the budget")
		return min(wait, time.Hour) // other games may change it
	}
	return 0
}

// maxStatusLookups is the number of best proposals whose status is checked.
const maxStatusLookups = 20

// firstIdle returns the best proposal to a bot that is not playing, or the best of
// all: some bots play several games at once.
func (m *Matchmaker) firstIdle(ctx context.Context, list []proposal) proposal {
	ids := make([]string, 0, maxStatusLookups)
	for _, p := range list[:min(maxStatusLookups, len(list))] {
		ids = append(ids, p.opponent)
	}
	statuses, err := m.cfg.Client.UserStatuses(ctx, ids...)
	if err != nil {
		m.cfg.Log.Debug().Err(err).Msg("user statuses unavailable")
		return list[0]
	}
	free := map[string]bool{}
	for _, s := range statuses {
		free[strings.ToLower(s.ID)] = s.Online && !s.Playing
	}
	i := slices.IndexFunc(list, func(p proposal) bool { return free[p.opponent] })
	return list[max(i, 0)]
}

// challenge sends a challenge and waits for its outcome. It returns how long to wait
// before the next.
func (m *Matchmaker) challenge(ctx context.Context, p proposal) time.Duration {
	slot, err := m.cfg.Slots.Reserve(p.game())
	if err != nil {
		m.cfg.Log.Debug().Err(err).Msg("no slot for a challenge")
		return m.cfg.Timing.Interval
	}
	color := lichess.Black
	if p.white {
		color = lichess.White
	}
	id, a, err := m.outgoing.send(ctx, newChallenge{
		user: p.name, game: p.game(), slot: slot, sender: event.Matchmaking, wait: m.settings.Wait, wanted: m.isOn,
		request: lichess.ChallengeRequest{
			Rated: p.offer.Rated, Clock: lichess.Clock{Initial: p.offer.Initial, Increment: p.offer.Increment}, Color: color, Opponent: lichess.Bot,
		},
	})
	switch {
	case err != nil:
		return m.handleFailure(&p, err)
	case a.started:
		m.begin(ctx, &p, id)
	case !m.cfg.isDraining() && ctx.Err() == nil && !a.isOurs() && m.isOn():
		m.cfg.Opponents.Refused(p.opponent, p.offer.Offer, a.reason, time.Now(), m.settings.Pauses)
	}
	return m.cfg.Timing.Interval
}

// isOn reports whether matchmaking is still on: the settings may have changed since they
// were applied.
func (m *Matchmaker) isOn() bool { return m.cfg.Settings().Enabled }

// handleFailure handles an error of a challenge that could not be sent, and returns how
// long to wait before the next.
func (m *Matchmaker) handleFailure(p *proposal, err error) time.Duration {
	var api *lichess.APIError
	var limited *lichess.RateLimitError
	switch {
	case errors.As(err, &limited):
		return max(limited.RetryAfter, m.cfg.Timing.Interval)
	case errors.As(err, &api) && api.Limit != nil: // it has been recorded
	case lichess.IsRefusal(err):
		m.cfg.Opponents.Refused(p.opponent, p.offer.Offer, opponent.RefusedByServer, time.Now(), m.settings.Pauses)
	}
	return m.cfg.Timing.Interval
}

// begin plays the game that a challenge has become. One that we aborted by cancelling the
// challenge too late begins no pair.
func (m *Matchmaker) begin(ctx context.Context, p *proposal, id string) {
	if m.settings.Paired && !p.second && !m.outgoing.WasCanceled(id) {
		m.cfg.Opponents.BeginPair(p.opponent, p.offer.Offer, p.white, time.Now())
	} else {
		m.cfg.Opponents.EndPair(p.opponent)
	}
	m.cfg.start(ctx, id, p.game())
}
