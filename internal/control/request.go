package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/zhbot/zhbot/internal/web"
)

// Limits of a request.
const (
	MaxRequest  = 4 << 10 // bytes of its JSON
	maxArgs     = 64
	maxArgBytes = 1 << 10
	maxOrigin   = 64
)

// readTimeout bounds the time that a client may take to send a request.
const readTimeout = 5 * time.Second

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
	request, err := readRequest(w, r)
	var answer any
	if err == nil {
		answer, err = e.Execute(r.Context(), origin, request)
	}
	status := http.StatusOK
	if err != nil {
		status, answer = http.StatusConflict, Failure{err.Error()}
	}
	var usage *UsageError
	if errors.As(err, &usage) {
		status = http.StatusBadRequest
	}
	web.SendJSON(w, status, answer)
}

// readRequest reads a request as JSON from the body of one over HTTP. An error is a
// [*UsageError].
func readRequest(w http.ResponseWriter, r *http.Request) (Request, error) {
	// The errors are that the connection has no deadlines, as in tests. A deadline that
	// stays would cancel the request while the command is executed.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(readTimeout))
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequest))
	_ = connection.SetReadDeadline(time.Time{})
	if err != nil {
		return Request{}, usageErrorf("request not read: %v", err)
	}
	return decodeRequest(text)
}

func decodeRequest(text []byte) (Request, error) {
	var r Request
	if err := json.Unmarshal(text, &r); err != nil {
		return Request{}, usageErrorf("request not understood: %v", err)
	}
	if len(r.Args) > maxArgs {
		return Request{}, usageErrorf("%d arguments, want at most %d", len(r.Args), maxArgs)
	}
	for _, arg := range append([]string{r.Command}, r.Args...) {
		if len(arg) > maxArgBytes || strings.ContainsFunc(arg, unicode.IsControl) {
			return Request{}, usageErrorf("%q is too long or has control characters", clip(arg))
		}
	}
	return r, nil
}

// Origin describes who makes a request and by what means. Unprintable characters of the
// name are dropped, and it is cut to maxOrigin.
func Origin(by, name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	if len([]rune(name)) > maxOrigin {
		name = string([]rune(name)[:maxOrigin])
	}
	if name == "" {
		return by
	}
	return fmt.Sprintf("%s (%s)", by, name)
}
