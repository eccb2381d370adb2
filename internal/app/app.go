// Package app puts zhbot together. An [App] is the bot with all that it needs; [Run] runs one
// as a process, with signals, reloads and a watchdog; [PlayDemo] has one play against an
// embedded Lichess.
package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/internal/web/live"
	"github.com/zhbot/zhbot/lichess"
)

// Options configure an App beside its settings. The zero value is ready to use.
type Options struct {
	Log   zerolog.Logger
	Token config.Secret // "": that of the settings, read again for each connection

	// Observers see each event. They run on the goroutines that play, so they must return
	// immediately.
	Observers []func(event.Event)

	// Bot, if not nil, changes the options of each bot.
	Bot func(*bot.Options)
	// StartProgram starts an engine program; see [mover.Options].
	StartProgram func(external.Command) (mover.Process, error)
}

// App is the bot with its engine, its records and its live page. Where Lichess refuses the
// token, and the settings tell to retry, several bots follow each other.
type App struct {
	opts     Options
	log      zerolog.Logger
	settings atomic.Pointer[config.Config] // in force

	mover     *mover.Mover
	archive   *record.Archive // nil for none
	state     *record.StateFile
	users     record.UsersFile
	overrides bot.Overrides // of the operator
	page      *live.Page    // nil for none
	closers   []func()
	unsaved   error // why finished games are lost, after Close

	started  time.Time
	bot      atomic.Pointer[bot.Bot]   // the one that plays; nil for none
	refused  atomic.Pointer[string]    // why Lichess refused the last one; nil if it did not
	invalid  atomic.Pointer[bot.Fault] // of the settings file
	draining context.Context           // done after Drain
	drain    func()
}

// New starts all that a bot needs. It fails if the settings name something that cannot be
// used. It does not serve the live page yet.
func New(ctx context.Context, c *config.Config, o Options) (*App, error) {
	a := &App{opts: o, log: o.Log, started: time.Now()}
	a.draining, a.drain = context.WithCancel(context.WithoutCancel(ctx))
	a.settings.Store(c)
	if err := a.open(ctx, c); err != nil {
		a.Close()
		return nil, err
	}
	a.log.Info().Str("version", Version()).Str("server", c.Lichess.URL).Int("games_max", c.Games.Max).
		Int("threads", c.Engine.SearchThreads(mover.Cores())).Msg("starting")
	return a, nil
}

// open opens what the settings name: first what is quickly checked, and each part after
// those that it uses.
func (a *App) open(ctx context.Context, c *config.Config) (err error) {
	client, err := a.connect() // to reject an invalid token at once
	if err != nil {
		return err
	}
	client.Close()
	notifier := startNotifier(func() []config.Endpoint { return a.settings.Load().Endpoints() },
		newNotifyClient(nil), a.log)
	a.closers = append(a.closers, notifier.stop)
	a.opts.Observers = append(slices.Clone(a.opts.Observers), notifier.observe)
	a.mover, err = mover.New(ctx, c, mover.Options{Log: a.log, StartProgram: a.opts.StartProgram})
	if err != nil {
		return err
	}
	a.closers = append(a.closers, a.mover.Close)
	if a.page, err = a.newPage(c); err != nil {
		return err
	}
	if a.page != nil {
		a.opts.Observers = append(a.opts.Observers, a.page.Metrics.Observe)
	}
	return a.openRecords(c.Records.Dir)
}

// Close stops what New has started, the first time. Run must have returned.
func (a *App) Close() {
	for _, stop := range slices.Backward(a.closers) {
		stop()
	}
	a.closers = nil
}

// streamIdle is the silence after which a stream counts as dead: Lichess sends
// a blank line every 7 s.
const streamIdle = 10 * time.Second

// interactiveTimeout bounds calls for which a person waits. The second name server is asked
// after 5 s, the third after 10 s.
const interactiveTimeout = 15 * time.Second

// clientOptions returns the options of a client of the configured server, with a token or,
// if that is "", the one of the settings.
func clientOptions(c *config.Config, token config.Secret) (o lichess.Options, err error) {
	if token == "" {
		if token, err = c.Token(); err != nil {
			return o, err
		}
	}
	o = lichess.Options{URL: c.Lichess.URL, UserAgent: userAgent(), StreamIdle: streamIdle}
	o.Token, err = lichess.NewToken(token.Reveal())
	return o, err
}

