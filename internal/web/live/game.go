package live

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// finishedPart is a finished game in the list.
type finishedPart struct {
	ID         string        `json:"id"`
	Us         string        `json:"us"`
	White      record.Player `json:"white"`
	Black      record.Player `json:"black"`
	Rated      bool          `json:"rated"`
	Control    string        `json:"control"`
	RatingDiff int           `json:"ratingDiff,omitempty"` // ours
	At         int64         `json:"at"`                   // 0 if it is unknown
	Score      string        `json:"score"`
	Uncounted  string        `json:"uncounted,omitempty"` // the reason why the game changed no rating
	Plies      int           `json:"plies"`
	Contender  string        `json:"contender,omitempty"`
}

// part returns the game as an entry of the list.
func (g *finished) part() finishedPart {
	return finishedPart{
		ID: g.ID, Us: g.view.Color.String(), White: g.White, Black: g.Black, Rated: g.Rated, Control: g.Clock.String(),
		RatingDiff: g.view.Us.RatingDiff, Score: g.Result.For(g.view.Color), Uncounted: string(g.Uncounted),
		Plies: g.Plies, Contender: g.Contender, At: max(0, g.Created.UnixMilli()),
	}
}

// game returns the game that a request names, and our side; nil if it is unknown. Without
// trust, the scores of a game in progress are left out.
func (p *Page) game(r *http.Request, trusted bool) (*record.Game, rules.Color) {
	if found, game := p.readRecord(r); game != nil {
		return game, found.view.Color
	}
	v := p.opts.Game(r.PathValue("id"))
	if v == nil {
		return nil, rules.White
	}
	g := &record.Game{Summary: v.Summary, Board: v.Board, Notes: slices.Clone(v.Notes)}
	for i := range g.Notes {
		if !trusted && !v.Status.Over() {
			g.Notes[i].Eval = pgn.Eval{}
		}
	}
	return g, v.Us
}

// showGame serves a game to step through.
func (p *Page) showGame(w http.ResponseWriter, r *http.Request) {
	g, us := p.game(r, p.Trusts(r))
	if g == nil {
		http.NotFound(w, r)
		return
	}
	web.SendJSON(w, http.StatusOK, viewOf(g, us))
}

// viewOf returns a game as the viewer shows it.
func viewOf(g *record.Game, us rules.Color) web.View {
	v := web.View{
		Game: web.NewGame(g.Board), ID: g.ID, Site: g.Site,
		White: playerOf(g.White), Black: playerOf(g.Black), Us: us.String(),
	}
	if g.Status.Over() {
		v.Result = record.DescribeResult(g.Status, g.Result)
	}
	for i, note := range g.Notes[:min(len(g.Notes), len(v.Steps))] {
		step := &v.Steps[i]
		if note.HasClock {
			step.Clock = new(note.Clock.Milliseconds())
		}
		step.Evaluation = web.EvaluationOf(note.Eval)
	}
	return v
}

func playerOf(p record.Player) web.Player {
	rating := ""
	if p.Rating > 0 {
		rating = strconv.Itoa(p.Rating)
	}
	return web.Player{Name: p.Name, Title: p.Title, Rating: rating}
}
