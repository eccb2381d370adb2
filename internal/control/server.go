package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/internal/web"
)

// The requests of the protocol, which is HTTP, and the header with the user's name.
const (
	commandPath = "/command"
	pingPath    = "/ping"
	userHeader  = "Zhbot-User"
)

// Executor executes requests, as an [*Operator] does.
type Executor interface {
	Execute(ctx context.Context, origin string, r Request) (Result, error)
}

// Start serves commands until stop is called. The bot can run without it: a place that
// cannot be used is only a warning.
func Start(ctx context.Context, c *config.Config, e Executor, log zerolog.Logger) (stop func()) {
	place, err := PlaceOf(c)
	if errors.Is(err, ErrOff) {
		return func() {}
	}
	var l net.Listener
	var secret string
	var file os.FileInfo
	if err == nil {
		l, secret, err = place.listen(ctx)
	}
	if err == nil {
		file, err = os.Lstat(place.path)
	}
	if err != nil {
		log.Warn().Err(err).Msg("\"zhbot ctl\" cannot reach this bot, which plays without it")
		return func() {}
	}
	log.Info().Stringer("at", place).Msg("controlled by \"zhbot ctl\"")
	stopServing := web.Start(ctx, l, newHandler(e, secret), log, "\"zhbot ctl\" cannot reach this bot any more")
	return func() {
		if now, err := os.Lstat(place.path); err == nil && os.SameFile(file, now) { // it may be another bot's by now
			_ = os.Remove(place.path)
		}
		stopServing()
	}
}

// newHandler returns the handler of all requests, which must have the secret if there is
// one.
func newHandler(e Executor, secret string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pingPath, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST "+commandPath, func(w http.ResponseWriter, r *http.Request) {
		ServeCommand(e, Origin("ctl", r.Header.Get(userHeader)), w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if secret != "" && !web.IsSecret(r.Header.Get("Authorization"), "Bearer "+secret) {
			http.Error(w, "the secret is missing or wrong", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Failure is the answer to a request that was not executed.
type Failure struct {
	Error string `json:"error"`
}

// ServeCommand executes the command in an HTTP request by origin, and answers with a
// [Result] or a [Failure].
func ServeCommand(e Executor, origin string, w http.ResponseWriter, r *http.Request) {
	var request Request
	var answer any
	err := web.ReadJSON(w, r, &request)
	if err != nil {
		err = usageErrorf("request not read: %v", err)
	} else {
		answer, err = e.Execute(r.Context(), origin, request)
	}
	status := http.StatusOK
	if err != nil {
		status, answer = http.StatusConflict, Failure{err.Error()}
	}
	if _, ok := errors.AsType[*UsageError](err); ok {
		status = http.StatusBadRequest
	}
	web.SendJSON(w, status, answer)
}

const maxOrigin = 64 // characters

// Origin describes who makes a request and by what means. Unprintable characters of the
// name are dropped, and it is cut to maxOrigin.
func Origin(by, name string) string {
	name = term.Short(name, maxOrigin)
	if name == "" {
		return by
	}
	return fmt.Sprintf("%s (%s)", by, name)
}
