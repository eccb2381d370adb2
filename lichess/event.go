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

// ChallengeCreated is a new challenge, or a pending one when the stream is opened.
// Outgoing challenges are included: compare the challenger's id.
type ChallengeCreated struct {
	Challenge Challenge `json:"challenge"`
	Compat    *Compat   `json:"compat"` // nil for those sent when the stream is opened
}

// ChallengeCanceled is a challenge canceled by its challenger.
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

// decodeEvent decodes a line of the event stream.
func decodeEvent(line []byte) (Event, error) {
	kind, err := lineType(line)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "challenge":
		e := new(ChallengeCreated)
		return decodeWithID[Event](line, e, &e.Challenge.ID, errNoChallengeID)
	case "challengeCanceled":
		e := new(ChallengeCanceled)
		return decodeWithID[Event](line, e, &e.Challenge.ID, errNoChallengeID)
	case "challengeDeclined":
		e := new(ChallengeDeclined)
		return decodeWithID[Event](line, e, &e.Challenge.ID, errNoChallengeID)
	case "gameStart":
		e := new(GameStart)
		return decodeWithID[Event](line, e, &e.Game.ID, errNoGameID)
	case "gameFinish":
		e := new(GameFinish)
		return decodeWithID[Event](line, e, &e.Game.ID, errNoGameID)
	}
	return unknownEvent(kind, line), nil
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

// decodeAs decodes a line into an event.
func decodeAs[E any](line []byte, event E) (E, error) {
	if err := json.Unmarshal(line, event); err != nil {
		var none E
		return none, err
	}
	return event, nil
}

// decodeWithID decodes a line into an event and returns the error missing if its
// id is empty.
func decodeWithID[E any](line []byte, event E, id *string, missing error) (E, error) {
	event, err := decodeAs(line, event)
	if err == nil && *id == "" {
		var none E
		return none, missing
	}
	return event, err
}

// unknownEvent copies the line, whose buffer belongs to the reader.
func unknownEvent(kind string, line []byte) *UnknownEvent {
	return &UnknownEvent{Type: kind, Raw: bytes.Clone(line)}
}
