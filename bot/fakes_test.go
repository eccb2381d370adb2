package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// fakeEngine is a deterministic engine: from a ply on it mates if it can and else plays
// a move that depends on the position only; before it plays such a move that
// does not mate, so games last as long as a test wants.
type fakeEngine struct {
	peace int                 // plies without mate
	hook  func(*search) error // called with each search, if set
	over  func(id string)     // called for a game that is over, if set
}

// search is a search of a fakeEngine, and what it returns unless the hook changes it.
type search struct {
	*rules.Game
	ctx    context.Context
	limits game.SearchLimits
	report func(engine.Info)
	found  game.SearchResult
}

// line returns the moves of the game.
func (s *search) line() string {
	var moves []string
	for _, m := range s.Moves() {
		moves = append(moves, m.String())
	}
	return strings.Join(moves, " ")
}

var errNoMove = errors.New("no legal move")

func (e *fakeEngine) Search(
	ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info),
) (game.SearchResult, error) {
	began, p := time.Now(), g.Position()
	moves := p.LegalMoves()
	if len(moves) == 0 {
		return game.SearchResult{}, errNoMove
	}
	first := int(p.Key() % uint64(len(moves)))
	s := &search{g, ctx, l, report, game.SearchResult{}}
	s.found.Move, s.found.Info = moves[first], engine.Info{Depth: 1, Score: 25, Nodes: 1}
	for i := range moves {
		if m := moves[(first+i)%len(moves)]; mates(p, m) == (g.Ply() >= e.peace) {
			s.found.Move = m
			break
		}
	}
	s.found.Info.Time = time.Since(began)
	if e.hook != nil {
		err := e.hook(s)
		return s.found, err
	}
	return s.found, nil
}

func (e *fakeEngine) EndGame(id string) {
	if e.over != nil {
		e.over(id)
	}
}

func mates(p *rules.Position, m rules.Move) bool {
	next := p.After(m)
	return next.IsCheckmate()
}

// peaceful is an opponent who does not mate before a ply, and takes a while.
func peaceful(peace int, pause time.Duration) lichesstest.Player {
	b := &fakeEngine{peace: peace}
	return lichesstest.Slow(lichesstest.Searching(func(ctx context.Context, t lichesstest.Turn) (rules.Move, error) {
		r, err := b.Search(ctx, t.Game, game.SearchLimits{}, nil)
		return r.Move, err
	}), pause)
}

// memoryArchive is an archive in memory.
type memoryArchive struct {
	mu    sync.Mutex
	games []*record.Game
}

func (s *memoryArchive) Save(g *record.Game) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.games = append(s.games, g)
	return nil
}

func (s *memoryArchive) Flush() error             { return nil }
func (s *memoryArchive) Backlog() record.Backlog  { return record.Backlog{} }
func (s *memoryArchive) Track(*record.Live)       {}
func (s *memoryArchive) Untrack(string)           {}
func (s *memoryArchive) WriteLive() error         { return nil }
func (s *memoryArchive) Live(string) *record.Live { return nil }
func (s *memoryArchive) Unfinished() []string     { return nil }

func (s *memoryArchive) saved() []*record.Game {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.games)
}

// GamesSince implements opponent.History.
func (s *memoryArchive) GamesSince(_ context.Context, since time.Time, visit func(*record.Game)) error {
	for _, g := range s.saved() {
		if !g.Created.Before(since) {
			visit(g)
		}
	}
	return nil
}

// logBuffer keeps what was logged.
type logBuffer struct{ fixture.Log }

// entries returns the lines with a message, or of a level, decoded.
func (j *logBuffer) entries(match func(level, message string) bool) (found []map[string]any) {
	for line := range bytes.Lines([]byte(j.String())) {
		entry := map[string]any{}
		if json.Unmarshal(line, &entry) != nil {
			continue
		}
		level, _ := entry["level"].(string)
		message, _ := entry["message"].(string)
		if match(level, message) {
			found = append(found, entry)
		}
	}
	return found
}

func (j *logBuffer) messages(text string) int {
	return len(j.entries(func(_, message string) bool { return message == text }))
}

func (j *logBuffer) errors() []map[string]any {
	return j.entries(func(level, _ string) bool { return level == "error" })
}

// gatedEngine is an engine that thinks until it is let go or cancelled.
type gatedEngine struct {
	fakeEngine
	entered chan string // the moves of each search as it begins
	proceed chan struct{}
}

func newGatedEngine() *gatedEngine {
	e := &gatedEngine{entered: make(chan string, 100), proceed: make(chan struct{}, 100)}
	e.hook = func(s *search) error {
		e.entered <- s.line()
		select {
		case <-e.proceed:
		case <-s.ctx.Done():
		}
		return nil
	}
	return e
}

// thinking waits for a search in a position.
func (e *gatedEngine) thinking(t *testing.T, moves string) {
	t.Helper()
	if got := <-e.entered; got != moves {
		t.Fatalf("search after %q, want after %q", got, moves)
	}
}

// scoring has a bot not mate before a ply, and think the same of every position.
func scoring(b *setup, peace int, score engine.Score) {
	b.opts.Engine = &fakeEngine{peace: peace, hook: func(s *search) error {
		s.found.Info.Score, s.found.Info.PV = score, []rules.Move{s.found.Move}
		return nil
	}}
}

// eventRecorder keeps the events that it observes.
type eventRecorder struct {
	mu     sync.Mutex
	events []event.Event
}

func (w *eventRecorder) observe(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

func (w *eventRecorder) all() []event.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

// seen returns the events of a type that the rig's bots have reported.
func seen[E event.Event](r *rig) (found []E) {
	for _, e := range r.events.all() {
		if e, ok := e.(E); ok {
			found = append(found, e)
		}
	}
	return found
}
