package train

import (
	"context"
	"fmt"

	"github.com/zhbot/zhbot/engine/selfplay"
	"github.com/zhbot/zhbot/rules"
)

// Report describes games files.
type Report struct {
	Contents
	OpeningPlies int
	Results      map[rules.Result]int // by result
	Learned      int                  // plies that training uses
}

// Inspect reads games files, replays every game, and returns a report. An illegal move or
// a damaged block is an error; a truncated last block is not.
func Inspect(ctx context.Context, paths []string) (r *Report, err error) {
	r = &Report{Results: map[rules.Result]int{}}
	r.Contents, err = scan(ctx, paths, func(_ int, g *selfplay.Game, _ bool) error {
		r.OpeningPlies += len(g.Opening)
		r.Results[g.Result]++
		return g.Replay(func(p *rules.Position, ply selfplay.Ply) {
			if isLearned(p, ply, g.Result) {
				r.Learned++
			}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	return r, nil
}
