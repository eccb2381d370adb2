package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/rules/pgn"
)

// Limits on clients.
const (
	maxConnections  = 128
	maxHeaderBytes  = 16 << 10
	headerTimeout   = 5 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = time.Second // for requests in progress
)

// Serve serves HTTP on a listener, which it closes, until the context ends. The contexts
// of requests end with it.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log zerolog.Logger) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          stdlog.New(debugLog{log}, "", 0),
	}
	limitConnections(server, maxConnections)
	closed := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(closed)
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer cancel()
		if server.Shutdown(last) != nil { // requests are still in progress
			_ = server.Close()
		}
	})
	err := server.Serve(l)
	stop() // if it has failed
	<-closed
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}

// Start serves HTTP on a listener, which it closes, until stop is called. If serving fails
// before that, the log says so with a message.
func Start(ctx context.Context, l net.Listener, h http.Handler, log zerolog.Logger, message string) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := Serve(ctx, l, h, log); err != nil {
			log.Warn().Err(err).Msg(message)
		}
	})
	return func() {
		cancel()
		serving.Wait()
	}
}

// debugLog logs errors of the HTTP server, which are about clients.
type debugLog struct{ log zerolog.Logger }

func (d debugLog) Write(line []byte) (int, error) {
	d.log.Debug().Bytes("text", line).Msg("HTTP server")
	return len(line), nil
}

// WriteTimeout is how long a client may take to read a response, or an event.
const WriteTimeout = 10 * time.Second

// setWriteDeadline limits the time that a client may take to read what is written next.
// An error means that the writer has no deadlines, as in tests.
func setWriteDeadline(w http.ResponseWriter) error {
	return http.NewResponseController(w).SetWriteDeadline(time.Now().Add(WriteTimeout))
}

// Limits on the body of a request.
const (
	MaxBody     = 4 << 10 // bytes
	bodyTimeout = 5 * time.Second
)

// ReadJSON reads a value as JSON, without unknown fields, from the body of a request. If
// that is too large, the error is an [*http.MaxBytesError].
func ReadJSON(w http.ResponseWriter, r *http.Request, value any) error {
	// The errors are that the connection has no deadlines, as in tests. A deadline that
	// stays would cancel the request while it is served.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(bodyTimeout))
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	_ = connection.SetReadDeadline(time.Time{})
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the JSON")
	}
	return nil
}

// SendJSON answers with a value as JSON, which a client must read within [WriteTimeout].
func SendJSON(w http.ResponseWriter, status int, v any) {
	encoded, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	Send(w, status, "application/json", encoded)
}

// Send answers with a body, which a client must read within [WriteTimeout].
func Send(w http.ResponseWriter, status int, contentType string, body []byte) {
	_ = setWriteDeadline(w)
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}

// SendPGN answers with a game, to save as a file.
func SendPGN(w http.ResponseWriter, name string, g *pgn.Game) {
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name+".pgn"))
	Send(w, http.StatusOK, "application/x-chess-pgn; charset=utf-8", []byte(g.String()))
}

// LocalURL returns the URL on this machine of a page that listens at an address; an
// address that stands for all addresses is replaced.
func LocalURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if isWildcard(host) {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(strings.ToLower(host), port)
}
