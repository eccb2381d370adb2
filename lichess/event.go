package lichess

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
)

// Event is a line of the event stream: [*ChallengeCreated],
// [*ChallengeCanceled], [*ChallengeDeclined], [*GameStart], [*GameFinish], or
// [*UnknownEvent].
type Event interface {
	// id is that of the challenge or the game; "" is invalid.
	id() string
}

// ChallengeCreated is a new challenge, or a pending one when the stream is opened.
// Outgoing challenges are included: compare the challenger's id.
type ChallengeCreated struct {
	Challenge Challenge `json:"challenge"`
	Compat    *Compat   `json:"compat"` // nil for those sent when the stream is opened
}

// UnmarshalJSON decodes the event.
func (e *ChallengeCreated) UnmarshalJSON(b []byte) error {
	type plain ChallengeCreated
	var known struct {
		Challenge struct {
			Rated      *bool
			Challenger struct{ Title string }
		}
	}
	e.Challenge.Unclear = json.Unmarshal(b, &known) != nil || known.Challenge.Rated == nil
	return unmarshal(b, (*plain)(e))
}

// ChallengeCanceled is a challenge cancelled by its challenger.
type ChallengeCanceled struct {
	Challenge Challenge `json:"challenge"`
}

// ChallengeDeclined is a declined challenge; see its DeclineReasonKey.
type ChallengeDeclined struct {
	Challenge Challenge `json:"challenge"`
}

// GameStart is a game that started, or one in progress when the stream is opened:
// the same game may be sent many times.
type GameStart struct {
	Game Game `json:"game"`
}

// GameFinish is a game that ended or was aborted. It is sent only once.
type GameFinish struct {
	Game Game `json:"game"`
}

// UnknownEvent is a line of an unknown type.
type UnknownEvent struct {
	Type string // may be empty
	Raw  json.RawMessage
}

func (e *ChallengeCreated) id() string  { return e.Challenge.ID }
func (e *ChallengeCanceled) id() string { return e.Challenge.ID }
func (e *ChallengeDeclined) id() string { return e.Challenge.ID }
func (e *GameStart) id() string         { return e.Game.ID }
func (e *GameFinish) id() string        { return e.Game.ID }
func (*UnknownEvent) id() string        { return "unknown" }

var errNoID = errors.New("a challenge or a game without an id")

// newEvent returns an event of the event stream to decode into, nil for an unknown type.
func newEvent(kind string) Event {
	switch kind {
	case "challenge":
		return new(ChallengeCreated)
	case "challengeCanceled":
		return new(ChallengeCanceled)
	case "challengeDeclined":
		return new(ChallengeDeclined)
	case "gameStart":
		return new(GameStart)
	case "gameFinish":
		return new(GameFinish)
	}
	return nil
}

// decodeEvent decodes a line of the event stream.
func decodeEvent(line []byte) (Event, error) {
	e, err := decodeTyped(line, newEvent)
	if err == nil && e.id() == "" {
		return nil, errNoID
	}
	return e, err
}

// decodeTyped decodes a line, which must be a JSON object, by its type. One of an unknown
// type becomes an [*UnknownEvent].
func decodeTyped[E any](line []byte, create func(kind string) E) (none E, err error) {
	var head *struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return none, err
	}
	if head == nil {
		return none, errors.New("null instead of an object")
	}
	if e := create(head.Type); any(e) != nil {
		if err := unmarshal(line, e); err != nil {
			return none, err
		}
		return e, nil
	}
	return any(&UnknownEvent{Type: head.Type, Raw: bytes.Clone(line)}).(E), nil // the buffer is the reader's
}

// GameEvent is a line of a game stream: [*GameFull], [*GameState], [*ChatLine],
// [*OpponentGone], or [*UnknownEvent].
type GameEvent interface{ gameEvent() }

// GameFull is the first line of a game stream: the game's constants and its state
// so far. Rarely a newer line comes before it, even that of the game's end.
type GameFull struct {
	ID           string    `json:"id"`
	Variant      Variant   `json:"variant"`
	Speed        Speed     `json:"speed"`
	Rated        bool      `json:"rated"`
	CreatedAt    Millis    `json:"createdAt"` // Unix time
	White        Player    `json:"white"`
	Black        Player    `json:"black"`
	InitialFEN   string    `json:"initialFen"` // or "startpos"
	Clock        Clock     `json:"clock"`
	DaysPerTurn  int       `json:"daysPerTurn"`
	TournamentID string    `json:"tournamentId"`
	State        GameState `json:"state"`
}

