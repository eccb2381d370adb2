package play

import (
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules"
)

// command is a command of the person, with the parameters of all.
type command struct {
	Revision int    `json:"revision"` // the state that the person saw
	Move     string `json:"move"`     // in UCI notation or SAN
	Ply      int    `json:"ply"`      // to evaluate

	// Of a new game.
	Side  string            `json:"side"` // white, black or random
	Level human.LevelChoice `json:"level"`
	Clock string            `json:"clock"` // such as 5+3, or none
	FEN   string            `json:"fen"`   // "" for the usual start
}

// commands returns what the commands do, by their names.
func commands() map[string]func(*session, *command) error {
	return map[string]func(*session, *command) error{
		"new": (*session).newGame, "move": (*session).move, "takeback": (*session).takeBack,
		"resign": (*session).resign, "draw": (*session).offerDraw, "evaluate": (*session).evaluate,
	}
}

// settings returns those of a new game.
func (c *command) settings() (s Settings, err error) {
	s = Settings{Start: rules.StartPosition(), Level: c.Level}
	if s.Side, err = ParseSide(c.Side); err != nil {
		return s, err
	}
	if s.Clock, err = ParseClock(c.Clock); err != nil {
		return s, err
	}
	if c.FEN != "" {
		if s.Start, err = rules.ParseFEN(c.FEN); err != nil {
			return s, err
		}
	}
	return s, s.Check()
}

// serveCommand serves a command, which comes as JSON. The answer is empty, or an error as
// JSON; what has changed is on the stream.
func (s *session) serveCommand(run func(*session, *command) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status, c := http.StatusBadRequest, new(command)
		err := readCommand(w, r, c)
		if err == nil {
			status = http.StatusUnprocessableEntity
			err = s.at(c.Revision, func() error { return run(s, c) })
		}
		if err != nil {
			web.SendJSON(w, status, map[string]string{"error": err.Error()})
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// readCommand reads a command. It must be sent as JSON, which no form of another site can.
func readCommand(w http.ResponseWriter, r *http.Request, c *command) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return errors.New("want JSON")
	}
	if err := web.ReadJSON(w, r, c); err != nil {
		return fmt.Errorf("read the command: %w", err)
	}
	return nil
}
