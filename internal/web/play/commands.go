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
	Paused   bool   `json:"paused"`
	Ply      int    `json:"ply"` // to evaluate

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
		"resign": (*session).resign, "draw": (*session).offerDraw, "pause": (*session).pause, "evaluate": (*session).evaluate,
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
		c, err := readCommand(w, r)
		if err == nil {
			err = s.at(c.Revision, func() error { return run(s, c) })
		}
		if err != nil {
			web.SendJSON(w, statusOf(err), map[string]string{"error": err.Error()})
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

var (
	errNotJSON = errors.New("want JSON")
	errNotRead = errors.New("read the command")
)

func readCommand(w http.ResponseWriter, r *http.Request) (*command, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, errNotJSON
	}
	c := new(command)
	if err := web.ReadJSON(w, r, c); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotRead, err)
	}
	return c, nil
}

// statusOf returns the HTTP status of the error of a command.
func statusOf(err error) int {
	switch {
	case errors.As(err, new(conflict)):
		return http.StatusConflict
	case errors.Is(err, ErrClosed):
		return http.StatusServiceUnavailable
	case errors.Is(err, ErrNotSaved):
		return http.StatusInternalServerError
	case errors.Is(err, errNotJSON):
		return http.StatusUnsupportedMediaType
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, errNotRead):
		return http.StatusBadRequest
	}
	return http.StatusUnprocessableEntity
}