// GameState is the complete state of a game. Moves may be the same as in the
// previous state, and fewer after a takeback.
type GameState struct {
	Moves          string      `json:"moves"` // UCI, separated by spaces
	WhiteTime      Millis      `json:"wtime"` // left on White's clock; negative if unknown
	BlackTime      Millis      `json:"btime"`
	WhiteIncrement Millis      `json:"winc"` // per move
	BlackIncrement Millis      `json:"binc"`
	Status         Status      `json:"status"`
	Winner         Color       `json:"winner"` // "" for none
	WhiteDraw      bool        `json:"wdraw"`  // White offers a draw
	BlackDraw      bool        `json:"bdraw"`
	WhiteTakeback  bool        `json:"wtakeback"` // White proposes a takeback
	BlackTakeback  bool        `json:"btakeback"`
	Expiration     *Expiration `json:"expiration"`
	Rematch        string      `json:"rematch"` // id of the next game
}

// MoveList returns the moves as a slice.
func (s *GameState) MoveList() []string { return strings.Fields(s.Moves) }

// Expiration is the time that a first move may take; challenge games have none.
type Expiration struct {
	Idle   Millis `json:"idleMillis"`   // has passed of it
	ToMove Millis `json:"millisToMove"` // all of it, not what is left
}

// Room is one of a game's two chat rooms.
type Room string

// The rooms.
const (
	PlayerRoom    Room = "player"
	SpectatorRoom Room = "spectator"
)

// ChatLine is a line of chat, the account's own included; the server's own come
// from the user "lichess".
type ChatLine struct {
	Room     Room   `json:"room"`
	Username string `json:"username"`
	Text     string `json:"text"`
}

// OpponentGone reports that the opponent left or returned.
type OpponentGone struct {
	Gone bool `json:"gone"`
	// ClaimWinIn is the time until the win can be claimed, 0 for now, nil if absent.
	ClaimWinIn *Seconds `json:"claimWinInSeconds"`
}

func (*GameFull) gameEvent()     {}
func (*GameState) gameEvent()    {}
func (*ChatLine) gameEvent()     {}
func (*OpponentGone) gameEvent() {}
func (*UnknownEvent) gameEvent() {}

// noMoves marks a missing move list; errNoMoves rejects a state with it.
const noMoves = "?"

var errNoMoves = errors.New("a game's state without moves")

// UnmarshalJSON decodes a gameFull, and rejects one without a state. Unless it says so, the
// game is not casual; and a clock that the server does not tell is that of the state.
func (g *GameFull) UnmarshalJSON(b []byte) error {
	type plain GameFull
	g.Rated, g.State.Moves = true, noMoves
	full := struct {
		*plain
		Clock struct{ Initial, Increment Millis } `json:"clock"`
	}{plain: (*plain)(g)}
	_ = unmarshal(b, &full) // without moves
	c, left := &full.Clock, max(g.State.WhiteTime, g.State.BlackTime)
	if max(c.Initial, c.Increment) <= 0 && left.IsClock() && g.DaysPerTurn == 0 && g.Speed != Correspondence {
		c.Initial, c.Increment = left, g.State.WhiteIncrement
	}
	g.Clock = Clock{c.Initial.Duration(), c.Increment.Duration()}
	g.Speed = cmp.Or(g.Speed, g.Clock.Speed())
	return g.State.validate()
}

// UnmarshalJSON decodes a state, and rejects one without moves. A clock that the server does
// not tell is negative.
func (s *GameState) UnmarshalJSON(b []byte) error {
	type plain GameState
	*s = GameState{Moves: noMoves, WhiteTime: -1, BlackTime: -1}
	_ = unmarshal(b, (*plain)(s)) // without moves
	return s.validate()
}

func (s *GameState) validate() error {
	if s.Moves == noMoves {
		return errNoMoves
	}
	return nil
}

// newGameEvent is newEvent for the stream of a game.
func newGameEvent(kind string) GameEvent {
	switch kind {
	case "gameFull":
		return new(GameFull)
	case "gameState":
		return new(GameState)
	case "chatLine":
		return new(ChatLine)
	case "opponentGone":
		return new(OpponentGone)
	}
	return nil
}

// decodeGameEvent decodes a line of a game stream.
func decodeGameEvent(line []byte) (GameEvent, error) {
	return decodeTyped(line, newGameEvent)
}