// Connect returns a client of the configured server whose calls are not retried, since a
// person waits. Without a token it uses that of the settings.
func Connect(c *config.Config, token config.Secret) (*lichess.Client, error) {
	o, err := clientOptions(c, token)
	if err != nil {
		return nil, err
	}
	o.RetryFor, o.CallTimeout = -1, interactiveTimeout
	return lichess.New(o)
}

// connect returns a client of Lichess whose requests are logged, and counted on the page.
func (a *App) connect() (*lichess.Client, error) {
	o, err := clientOptions(a.settings.Load(), a.opts.Token)
	if err != nil {
		return nil, err
	}
	o.Observe = func(r lichess.Observation) {
		logRequest(a.log, r)
		if a.page != nil {
			a.page.Metrics.ObserveRequest(r)
		}
	}
	return lichess.New(o)
}

// Run plays until the context is done, the games have ended after a drain, or Lichess
// refuses the token or the account; see [bot.Bot.Run].
func (a *App) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, a.drain)()
	defer a.markRunning()()
	return retryWhileRefused(a.draining, a.settings.Load().Lichess.RetryRefused, a.log,
		func() (drained bool, err error) { return a.play(ctx) })
}

// retryWhileRefused calls play and, while Lichess refuses the token or the account, calls
// it again after each retry, until the context is done or the bot was told to drain. With a
// retry of 0 it calls play only once. It is for containers: what restarts them sees no exit
// code, and would ask Lichess without a pause.
func retryWhileRefused(ctx context.Context, retry time.Duration, log zerolog.Logger,
	play func() (drained bool, err error),
) error {
	for quiet := false; ; quiet = true {
		began := time.Now()
		drained, err := play()
		if retry == 0 || drained || !bot.IsRefused(err) {
			return err
		}
		report := log.Error()
		if quiet && time.Since(began) < time.Minute { // it never got to play
			report = log.Debug()
		}
		report.Err(err).Stringer("retry_every", retry).Msg("Lichess refuses the token or the account: not playing")
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retry):
		}
	}
}

// play runs a bot until it ends, and reports whether it had been told to drain.
func (a *App) play(ctx context.Context) (drained bool, err error) {
	client, err := a.connect()
	if err != nil {
		return false, err
	}
	defer client.Close()
	b := bot.New(a.botOptions(client), a.settings.Load())
	a.bot.Store(b)
	a.refused.Store(nil)
	defer a.bot.Store(nil)
	b.Reload(a.settings.Load()) // they may have changed meanwhile
	defer context.AfterFunc(a.draining, b.Drain)()
	if err = b.Run(ctx); err != nil {
		err = advise(err, a.settings.Load().Lichess.URL)
	}
	if bot.IsRefused(err) {
		a.refused.Store(new(err.Error()))
	}
	return b.Status().Draining, err
}

// botOptions returns the options of a bot with a client.
func (a *App) botOptions(client *lichess.Client) bot.Options {
	c := a.settings.Load()
	o := bot.Options{
		Client: client, Log: a.log, Site: c.Lichess.URL, Version: Version(),
		Engine: a.mover, Network: a.mover.Network(), Program: a.mover.Program,
		AwaitEngine: a.mover.AwaitReady, Contenders: a.mover.Contenders(c.Contenders),
		Threads: c.Engine.SearchThreads(mover.Cores()),
		State:   a.state, Users: a.users, Overrides: &a.overrides, Blocklist: BlocklistOptions(c), Observe: a.observe,
	}
	if a.archive != nil {
		o.Archive, o.History = a.archive, a.archive
	}
	if a.opts.Bot != nil {
		a.opts.Bot(&o)
	}
	return o
}

// BlocklistOptions returns options that keep a copy of the block lists with the records.
func BlocklistOptions(c *config.Config) challenge.BlocklistOptions {
	o := challenge.BlocklistOptions{Agent: userAgent()}
	if c.Records.Dir != "" {
		o.Cache = filepath.Join(c.Records.Dir, "blocklist.json")
	}
	return o
}

// observe passes an event to all observers.
func (a *App) observe(e event.Event) {
	for _, observe := range a.opts.Observers {
		observe(e)
	}
}

