package lichess

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// GameEvent is a line of a game stream: [*GameFull] first, then [*GameState],
// [*ChatLine], [*OpponentGone], or [*UnknownEvent].
type GameEvent interface{ gameEvent() }

// GameFull is the first line of a game stream: the game's constants and its state
// so far.
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
	Clock        *Clock    `json:"clock"`      // nil without a clock
	DaysPerTurn  int       `json:"daysPerTurn"`
	TournamentID string    `json:"tournamentId"`
	State        GameState `json:"state"`
}

// Clock is a game's time control.
type Clock struct {
	Initial   Millis `json:"initial"`
	Increment Millis `json:"increment"`
}

// GameState is the complete state of a game. Moves may be the same as in the
// previous state, and fewer after a takeback.
type GameState struct {
	Moves          string      `json:"moves"` // UCI, separated by spaces
	WhiteTime      Millis      `json:"wtime"`
	BlackTime      Millis      `json:"btime"`
	WhiteIncrement Millis      `json:"winc"`
	BlackIncrement Millis      `json:"binc"`
	Status         Status      `json:"status"`
	Winner         Color       `json:"winner"`
	WhiteDraw      bool        `json:"wdraw"` // White offers a draw
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
	if err := json.Unmarshal(b, (*plain)(g)); err != nil {
		return err
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
	switch kind {
	case "gameFull":
		return decodeAs[GameEvent](line, new(GameFull))
	case "gameState":
		return decodeAs[GameEvent](line, new(GameState))
	case "chatLine":
		return decodeAs[GameEvent](line, new(ChatLine))
	case "opponentGone":
		return decodeAs[GameEvent](line, new(OpponentGone))
	}
	return unknownEvent(kind, line), nil
}
