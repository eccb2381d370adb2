package live

import (
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/web"
)

// finishedPart is a finished game in the list.
type finishedPart struct {
	termsPart

	At        int64  `json:"at"`
	Score     string `json:"score"`
	Uncounted string `json:"uncounted,omitempty"` // the reason why the game changed no rating
	Plies     int    `json:"plies"`
	Contender string `json:"contender,omitempty"`
}

// reviewPart is a finished game to step through.
type reviewPart struct {
	finishedPart
	web.Game

	Result string      `json:"result"`
	Curve  []curvePart `json:"curve,omitempty"`
}

// part returns the game as an entry of the list.
func (g *finished) part() finishedPart {
	return finishedPart{
		termsPart: termsPartOf(&g.Summary, g.view.Color, g.view.Us.RatingDiff), At: unixMilli(g.Created),
		Score: g.Result.For(g.view.Color), Uncounted: string(g.Uncounted), Plies: g.Plies, Contender: g.Contender,
	}
}

// review returns the game move by move.
func (g *finished) review(game *record.Game) reviewPart {
	r := reviewPart{
		finishedPart: g.part(), Game: web.NewGame(game.Board),
		Result: describeResult(game.Status, game.Result), Curve: curveOf(game.Notes),
	}
	for i := range r.Steps {
		step, note := &r.Steps[i], game.Notes[i]
		if note.HasClock {
			step.Clock = new(note.Clock.Milliseconds())
		}
		step.Evaluation = web.EvaluationOf(note.Eval)
	}
	return r
}
