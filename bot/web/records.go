package web

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/rules"
)

// Records reads finished games back.
type Records interface {
	// Read calls take for each game that was added since the last call, the
	// oldest first.
	Read(ctx context.Context, take func(*record.FinishedGame)) error
}

// records is what the page shows of finished games.
type records struct {
	from Records

	mu  sync.Mutex
	all []*finished // of the account, by time; all but the newest without their moves

	answered *recordsAnswer // while no game is added; nil if there is none yet
}

// finished is a finished game as its tags tell.
type finished struct {
	*record.FinishedGame // nil for all but the newest
	at                   time.Time
	us                   rules.Color
	rating               int // ours after the game; 0 if unknown
	bot                  bool
	score                string
}

// mostFinished is how many finished games can be looked at.
const mostFinished = 50

// recordsAnswer is what the page gets of the records.
type recordsAnswer struct {
	Rating [][2]int64     `json:"rating"` // time and rating
	Score  scorePart      `json:"score"`
	Games  []finishedPart `json:"games"` // the newest first
}

type scorePart struct {
	Humans tally `json:"humans"`
	Bots   tally `json:"bots"`
}

type tally struct {
	Won   int `json:"won"`
	Drawn int `json:"drawn"`
	Lost  int `json:"lost"`
}

func (t *tally) add(score string) {
	switch score {
	case "win":
		t.Won++
	case "draw":
		t.Drawn++
	case "loss":
		t.Lost++
	}
}

// refresh takes in the games of an account that were recorded since the last
// time. The lock is held.
func (r *records) refresh(ctx context.Context, account string) error {
	if r.from == nil || account == "" {
		return nil
	}
	err := r.from.Read(ctx, func(f *record.FinishedGame) {
		if g := finishedOf(f, account); g != nil {
			r.all, r.answered = append(r.all, g), nil
			// Games stand there in the order they ended, which is almost that of time.
			r.forget(len(r.all) - 2*mostFinished)
		}
	})
	if r.answered != nil {
		return err // nothing new
	}
	slices.SortStableFunc(r.all, func(a, b *finished) int { return a.at.Compare(b.at) })
	for i := len(r.all) - mostFinished - 1; i >= 0 && r.all[i].FinishedGame != nil; i-- {
		r.forget(i)
	}
	return err
}

// forget gives up the moves of a game, if there are so many games.
func (r *records) forget(i int) {
	if i >= 0 {
		r.all[i].FinishedGame = nil
	}
}

// newest returns the newest games, the last first. The lock is held.
func (r *records) newest() []*finished {
	list := slices.Clone(r.all[max(0, len(r.all)-mostFinished):])
	slices.Reverse(list)
	return slices.DeleteFunc(list, func(g *finished) bool { return g.FinishedGame == nil })
}

// finishedOf reads the tags of a game, nil if it is not the account's.
func finishedOf(f *record.FinishedGame, account string) *finished {
	g := &finished{FinishedGame: f, us: rules.White}
	us, them := "White", "Black"
	switch {
	case strings.EqualFold(f.Tags["White"], account):
	case strings.EqualFold(f.Tags["Black"], account):
		g.us, us, them = rules.Black, them, us
	default:
		return nil
	}
	g.at = recordedAt(f.Tags)
	g.bot = f.Tags[them+"Title"] == "BOT"
	g.score = score(winnerOf(f.Tags["Result"]), statusOf(f.Tags), g.us)
	if rating, diff := number(f.Tags[us+"Elo"]), f.Tags[us+"RatingDiff"]; rating > 0 && diff != "" {
		g.rating = rating + number(diff)
	}
	return g
}

// mostPoints bounds the curve of the rating.
const mostPoints = 300

// answer returns what the page gets, made once for each new game: nobody can
// keep the bot busy by asking. The lock is held.
func (r *records) answer() *recordsAnswer {
	if r.answered == nil {
		r.answered = r.compose()
	}
	return r.answered
}

func (r *records) compose() *recordsAnswer {
	a := &recordsAnswer{Rating: [][2]int64{}, Games: []finishedPart{}}
	for _, g := range r.all {
		if g.bot {
			a.Score.Bots.add(g.score)
		} else {
			a.Score.Humans.add(g.score)
		}
		if g.rating > 0 {
			a.Rating = append(a.Rating, [2]int64{since1970(g.at), int64(g.rating)})
		}
	}
	a.Rating = thin(a.Rating, mostPoints)
	for _, g := range r.newest() {
		if part, err := g.part(); err == nil { // what is no game is not shown
			a.Games = append(a.Games, part)
		}
	}
	return a
}

// thin leaves out points evenly, but not the last.
func thin(points [][2]int64, most int) [][2]int64 {
	if len(points) <= most {
		return points
	}
	kept := make([][2]int64, most)
	for i := range kept {
		kept[i] = points[(i+1)*len(points)/most-1]
	}
	return kept
}

// showRecords answers with rating, score and the newest games.
func (p *Page) showRecords(w http.ResponseWriter, r *http.Request) {
	p.sendJSON(w, p.currentRecords(r.Context()))
}

// showRecord answers with one game, move by move.
func (p *Page) showRecord(w http.ResponseWriter, r *http.Request) {
	review, ok := p.reviewOf(r.Context(), r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	p.sendJSON(w, review)
}

// currentRecords returns what the page gets of the records. It never changes.
// Here and below, the lock is released before anything is sent: a client may be
// slow.
func (p *Page) currentRecords(ctx context.Context) *recordsAnswer {
	p.records.mu.Lock()
	defer p.records.mu.Unlock()
	p.readRecords(ctx)
	return p.records.answer()
}

// reviewOf returns one of the newest games; ok is false if it is none of them.
func (p *Page) reviewOf(ctx context.Context, id string) (review reviewPart, ok bool) {
	p.records.mu.Lock()
	defer p.records.mu.Unlock()
	p.readRecords(ctx)
	for _, g := range p.records.newest() {
		if g.id() != id {
			continue
		}
		review, err := g.review()
		if err != nil {
			p.opts.Log.Warn().Err(err).Str("game", g.id()).Msg("recorded game not read")
		}
		return review, err == nil
	}
	return reviewPart{}, false
}

// readRecords takes in what was recorded since the last time; of what cannot be
// read, what is known is shown. The records' lock is held.
func (p *Page) readRecords(ctx context.Context) {
	if err := p.records.refresh(ctx, p.hub.name()); err != nil {
		p.opts.Log.Warn().Err(err).Msg("records not read")
	}
}

func (p *Page) sendJSON(w http.ResponseWriter, v any) {
	encoded, err := json.Marshal(v)
	if err != nil {
		p.opts.Log.Error().Err(err).Msg("answer not encoded")
		http.Error(w, "not encoded", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encoded) // a viewer that is gone needs no answer
}
