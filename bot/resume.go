package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// takeUpGames looks up the games that the server runs: at the start, whenever a
// stream may have missed something, and often while a clock runs. Until it has
// succeeded once, no slot is given to anything new.
func (b *Bot) takeUpGames(ctx context.Context) error {
	listed := false
	for {
		if err := b.persist(ctx, "listing the games in play", fatal, func() error { return b.takeUp(ctx) }); err != nil {
			return fmt.Errorf("take up games: %w", err)
		}
		if !listed {
			listed = true
			b.finishLeft(ctx)
			b.own.search()
		}
		b.slots.open()
		if err := pause(ctx, b.pace.listGap); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.resync:
		case <-time.After(b.nextList()):
		}
	}
}

// nextList returns how long to wait for the next list of games.
func (b *Bot) nextList() time.Duration {
	if !b.slots.clockRuns() {
		return b.pace.resyncEvery
	}
	least := b.pace.compareEvery
	return least + rand.N(least) //nolint:gosec // chance, not secrets
}

// askResync asks for a look at the games in play.
func (b *Bot) askResync() {
	wake(b.resync)
}

// takeUp joins the games that the server runs, the least clock first, and has each
// compared with its board: a line may be lost, also that of a game's end.
func (b *Bot) takeUp(ctx context.Context) error {
	asked := time.Now()
	games, err := b.opts.Client.Playing(ctx)
	b.server.note(err)
	if err != nil {
		return err
	}
	slices.SortStableFunc(games, func(x, y lichess.Game) int { return cmp.Compare(secondsLeft(&x), secondsLeft(&y)) })
	for i := range games {
		b.join(ctx, &games[i])
		if games[i].IsMyTurn {
			b.slots.wake(games[i].ID)
		}
	}
	b.slots.compare(games, asked, len(games) < lichess.MaxPlaying)
	return nil
}

// secondsLeft orders games by urgency, those without a clock last.
func secondsLeft(g *lichess.Game) int64 {
	if !hasClock(g) {
		return math.MaxInt64
	}
	return int64(*g.SecondsLeft)
}

func hasClock(g *lichess.Game) bool {
	return g.SecondsLeft != nil && g.Speed != lichess.Correspondence
}

// join plays a game that the server runs, unless that is done already.
func (b *Bot) join(ctx context.Context, g *lichess.Game) {
	if g.Variant.Key != lichess.Crazyhouse || g.Compat != nil && !g.Compat.Bot {
		b.log.Warn().Str("game", g.ID).Str("variant", g.Variant.Key).Msg("game cannot be played by this bot: left alone")
		return
	}
	// Where only this list tells of an opponent, the name shows the title.
	p := party{opponent: g.Opponent.ID, bot: strings.HasPrefix(g.Opponent.Username, "BOT "), clock: hasClock(g)}
	p.arena = g.TournamentID
	if b.slots.adopt(g.ID, p) {
		b.games.Go(func() { b.play(ctx, g.ID, nil) })
	}
}

// play plays a game to its end. The game has a slot; what goes wrong in it is
// logged here and goes no further. Of a game that an earlier run has left, and
// which may be over, at least that run's journal is archived.
func (b *Bot) play(ctx context.Context, id string, left *record.JournalState) {
	log := b.log.With().Str("game", id).Logger()
	err := b.playOn(ctx, id, left != nil, log)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return // the slot stays taken: the game goes on without us
	case errors.Is(err, errNeverStarted):
		log.Warn().Err(err).Msg("slot freed")
	default:
		log.Error().Err(err).Msg("game given up")
	}
	if left != nil && (errors.Is(err, errNeverStarted) || errors.Is(err, errNotOurs)) {
		b.fold(left, log)
	}
	if err != nil {
		b.tell(GameAbandoned{id, err})
	}
	b.slots.free(id)
	if err != nil && !errors.Is(err, errNotOurs) {
		wake(b.gaveUp)
	}
}
