// Package fetch fetches finished games from Lichess into an archive: those that a bot's
// records lack, or those of another player.
//
// [Games] fetches all games of a user that are missing, [Game] a single one.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// Options configure what to fetch, and into which archive.
type Options struct {
	Dir  string // of the archive; no other program may write to it
	User string
	// Own is set if the client's token is the user's. Lichess is then asked for all
	// games, even unfinished ones, bypassing its search index, which may lack the latest.
	Own bool
	// Since is when the earliest games were created. The default is the point that the
	// last fetch into the archive reached; the first fetch begins with the user's first
	// game.
	Since time.Time
	Site  string // URL of the server, for the records

	Progress func(Progress)                // called after each game
	Waiting  func(time.Duration, error)    // called before another attempt
	Invalid  func(id string, reason error) // called for each game that is skipped
}

// Progress is the progress of a fetch.
type Progress struct {
	From  time.Time // where it began, zero for the user's first game
	At    time.Time // when the latest game was created
	Games int       // received
}

// Result counts the games of a fetch.
type Result struct {
	record.Imported
	Received   int // including games that are none of these
	InProgress int
	Others     int // of other variants, or without moves
	Invalid    int
}

const (
	// A fetch goes back this far behind the last one: a game is listed under the time at
	// which it was created, and may have been in progress then. Of our own games those in
	// progress are listed too; another player's may take weeks.
	ownOverlap   = 24 * time.Hour
	otherOverlap = 30 * 24 * time.Hour
	// batchSize is how many games are received before they are written.
	batchSize = 250
	// maxAttempts is how often in a row a fetch may fail without having received a game.
	maxAttempts = 5
)

// backoff is how long a fetch pauses after a failure; after a 429 as long as it says.
var backoff = event.Backoff{Initial: time.Second, Max: time.Minute}

// Games fetches the games of a user that are over into the archive, oldest first. After a
// failure of the network or the server it continues where it stopped. If it is
// interrupted, the games received are archived, and the next call continues there.
func Games(ctx context.Context, client *lichess.Client, o Options) (Result, error) {
	archive, err := record.Open(o.Dir)
	if err != nil {
		return Result{}, err
	}
	f := &fetch{Options: o, client: client, archive: archive, seen: map[string]bool{}}
	err = f.run(ctx)
	return f.result, errors.Join(err, archive.Close())
}

// fetch is a fetch in progress. It belongs to one goroutine.
type fetch struct {
	Options
	client  *lichess.Client
	archive *record.Archive

	checkpoint checkpoint
	from       time.Time       // where it began
	reached    time.Time       // all games created before are received
	unfinished time.Time       // when the first game in progress was created; zero for none
	batch      []*record.Game  // received and not written yet
	seen       map[string]bool // the ids of games received
	result     Result
}

func (f *fetch) run(ctx context.Context) error {
	var err error
	if f.checkpoint, err = readCheckpoint(f.Dir); err != nil {
		return err
	}
	f.from = f.Since
	if done := f.checkpoint.of(f.User); f.from.IsZero() && !done.IsZero() {
		overlap := otherOverlap
		if f.Own {
			overlap = ownOverlap
		}
		f.from = done.Add(-overlap)
	}
	f.reached = f.from
	err = f.receiveAll(ctx)
	if flushErr := f.flush(); err == nil || ctx.Err() != nil {
		return errors.Join(err, flushErr)
	}
	return err
}

// receiveAll receives the games, in as many attempts as it takes.
func (f *fetch) receiveAll(ctx context.Context) error {
	waits := backoff.Start()
	for failures := 0; ; {
		before := f.result.Received
		err := f.receive(ctx)
		if f.result.Received > before {
			failures = 0
			waits.Reset()
		}
		switch failures++; {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !lichess.IsTemporary(err) || failures == maxAttempts:
			return err
		}
		if err := f.flush(); err != nil {
			return err
		}
		wait := waits.After(err)
		f.Waiting(wait, err)
		if err := lichess.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// receive receives games from one export, from where the last one ended.
func (f *fetch) receive(ctx context.Context) error {
	query := lichess.ExportQuery{Since: f.reached, Ongoing: f.Own}
	if !f.Own {
		query.Variant = lichess.Crazyhouse
	}
	stream, err := f.client.ExportGames(ctx, f.User, query)
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		game, err := stream.Next()
		var line *lichess.LineError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &line):
			f.skip("", line)
			continue
		case err != nil:
			return err
		}
		if err := f.add(game); err != nil {
			return err
		}
	}
}

// add adds a game to the batch, which is written when it is full.
func (f *fetch) add(game *lichess.ExportedGame) error {
	created := time.UnixMilli(int64(game.CreatedAt)).UTC()
	if created.After(f.reached) {
		f.reached = created
	}
	if f.seen[game.ID] { // an export begins with the last game of the one before
		return nil
	}
	f.seen[game.ID] = true
	f.result.Received++
	f.Progress(Progress{From: f.from, At: created, Games: f.result.Received})
	switch {
	case game.Variant != lichess.Crazyhouse:
		f.result.Others++
		return nil
	case game.Status.InProgress():
		f.result.InProgress++
		if f.unfinished.IsZero() || created.Before(f.unfinished) {
			f.unfinished = created
		}
		return nil
	}
	g, err := newRecord(game, f.Site)
	switch {
	case err != nil:
		f.skip(game.ID, err)
		return nil
	case g.Game.Ply() < minPlies:
		f.result.Others++
		return nil
	}
	f.batch = append(f.batch, g)
	if len(f.batch) >= batchSize {
		return f.flush()
	}
	return nil
}

// minPlies is the length from which a game counts as played, as for the bot's own records.
const minPlies = 2

func (f *fetch) skip(id string, reason error) {
	f.result.Invalid++
	f.Invalid(id, reason)
}

// flush writes the batch, and then how far the fetch has come.
func (f *fetch) flush() error {
	n, err := f.archive.Import(f.batch)
	f.result.Add(n)
	if err != nil {
		return err
	}
	f.batch = nil
	reached := f.reached
	if !f.unfinished.IsZero() && f.unfinished.Before(reached) {
		reached = f.unfinished
	}
	if f.checkpoint.extend(f.User, f.from, reached) {
		return f.checkpoint.write(f.Dir)
	}
	return nil
}

// ErrInProgress is returned by [Game] for a game that is not over.
var ErrInProgress = errors.New("the game is in progress")

// ErrVariant is returned for a game of another variant.
var ErrVariant = errors.New("not a game of crazyhouse")

// Game fetches a game that is over.
func Game(ctx context.Context, client *lichess.Client, id, site string) (*record.Game, error) {
	game, err := client.ExportGame(ctx, id)
	if err != nil {
		return nil, err
	}
	if game.Status.InProgress() {
		return nil, fmt.Errorf("game %s: %w", game.ID, ErrInProgress)
	}
	return newRecord(game, site)
}
