package lichess

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Event is a line of the event stream: [*ChallengeCreated],
// [*ChallengeCanceled], [*ChallengeDeclined], [*GameStart], [*GameFinish], or
// [*UnknownEvent].
type Event interface {
	// validate returns what the decoded event lacks.
	validate() error
}

// ChallengeCreated is a new challenge, or a pending one when the stream is opened.
// Outgoing challenges are included: compare the challenger's id.
type ChallengeCreated struct {
	Challenge Challenge `json:"challenge"`
	Compat    *Compat   `json:"compat"` // nil for those sent when the stream is opened
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

func (e *ChallengeCreated) validate() error  { return e.Challenge.validate() }
func (e *ChallengeCanceled) validate() error { return e.Challenge.validate() }
func (e *ChallengeDeclined) validate() error { return e.Challenge.validate() }
func (e *GameStart) validate() error         { return e.Game.validate() }
func (e *GameFinish) validate() error        { return e.Game.validate() }
func (*UnknownEvent) validate() error        { return nil }

var errNoChallengeID = errors.New("a challenge without an id")

func (c *Challenge) validate() error {
	if c.ID == "" {
		return errNoChallengeID
	}
	return nil
}

func (g *Game) validate() error {
	if g.ID == "" {
		return errors.New("a game event without a game id")
	}
	return nil
}

// events are the events of the event stream, by type.
var events = map[string]func() Event{
	"challenge":         func() Event { return new(ChallengeCreated) },
	"challengeCanceled": func() Event { return new(ChallengeCanceled) },
	"challengeDeclined": func() Event { return new(ChallengeDeclined) },
	"gameStart":         func() Event { return new(GameStart) },
	"gameFinish":        func() Event { return new(GameFinish) },
}

// decodeEvent decodes a line of the event stream.
func decodeEvent(line []byte) (Event, error) {
	e, err := decodeTyped(line, events)
	if err == nil {
		err = e.validate()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// decodeTyped decodes a line, which must be a JSON object, by its type. One of an unknown
// type becomes an [*UnknownEvent].
func decodeTyped[E any](line []byte, types map[string]func() E) (none E, err error) {
	var head *struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return none, err
	}
	if head == nil {
		return none, errors.New("null instead of an object")
	}
	if create, known := types[head.Type]; known {
		e := create()
		if err := json.Unmarshal(line, e); err != nil {
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
	WhiteTime      Millis      `json:"wtime"` // left on White's clock
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

var errNoState = errors.New("a gameFull without a state")

// UnmarshalJSON decodes a gameFull and rejects one without a state.
func (g *GameFull) UnmarshalJSON(b []byte) error {
	type plain GameFull
	full := struct {
		*plain
		Clock *struct{ Initial, Increment Millis } `json:"clock"`
	}{plain: (*plain)(g)}
	if err := json.Unmarshal(b, &full); err != nil {
		return err
	}
	if c := full.Clock; c != nil {
		g.Clock = Clock{c.Initial.Duration(), c.Increment.Duration()}
	}
	if g.State.Status == "" {
		return errNoState
	}
	return nil
}

// stateLine is the beginning of a gameState line, sent for each move.
var stateLine = []byte(`{"type":"gameState",`)

// decodeState decodes a line that starts as a gameState in a single pass: our clock
// may be running.
func decodeState(line []byte) (*GameState, bool) {
	typed := struct {
		Type string `json:"type"`
		*GameState
	}{GameState: new(GameState)}
	ok := bytes.HasPrefix(line, stateLine) && json.Unmarshal(line, &typed) == nil && typed.Type == "gameState"
	return typed.GameState, ok
}

// gameEvents are the events of a game stream, by type.
var gameEvents = map[string]func() GameEvent{
	"gameFull":     func() GameEvent { return new(GameFull) },
	"gameState":    func() GameEvent { return new(GameState) },
	"chatLine":     func() GameEvent { return new(ChatLine) },
	"opponentGone": func() GameEvent { return new(OpponentGone) },
}

// decodeGameEvent decodes a line of a game stream.
func decodeGameEvent(line []byte) (GameEvent, error) {
	if state, ok := decodeState(line); ok {
		return state, nil
	}
	return decodeTyped(line, gameEvents)
}
