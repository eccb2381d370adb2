package live

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

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
	games     []finished     // the latest, by start time
	cached    *recordsAnswer // the last answer; nil after a game was added
}

// finished is a finished game, from our point of view.
type finished struct {
	*record.FinishedGame
	view  record.PlayerView
	words string // in which a search looks, in lower case
}

const (
	maxFinished = 20000 // how many finished games can be searched
	pageSize    = 50    // how many of them are listed at a time
)

// recordsAnswer is the response with the records.
type recordsAnswer struct {
	Rating    [][2]int64               `json:"rating"` // time in Unix milliseconds, rating
	Score     scorePart                `json:"score"`
	Uncounted map[record.Uncounted]int `json:"uncounted,omitempty"`
	// Comparison compares the contenders; nil if there are none.
	Comparison *stats.Comparison `json:"comparison,omitempty"`
	SPRT       string            `json:"sprt,omitempty"` // the test of two contenders; "" for none
}

// gamesAnswer is the response with a page of the finished games that match a search.
type gamesAnswer struct {
	Total int            `json:"total"` // on all pages
	From  int            `json:"from"`  // how many are on the pages before
	Games []finishedPart `json:"games"` // newest first
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
			f.Unload()
			r.add(finished{f, view, searchWords(f, &view)})
		}
	})
	if r.cached == nil {
		slices.SortStableFunc(r.rating, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
		slices.SortStableFunc(r.games, func(a, b finished) int { return a.Created.Compare(b.Created) })
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
		r.rating = append(r.rating, [2]int64{g.Created.UnixMilli(), int64(us.Rating + us.RatingDiff)})
	}
	r.games, r.cached = append(r.games, g), nil
	r.trim(2 * maxFinished) // games are recorded in the order in which they end, close to that of start times
}

// trim drops all but the last games. mu is held.
func (r *records) trim(n int) { r.games = slices.Delete(r.games, 0, max(0, len(r.games)-n)) }

// searchWords returns the words in which a search of a game looks: those that the list shows,
// its id and its date.
func searchWords(f *record.FinishedGame, v *record.PlayerView) string {
	mode := "casual"
	if f.Rated {
		mode = "rated"
	}
	result := map[string]string{"win": "won", "draw": "drew", "loss": "lost"}[f.Result.For(v.Color)]
	return strings.ToLower(strings.Join([]string{
		v.Opponent.Title, v.Opponent.Name, result, record.DescribeEnding(f.Status), v.Color.String(),
		f.Clock.String(), string(f.Speed), mode, string(f.Uncounted), f.Contender, f.ID,
		f.Created.UTC().Format(time.DateOnly),
	}, " "))
}

// maxWords limits the words of a search, for which strangers may ask.
const maxWords = 50

// search returns a page, of which the first is 0, of the games that have all words of a text.
// mu is held.
func (r *records) search(text string, page int) gamesAnswer {
	a := gamesAnswer{From: page * pageSize, Games: []finishedPart{}}
	words := strings.Fields(strings.ToLower(text))
	words = words[:min(len(words), maxWords)]
	for i := range slices.Backward(r.games) {
		g := &r.games[i]
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(g.words, w) }) {
			continue
		}
		if a.Total >= a.From && len(a.Games) < pageSize {
			a.Games = append(a.Games, g.part())
		}
		a.Total++
	}
	return a
}

// find returns a copy of a game, nil if it is unknown. mu is held.
func (r *records) find(id string) *finished {
	i := slices.IndexFunc(r.games, func(g finished) bool { return g.ID == id })
	if i < 0 {
		return nil
	}
	return new(r.games[i])
}

// maxPoints limits the points of the rating chart.
const maxPoints = 300

// answer returns the response, built only once after each new game, so that requests
// are cheap. mu is held.
func (r *records) answer() *recordsAnswer {
	if r.cached != nil {
		return r.cached
	}
	r.cached = &recordsAnswer{
		Rating: append([][2]int64{}, downsample(r.rating, maxPoints)...), Score: r.score,
		Uncounted: maps.Clone(r.uncounted),
	}
	if r.rated.HasContenders() {
		r.cached.Comparison = r.rated.Compare()
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

// showRecords serves rating and score.
func (p *Page) showRecords(w http.ResponseWriter, r *http.Request) {
	var answer recordsAnswer
	p.withRecords(r.Context(), func(records *records) { answer = *records.answer() })
	if test := p.opts.Status().SPRT; test != nil {
		answer.SPRT = test.String()
	}
	web.SendJSON(w, http.StatusOK, answer)
}

// showGames serves a list of finished games.
func (p *Page) showGames(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	page, _ := strconv.Atoi(query.Get("page")) // 0 if it is none
	var answer gamesAnswer
	p.withRecords(r.Context(), func(records *records) {
		answer = records.search(query.Get("search"), min(max(0, page), maxFinished))
	})
	web.SendJSON(w, http.StatusOK, answer)
}

// readRecord reads the finished game that a request names, nil if it is unknown or cannot be
// read.
func (p *Page) readRecord(r *http.Request) (found *finished, game *record.Game) {
	p.withRecords(r.Context(), func(records *records) { found = records.find(r.PathValue("id")) })
	if found == nil {
		return nil, nil
	}
	game, err := found.Game()
	p.warn(r.Context(), err)
	return found, game
}

// withRecords reads the games recorded since the last call, and passes the records to use.
// After an error they are those that are known.
func (p *Page) withRecords(ctx context.Context, use func(*records)) {
	p.records.mu.Lock()
	defer p.records.mu.Unlock()
	p.warn(ctx, p.records.refresh(ctx, p.opts.Status().Account))
	use(&p.records)
}

// warn logs an error, unless the client has gone: seldom, since strangers can cause it as often as
// they like.
func (p *Page) warn(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		p.warnings.Do(func() { p.opts.Log.Warn().Err(err).Msg("cannot read all records") })
	}
}
