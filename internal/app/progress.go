package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// progress shows on a terminal, below the results, how the games in play
// stand. Elsewhere it shows nothing: there the results are the progress.
type progress struct {
	mu     sync.Mutex     // keeps bar and results apart
	bar    *term.Progress // nil unless on a terminal
	server *lichesstest.Server
	over   int
}

func newProgress(out io.Writer, s *lichesstest.Server, games int) *progress {
	p := &progress{server: s}
	if term.Is(out) {
		p.bar = term.NewProgress(out, games, "games")
	}
	return p
}

// watch keeps the bar up to date until the context ends, and takes it away.
func (p *progress) watch(ctx context.Context) {
	if p.bar == nil {
		return
	}
	for ctx.Err() == nil {
		p.mu.Lock()
		p.bar.SetStatus(gamesInPlay(p.server))
		p.bar.Set(p.over)
		p.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	p.bar.Clear()
}

// result lets the result of a game be printed in the bar's place, which follows it later.
func (p *progress) result(write func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over++
	p.bar.Clear()
	write()
}

// gamesInPlay describes the progress of the bot's games, such as "Magpie move 12".
func gamesInPlay(s *lichesstest.Server) string {
	const maxShown = 3
	var games []string
	ids := s.Playing(SandboxBot)
	slices.Sort(ids) // by urgency they would change places with every move
	for _, id := range ids[:min(len(ids), maxShown)] {
		if r, known := s.Game(id); known {
			games = append(games, fmt.Sprintf("%s move %d", OutcomeOf(r).Opponent, r.Plies/2+1))
		}
	}
	if more := len(ids) - maxShown; more > 0 {
		games = append(games, fmt.Sprintf("%d more", more))
	}
	return strings.Join(games, ", ")
}
