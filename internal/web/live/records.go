package live

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/internal/web"
)

// Records reads finished games, as [record.History] does.
type Records interface {
	// Read calls visit for each game that was added since the last call, oldest
	// first.
	Read(ctx context.Context, visit func(*record.FinishedGame)) error
}

// records are the finished games on the page. It reads its source only under mu.
type records struct {
	source Records // nil for none

	mu    sync.Mutex      // for all that follows, which is about the account
	seen  map[string]bool // ids of the games that were added
	score scorePart
	rated stats.RatedGames
	// uncounted counts the rated games that changed no rating, by reason.
	uncounted map[record.Uncounted]int
	rating    [][2]int64     // after each game, by its start: time in Unix milliseconds, rating
	latest    []finished     // by start time
	cached    *recordsAnswer // the last answer; nil after a game was added
}

// finished is a finished game, from our point of view.
type finished struct {
	*record.FinishedGame
	view record.PlayerView
}

// maxFinished is how many finished games the page lists.
const maxFinished = 50

// recordsAnswer is the response with the records.
type recordsAnswer struct {
	Rating    [][2]int64               `json:"rating"` // time in Unix milliseconds, rating
	Score     scorePart                `json:"score"`
	Uncounted map[record.Uncounted]int `json:"uncounted,omitempty"`
	Games     []finishedPart           `json:"games"` // newest first
	// Comparison compares the contenders; nil if there are none.
	Comparison *stats.Comparison `json:"comparison,omitempty"`
}

type scorePart struct {
	Humans record.Tally `json:"humans"`
	Bots   record.Tally `json:"bots"`
}

// refresh reads the games of an account that were recorded since the last call. mu is
// held.
func (r *records) refresh(ctx context.Context, account string) error {
	if r.source == nil || account == "" {
		return nil
	}
	if r.seen == nil {
		r.seen, r.uncounted = map[string]bool{}, map[record.Uncounted]int{}
	}
	err := r.source.Read(ctx, func(f *record.FinishedGame) {
		if view, ok := f.View(account); ok && !r.seen[f.ID] {
			r.seen[f.ID] = f.ID != ""
			r.add(finished{f, view})
		}
	})
	if r.cached == nil {
		slices.SortStableFunc(r.rating, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
		slices.SortStableFunc(r.latest, func(a, b finished) int { return a.Created.Compare(b.Created) })
		r.trim(maxFinished)
	}
	return err
}

// add adds a game. mu is held.
func (r *records) add(g finished) {
	tally := &r.score.Humans
	if g.view.Opponent.IsBot() {
		tally = &r.score.Bots
	}
	tally.Add(g.Result, g.view.Color)
	r.rated.Add(&g.view)
	if g.Uncounted != "" {
		r.uncounted[g.Uncounted]++
	}
	if us := g.view.Us; us.Rating > 0 && g.RatingKnown && us.Rating+us.RatingDiff > 0 {
		r.rating = append(r.rating, [2]int64{unixMilli(g.Created), int64(us.Rating + us.RatingDiff)})
	}
	r.latest, r.cached = append(r.latest, g), nil
	r.trim(2 * maxFinished) // games are recorded in the order in which they end, close to that of start times
}

// trim drops all but the last games. mu is held.
func (r *records) trim(n int) { r.latest = slices.Delete(r.latest, 0, max(0, len(r.latest)-n)) }

// maxPoints limits the points of the rating chart.
const maxPoints = 300

// answer returns the response, built only once after each new game, so that requests
// are cheap. mu is held.
func (r *records) answer() *recordsAnswer {
	if r.cached != nil {
		return r.cached
	}
	r.cached = &recordsAnswer{Rating: append([][2]int64{}, downsample(r.rating, maxPoints)...), Score: r.score, Uncounted: maps.Clone(r.uncounted), Games: []finishedPart{}}
	if r.rated.HasContenders() {
		r.cached.Comparison = r.rated.Compare()
	}
	for _, g := range slices.Backward(r.latest) {
		if part, _, err := g.part(); err == nil { // skip invalid games
			r.cached.Games = append(r.cached.Games, part)
		}
	}
	return r.cached
}

// downsample keeps at most limit points, evenly spaced, with the last.
func downsample(points [][2]int64, limit int) [][2]int64 {
	if len(points) <= limit {
		return points
	}
	kept := make([][2]int64, limit)
	for i := range kept {
		kept[i] = points[(i+1)*len(points)/limit-1]
	}
	return kept
}

// showRecords serves rating, score and the latest games.
func (p *Page) showRecords(w http.ResponseWriter, r *http.Request) {
	answer, _ := p.readRecords(r.Context())
	web.SendJSON(w, http.StatusOK, answer)
}

// showRecord serves one of the latest games, move by move.
func (p *Page) showRecord(w http.ResponseWriter, r *http.Request) {
	_, latest := p.readRecords(r.Context())
	i := slices.IndexFunc(latest, func(g finished) bool { return g.ID == r.PathValue("id") })
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	review, err := latest[i].review()
	if err != nil {
		p.opts.Log.Warn().Err(err).Str("game", latest[i].ID).Msg("cannot read recorded game")
		http.NotFound(w, r)
		return
	}
	web.SendJSON(w, http.StatusOK, review)
}

// readRecords reads the games recorded since the last call, and returns the up-to-date
// response, which is never modified, and the latest games. After an error they are those
// that are known.
func (p *Page) readRecords(ctx context.Context) (*recordsAnswer, []finished) {
	p.records.mu.Lock()
	defer p.records.mu.Unlock()
	if err := p.records.refresh(ctx, p.hub.state().Account); err != nil {
		p.opts.Log.Warn().Err(err).Msg("cannot read records")
	}
	return p.records.answer(), slices.Clone(p.records.latest)
}
