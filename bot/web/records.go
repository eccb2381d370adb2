package web

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/rules"
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

	mu    sync.Mutex
	games []*finished // of the account, by start time

	cached *recordsAnswer // the last answer; nil after a game was added
}

// finished is a finished game of ours: what the chart and the score need of it, and
// for the latest games all.
type finished struct {
	*record.FinishedGame // nil for all but the latest
	created              time.Time
	us                   rules.Color
	rating               int  // ours after the game; 0 if unknown
	bot                  bool // the opponent is
	result               rules.Result
}

// maxFinished is how many finished games the page lists.
const maxFinished = 50

// recordsAnswer is the response with the records.
type recordsAnswer struct {
	Rating [][2]int64     `json:"rating"` // time in Unix milliseconds, rating
	Score  scorePart      `json:"score"`
	Games  []finishedPart `json:"games"` // newest first
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
	err := r.source.Read(ctx, func(f *record.FinishedGame) {
		if g := finishedOf(f, account); g != nil {
			r.games, r.cached = append(r.games, g), nil
			// Games are recorded in the order in which they end, close to that of start times.
			r.dropText(len(r.games) - 2*maxFinished)
		}
	})
	if r.cached != nil {
		return err // nothing new
	}
	slices.SortStableFunc(r.games, func(a, b *finished) int { return a.created.Compare(b.created) })
	for i := len(r.games) - maxFinished - 1; i >= 0 && r.games[i].FinishedGame != nil; i-- {
		r.dropText(i)
	}
	return err
}

// dropText releases the PGN text of a game, if there is one at index i.
func (r *records) dropText(i int) {
	if i >= 0 {
		r.games[i].FinishedGame = nil
	}
}

// newest returns the latest games, newest first. mu is held.
func (r *records) newest() []*finished {
	list := slices.Clone(r.games[max(0, len(r.games)-maxFinished):])
	slices.Reverse(list)
	return slices.DeleteFunc(list, func(g *finished) bool { return g.FinishedGame == nil })
}

// finishedOf returns a game from the account's side; nil if the account did not play
// it.
func finishedOf(f *record.FinishedGame, account string) *finished {
	view, ok := f.View(account)
	if !ok {
		return nil
	}
	g := &finished{FinishedGame: f, created: f.Created, us: view.Color, bot: view.Opponent.IsBot(), result: f.Result}
	if view.Us.Rating > 0 && f.RatingKnown {
		g.rating = view.Us.Rating + view.Us.RatingDiff
	}
	return g
}

// maxPoints limits the points of the rating chart.
const maxPoints = 300

// answer returns the response, built only once after each new game, so that requests
// are cheap. mu is held.
func (r *records) answer() *recordsAnswer {
	if r.cached == nil {
		r.cached = r.buildAnswer()
	}
	return r.cached
}

func (r *records) buildAnswer() *recordsAnswer {
	a := &recordsAnswer{Rating: [][2]int64{}, Games: []finishedPart{}}
	for _, g := range r.games {
		if g.bot {
			a.Score.Bots.Add(g.result, g.us)
		} else {
			a.Score.Humans.Add(g.result, g.us)
		}
		if g.rating > 0 {
			a.Rating = append(a.Rating, [2]int64{unixMilli(g.created), int64(g.rating)})
		}
	}
	a.Rating = downsample(a.Rating, maxPoints)
	for _, g := range r.newest() {
		if part, _, err := g.part(); err == nil { // skip invalid games
			a.Games = append(a.Games, part)
		}
	}
	return a
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
	p.sendJSON(w, p.recordsNow(r.Context()))
}

// showRecord serves one game, move by move.
func (p *Page) showRecord(w http.ResponseWriter, r *http.Request) {
	review, ok := p.reviewOf(r.Context(), r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	p.sendJSON(w, review)
}

// recordsNow returns the up-to-date response, which is never modified. Here and below,
// the lock is released before anything is sent, since a client may be slow.
func (p *Page) recordsNow(ctx context.Context) *recordsAnswer {
	p.records.mu.Lock()
	defer p.records.mu.Unlock()
	p.readRecords(ctx)
	return p.records.answer()
}

// reviewOf returns one of the latest games; ok is false if the id is none of theirs.
func (p *Page) reviewOf(ctx context.Context, id string) (review reviewPart, ok bool) {
	p.records.mu.Lock()
	defer p.records.mu.Unlock()
	p.readRecords(ctx)
	for _, g := range p.records.newest() {
		if g.ID != id {
			continue
		}
		review, err := g.review()
		if err != nil {
			p.opts.Log.Warn().Err(err).Str("game", g.ID).Msg("cannot read recorded game")
		}
		return review, err == nil
	}
	return reviewPart{}, false
}

// readRecords reads the games recorded since the last call. After an error the page
// shows those that are known. records.mu is held.
func (p *Page) readRecords(ctx context.Context) {
	if err := p.records.refresh(ctx, p.hub.accountName()); err != nil {
		p.opts.Log.Warn().Err(err).Msg("cannot read records")
	}
}

func (p *Page) sendJSON(w http.ResponseWriter, v any) {
	encoded, err := json.Marshal(v)
	if err != nil {
		p.opts.Log.Error().Err(err).Msg("cannot encode response")
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encoded) // the client may be gone
}
