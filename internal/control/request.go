package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/internal/web"
)

const maxOrigin = 64 // characters

// Executor executes requests, as an [*Operator] does.
type Executor interface {
	Execute(ctx context.Context, origin string, r Request) (Result, error)
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

// Origin describes who makes a request and by what means. Unprintable characters of the
// name are dropped, and it is cut to maxOrigin.
func Origin(by, name string) string {
	name = term.Short(name, maxOrigin)
	if name == "" {
		return by
	}
	return fmt.Sprintf("%s (%s)", by, name)
}
