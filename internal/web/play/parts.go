package play

import (
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules"
)

// pagePart is what does not change.
type pagePart struct {
	Player   string `json:"player"`
	Engine   string `json:"engine"`
	MaxLevel int    `json:"maxLevel"`
}

// gamePart is the game as sent to the page.
type gamePart struct {
	Revision    int        `json:"revision"`
	Us          string     `json:"us"` // the person's side
	Level       int        `json:"level"`
	Control     string     `json:"control"` // time control, "none" without a clock
	Start       string     `json:"start"`   // FEN
	FirstPly    int        `json:"firstPly"`
	Steps       []web.Step `json:"steps"`
	Check       bool       `json:"check"` // in the start position
	Legal       []string   `json:"legal"` // the person's moves in UCI notation, castling in both forms
	Clock       *web.Clock `json:"clock,omitempty"`
	Paused      bool       `json:"paused"`
	Thinking    bool       `json:"thinking"`
	CanTakeBack bool       `json:"canTakeBack"`
	Repetitions int        `json:"repetitions"` // of the position, 1 for its first occurrence
	Over        bool       `json:"over"`
	Result      string     `json:"result,omitempty"`
	Score       string     `json:"score,omitempty"` // of the person: win, draw, loss
}

// parts returns all parts of the page, and a channel that is closed at the next change.
func (p *Page) parts(bool) (list []web.Part, changed <-chan struct{}) {
	changed = p.opts.Session.Changed()
	s := p.opts.Session.State()
	list = []web.Part{
		{Name: "page", Value: pagePart{p.opts.Player, p.opts.Engine, engine.MaxSkill}},
		{Name: "game", Value: gamePartOf(&s)},
	}
	if s.Evaluation != nil {
		list = append(list, web.Part{Name: "evaluation", Value: s.Evaluation})
	}
	return list, changed
}

func gamePartOf(s *State) gamePart {
	start := s.Game.Start()
	g := gamePart{
		Revision: s.Revision, Us: s.Settings.Side.String(), Level: s.Settings.Level, Control: formatClock(s.Settings.Clock),
		Start: start.FEN(), FirstPly: web.FirstPly(start), Steps: web.Steps(s.Game), Check: start.InCheck(),
		Legal: legalMoves(s), Paused: s.Paused, Thinking: s.Thinking, CanTakeBack: s.CanTakeBack,
		Repetitions: s.Game.Repetitions(), Over: s.Ending.Over(), Result: s.Ending.String(),
	}
	if g.Over {
		g.Score = s.Ending.Result.For(s.Settings.Side)
	}
	if !s.Settings.Clock.IsZero() {
		left := s.Clocks[s.Game.Ply()]
		g.Clock = &web.Clock{White: left[rules.White].Milliseconds(), Black: left[rules.Black].Milliseconds()}
		if g.Clock.Running = !s.Running.IsZero(); g.Clock.Running {
			g.Clock.At = s.Running.UnixMilli()
		}
	}
	return g
}

// legalMoves returns the moves that the person may make now; never nil.
func legalMoves(s *State) []string {
	list := []string{}
	if !s.PersonToMove() {
		return list
	}
	position := s.Game.Position()
	for _, m := range position.LegalMoves() {
		list = append(list, m.String())
		if position.IsCastling(m) {
			list = append(list, position.UCI(m))
		}
	}
	return list
}
