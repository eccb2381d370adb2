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
	Results      map[rules.Result]int    // by result
	Endings      map[selfplay.Ending]int // by ending
	Quiet        int                     // plies that the zero Filter keeps
	Mates        int                     // plies with a mate score
	Histogram    [histogramBins]int      // plies by score, White's view
}

// The bins of the histogram are histogramStep wide; the outer ones are unbounded.
const (
	histogramBins = 21
	histogramStep = 200
)

// HistogramBin returns the lowest score of a bin, in centipawns.
func HistogramBin(i int) int { return (i-histogramBins/2)*histogramStep - histogramStep/2 }

// Inspect reads games files, replays every game, and returns a report. An illegal move or
// a damaged block is an error; a truncated last block is not.
func Inspect(ctx context.Context, paths []string) (r *Report, err error) {
	r = &Report{Results: map[rules.Result]int{}, Endings: map[selfplay.Ending]int{}}
	if r.Contents, err = scan(ctx, paths, r.add); err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	return r, nil
}

// add adds what [Contents] does not have.
func (r *Report) add(_ int, g *selfplay.Game, _ bool) error {
	r.OpeningPlies += len(g.Opening)
	r.Results[g.Result]++
	r.Endings[g.Ending]++
	return g.Replay(func(p *rules.Position, ply selfplay.Ply) {
		if (Filter{}).Keep(p, ply, g.Result) {
			r.Quiet++
		}
		score := int(ply.Score)
		if score >= selfplay.MateBound || score <= -selfplay.MateBound {
			r.Mates++
		}
		bin := (score + histogramStep/2 + histogramStep*(histogramBins/2)) / histogramStep
		r.Histogram[min(max(bin, 0), histogramBins-1)]++
	})
}
