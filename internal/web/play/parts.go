package play

import (
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules"
)

// pageState is the state of the page.
type pageState struct {
	Player     string      `json:"player"`
	Engine     string      `json:"engine"`
	MaxLevel   int         `json:"maxLevel"`
	Game       gamePart    `json:"game"`
	Evaluation *Evaluation `json:"evaluation,omitempty"`
}

// gamePart is the game as sent to the page.
type gamePart struct {
	web.Game

	Revision    int               `json:"revision"`
	Us          string            `json:"us"` // the person's side
	Level       human.LevelChoice `json:"level"`
	Control     string            `json:"control"` // time control, "none" without a clock
	Check       bool              `json:"check"`   // in the start position
	Legal       []string          `json:"legal"`   // the person's moves in UCI notation, castling in both forms
	Clock       *web.Clock        `json:"clock,omitempty"`
	Thinking    bool              `json:"thinking"`
	CanTakeBack bool              `json:"canTakeBack"`
	Repetitions int               `json:"repetitions"` // of the position, 1 for its first occurrence
	Over        bool              `json:"over"`
	Result      string            `json:"result,omitempty"`
	Score       string            `json:"score,omitempty"` // of the person: win, draw, loss
}

// shown returns the state of the page, and a channel that is closed at the next change.
func (s *session) shown(bool) (state any, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := pageState{Player: "You", Engine: s.o.About, MaxLevel: human.MaxLevel, Game: s.gamePart()}
	if e := s.state.evaluation; e != nil {
		p.Evaluation = new(*e)
	}
	return p, s.changed
}

// gamePart returns the game as sent to the page. mu is held.
func (s *session) gamePart() gamePart {
	now := &s.state
	g := gamePart{
		Revision: now.revision, Us: now.settings.Side.String(), Level: now.settings.Level,
		Control: formatClock(now.settings.Clock),
		Game:    web.NewGame(now.game), Check: now.game.Start().InCheck(),
		Legal: s.legalMoves(), Thinking: now.thinking, CanTakeBack: s.pliesToTakeBack() > 0,
		Repetitions: now.game.Repetitions(), Over: now.ending.Over(), Result: now.ending.String(),
	}
	if g.Over {
		g.Score = now.ending.Result.For(now.settings.Side)
	}
	if !now.settings.Clock.IsZero() {
		left := now.clocks[now.game.Ply()]
		g.Clock = &web.Clock{White: left[rules.White].Milliseconds(), Black: left[rules.Black].Milliseconds()}
		if g.Clock.Running = !now.running.IsZero(); g.Clock.Running {
			g.Clock.At = now.running.UnixMilli()
		}
	}
	return g
}

// legalMoves returns the moves that the person may make now; never nil.
func (s *session) legalMoves() []string {
	list := []string{}
	if s.state.ending.Over() || !s.personToMove() {
		return list
	}
	position := s.state.game.Position()
	for _, m := range position.LegalMoves() {
		list = append(list, m.String())
		if position.IsCastling(m) {
			list = append(list, position.UCI(m))
		}
	}
	return list
}
