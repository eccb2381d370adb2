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

// decodeEvent decodes a line of the event stream.
func decodeEvent(line []byte) (Event, error) {
	kind, err := lineType(line)
	if err != nil {
		return nil, err
	}
	var e Event
	switch kind {
	case "challenge":
		e = new(ChallengeCreated)
	case "challengeCanceled":
		e = new(ChallengeCanceled)
	case "challengeDeclined":
		e = new(ChallengeDeclined)
	case "gameStart":
		e = new(GameStart)
	case "gameFinish":
		e = new(GameFinish)
	default:
		return unknownEvent(kind, line), nil
	}
	if err := json.Unmarshal(line, e); err != nil {
		return nil, err
	}
	if err := e.validate(); err != nil {
		return nil, err
	}
	return e, nil
}

// lineType returns the type of a line, which must be a JSON object.
func lineType(line []byte) (string, error) {
	var head *struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return "", err
	}
	if head == nil {
		return "", errors.New("null instead of an object")
	}
	return head.Type, nil
}

// unknownEvent copies the line, whose buffer belongs to the reader.
func unknownEvent(kind string, line []byte) *UnknownEvent {
	return &UnknownEvent{Type: kind, Raw: bytes.Clone(line)}
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
	Perf         Perf      `json:"perf"`
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

// decodeGameEvent decodes a line of a game stream.
func decodeGameEvent(line []byte) (GameEvent, error) {
	if state, ok := decodeState(line); ok {
		return state, nil
	}
	kind, err := lineType(line)
	if err != nil {
		return nil, err
	}
	var e GameEvent
	switch kind {
	case "gameFull":
		e = new(GameFull)
	case "gameState":
		e = new(GameState)
	case "chatLine":
		e = new(ChatLine)
	case "opponentGone":
		e = new(OpponentGone)
	default:
		return unknownEvent(kind, line), nil
	}
	if err := json.Unmarshal(line, e); err != nil {
		return nil, err
	}
	return e, nil
}
