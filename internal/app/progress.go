package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// progress shows on a terminal, below the results, how the games in play
// stand. Elsewhere it shows nothing: there the results are the progress.
type progress struct {
	mu     sync.Mutex               // keeps bar and results apart
	bar    *progressbar.ProgressBar // nil unless on a terminal
	server *lichesstest.Server
	over   int
}

func newProgress(out io.Writer, s *lichesstest.Server, games int) *progress {
	p := &progress{server: s}
	if term.Is(out) {
		p.bar = progressbar.NewOptions(games, progressbar.OptionSetWriter(out), progressbar.OptionSetWidth(8),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionClearOnFinish())
	}
	return p
}

// watch keeps the bar up to date until the context ends, and takes it away.
func (p *progress) watch(ctx context.Context) {
	if p.bar == nil {
		return
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			_ = p.bar.Clear() // failing to draw a bar is not an error
			return
		case <-tick.C:
		}
		p.mu.Lock()
		if p.over < p.bar.GetMax() {
			p.bar.Describe(gamesInPlay(p.server))
		}
		p.mu.Unlock()
	}
}

// result lets the result of a game be printed in the bar's place.
func (p *progress) result(write func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over++
	if p.bar == nil {
		write()
		return
	}
	_ = p.bar.Clear()
	write()
	_ = p.bar.Set(p.over)
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
