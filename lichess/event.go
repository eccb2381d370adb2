package lichess

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Event is a line of the event stream: [*ChallengeCreated],
// [*ChallengeCanceled], [*ChallengeDeclined], [*GameStart], [*GameFinish], or
// [*UnknownEvent].
type Event interface{ event() }

// ChallengeCreated is a new challenge, or a pending one after a connect. Own
// challenges come back too: compare the challenger's id.
type ChallengeCreated struct {
	Challenge Challenge `json:"challenge"`
	Compat    *Compat   `json:"compat"` // nil for those replayed on connect
}

// ChallengeCanceled is a challenge taken back by its challenger.
type ChallengeCanceled struct {
	Challenge Challenge `json:"challenge"`
}

// ChallengeDeclined is a challenge refused; see its DeclineReasonKey.
type ChallengeDeclined struct {
	Challenge Challenge `json:"challenge"`
}

// GameStart is a game that began, or one in play after a connect: the same game
// may come many times.
type GameStart struct {
	Game Game `json:"game"`
}

// GameFinish is a game that ended or was aborted. It is never replayed.
type GameFinish struct {
	Game Game `json:"game"`
}

// UnknownEvent is a line of a type that this package does not know.
type UnknownEvent struct {
	Type string // may be empty
	Raw  json.RawMessage
}

func (*ChallengeCreated) event()  {}
func (*ChallengeCanceled) event() {}
func (*ChallengeDeclined) event() {}
func (*GameStart) event()         {}
func (*GameFinish) event()        {}
func (*UnknownEvent) event()      {}

var (
	errNoGameID      = errors.New("a game event without a game id")
	errNoChallengeID = errors.New("a challenge without an id")
)

// decodeEvent reads a line of the event stream.
func decodeEvent(line []byte) (Event, error) {
	kind, err := kindOf(line)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "challenge":
		e := new(ChallengeCreated)
		return decodeNamed[Event](line, e, &e.Challenge.ID, errNoChallengeID)
	case "challengeCanceled":
		e := new(ChallengeCanceled)
		return decodeNamed[Event](line, e, &e.Challenge.ID, errNoChallengeID)
	case "challengeDeclined":
		e := new(ChallengeDeclined)
		return decodeNamed[Event](line, e, &e.Challenge.ID, errNoChallengeID)
	case "gameStart":
		e := new(GameStart)
		return decodeNamed[Event](line, e, &e.Game.ID, errNoGameID)
	case "gameFinish":
		e := new(GameFinish)
		return decodeNamed[Event](line, e, &e.Game.ID, errNoGameID)
	}
	return unknownEvent(kind, line), nil
}

// kindOf returns the type of a line, which must be an object.
func kindOf(line []byte) (string, error) {
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

// decodeAs fills an event from its line.
func decodeAs[E any](line []byte, event E) (E, error) {
	if err := json.Unmarshal(line, event); err != nil {
		var none E
		return none, err
	}
	return event, nil
}

// decodeNamed fills an event that nobody can act on without its id.
func decodeNamed[E any](line []byte, event E, id *string, missing error) (E, error) {
	event, err := decodeAs(line, event)
	if err == nil && *id == "" {
		var none E
		return none, missing
	}
	return event, err
}

// unknownEvent keeps the line, whose buffer belongs to the reader.
func unknownEvent(kind string, line []byte) *UnknownEvent {
	return &UnknownEvent{Type: kind, Raw: bytes.Clone(line)}
}
