package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules"
)

// Limits on the bodies of commands.
const (
	maxBody     = 4 << 10
	bodyTimeout = 10 * time.Second
)

// command serves a command of the person, which comes as JSON. The answer is empty, or an
// error as JSON; what has changed is on the stream.
func command[C any](run func(C) error) http.Handler {
	return web.WithWriteDeadline(func(w http.ResponseWriter, r *http.Request) {
		kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || kind != "application/json" {
			writeError(w, http.StatusUnsupportedMediaType, errors.New("want JSON"))
			return
		}
		// The error is that the connection has no deadlines, as in tests.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
		var c C
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&c); err != nil {
			status := http.StatusBadRequest
			var tooLarge *http.MaxBytesError
			if errors.As(err, &tooLarge) {
				status = http.StatusRequestEntityTooLarge
			}
			writeError(w, status, fmt.Errorf("read the command: %w", err))
			return
		}
		if err := run(c); err != nil {
			writeError(w, statusOf(err), err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// conflicts are the errors of commands that the game does not allow now.
var conflicts = []error{
	ErrStale, ErrNotYourTurn, ErrOver, ErrPaused, ErrNoClock,
	ErrNothingToTakeBack, ErrThinking,
}

// statusOf returns the HTTP status of the error of a command.
func statusOf(err error) int {
	for _, conflict := range conflicts {
		if errors.Is(err, conflict) {
			return http.StatusConflict
		}
	}
	switch {
	case errors.Is(err, ErrClosed):
		return http.StatusServiceUnavailable
	case errors.Is(err, ErrNotSaved):
		return http.StatusInternalServerError
	}
	return http.StatusUnprocessableEntity
}

func writeError(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()}) // the client may be gone
}

// atRevision is a command without parameters, and part of all others.
type atRevision struct {
	Revision int `json:"revision"` // the state that the person saw
}

type moveCommand struct {
	atRevision
	Move string `json:"move"` // in UCI notation or SAN
}

type pauseCommand struct {
	atRevision
	Paused bool `json:"paused"`
}

type evaluateCommand struct {
	atRevision
	Ply int `json:"ply"`
}

type newGameCommand struct {
	atRevision
	Side  string `json:"side"` // white, black or random
	Level int    `json:"level"`
	Clock string `json:"clock"` // such as 5+3, or none
	FEN   string `json:"fen"`   // "" for the usual start
}

func (p *Page) move(c moveCommand) error         { return p.opts.Session.Move(c.Revision, c.Move) }
func (p *Page) takeBack(c atRevision) error      { return p.opts.Session.TakeBack(c.Revision) }
func (p *Page) resign(c atRevision) error        { return p.opts.Session.Resign(c.Revision) }
func (p *Page) pause(c pauseCommand) error       { return p.opts.Session.Pause(c.Revision, c.Paused) }
func (p *Page) evaluate(c evaluateCommand) error { return p.opts.Session.Evaluate(c.Revision, c.Ply) }

func (p *Page) newGame(c newGameCommand) (err error) {
	settings := Settings{Start: rules.StartPosition(), Level: c.Level}
	if settings.Side, err = ParseSide(c.Side); err != nil {
		return err
	}
	if settings.Clock, err = ParseClock(c.Clock); err != nil {
		return err
	}
	if c.FEN != "" {
		if settings.Start, err = rules.ParseFEN(c.FEN); err != nil {
			return err
		}
	}
	return p.opts.Session.NewGame(c.Revision, settings)
}