// Drain has Run return once the games with a clock are over. It may be called at any time.
func (a *App) Drain() { a.drain() }

// Prepare reads the files that changed settings name, and returns a function that puts the
// settings in force.
func (a *App) Prepare(c *config.Config) (apply func(), err error) {
	useBooks, err := a.mover.Prepare(c)
	return func() {
		a.settings.Store(c)
		useBooks()
		if b := a.bot.Load(); b != nil {
			b.Reload(c)
		}
	}, err
}

// running returns the ids of the games that are in progress or about to start.
func (a *App) running() []string {
	if b := a.bot.Load(); b != nil {
		return b.Running()
	}
	return nil
}

// status returns the state of the bot that plays; without one, only why none does is known.
func (a *App) status() bot.Status {
	c := a.settings.Load()
	s := bot.Status{
		Version: Version(), Server: c.Lichess.URL, Started: a.started, Slots: game.Use{Max: c.Games.Max},
		Refused: a.refused.Load(),
	}
	if b := a.bot.Load(); b != nil {
		s = b.Status()
	}
	if f := a.invalid.Load(); f != nil {
		s.Settings = *f
	}
	s.UpdateNotices()
	return s
}

// game returns a game of the bot that plays; see [bot.Bot.Game].
func (a *App) game(id string) *event.GameView {
	if b := a.bot.Load(); b != nil {
		return b.Game(id)
	}
	return nil
}

// checkLiveness returns why the bot hangs, nil if it does not or if there is none.
func (a *App) checkLiveness(ctx context.Context) error {
	if b := a.bot.Load(); b != nil {
		return b.CheckLiveness(ctx)
	}
	return nil
}

// operator carries out commands on the bot that plays.
func (a *App) operator(reload func(context.Context) (control.Reloaded, error)) *control.Operator {
	o := &control.Operator{Bot: a.bot.Load, Status: a.status, Reload: reload, Log: a.log}
	if dir := a.settings.Load().Records.Dir; dir != "" {
		o.Journal = filepath.Join(dir, control.JournalFile)
	}
	return o
}

// openRecords opens the folder of the records; "" means that there is none, and that the
// state stays in memory.
func (a *App) openRecords(dir string) (err error) {
	if dir == "" {
		a.state, a.users = record.InMemoryState(), record.InMemoryUsers()
		return nil
	}
	if a.archive, err = record.Open(dir); err != nil {
		return fmt.Errorf("records.dir: %w", err)
	}
	a.closers = append(a.closers, a.closeRecords)
	a.archive.Observe = func(b record.Backlog) { a.observe(event.BacklogChanged{Backlog: b}) }
	for _, repair := range a.archive.Repairs() {
		a.log.Warn().Err(repair.Err).Str("file", repair.File).Int("bytes", repair.Bytes).
			Msg("truncated record moved to a file beside it or, with an error, a file that is damaged as it says")
	}
	switch a.state, err = record.OpenState(dir); {
	case err != nil && a.state.IsStored():
		a.log.Warn().Err(err).Msg("state file damaged; starting with an empty one but for what can be read")
	case err != nil:
		a.log.Warn().Err(err).Msg("state file unusable; keeping state in memory")
	}
	if a.users, err = record.OpenUsers(dir); err != nil {
		a.log.Warn().Err(err).Bool("stored", a.users.IsStored()).
			Msg("the operator's lists of users are damaged: who cannot be read is neither blocked nor allowed")
	}
	return nil
}

func (a *App) closeRecords() {
	if a.unsaved = a.archive.Close(); a.unsaved != nil {
		a.log.Error().Err(a.unsaved).Msg("failed to close the records")
	}
}

// markRunning records in the state file that the bot runs until ended is called, and reports
// a run before that did not end by itself.
func (a *App) markRunning() (ended func()) {
	mark := func(at time.Time) (before time.Time) {
		if err := a.state.Update(func(d *record.State) { before, d.Running = d.Running, at }); err != nil {
			a.log.Warn().Err(err).Msg("whether this run ends by itself is not recorded")
		}
		return before
	}
	if before := mark(time.Now().UTC().Truncate(time.Second)); !before.IsZero() {
		a.log.Warn().Time("began", before).Msg("the last run did not end by itself")
		a.observe(event.Crashed{Began: before})
	}
	return func() { mark(time.Time{}) }
}
