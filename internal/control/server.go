package control

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	stdlog "log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/web"
)

// Limits on clients.
const (
	maxConnections  = 16
	maxHeaderBytes  = 8 << 10
	headerTimeout   = 5 * time.Second
	writeTimeout    = 100 * time.Second // more than any command takes
	idleTimeout     = 10 * time.Second
	shutdownTimeout = time.Second // for commands in progress
)

// The requests of the protocol, which is HTTP, and the header with the user's name.
const (
	commandPath = "/command"
	pingPath    = "/ping"
	userHeader  = "Zhbot-User"
)

// Start serves commands until stop is called. The bot can run without it: a place that
// cannot be used is only a warning.
func Start(ctx context.Context, c *config.Config, o Doer, log zerolog.Logger) (stop func()) {
	place, err := PlaceOf(c)
	if errors.Is(err, ErrOff) {
		return func() {}
	}
	var l net.Listener
	var secret string
	if err == nil {
		l, secret, err = place.listen(ctx)
	}
	if err != nil {
		log.Warn().Err(err).Msg("\"zhbot ctl\" cannot reach this bot, which plays without it")
		return func() {}
	}
	log.Info().Stringer("at", place).Msg("controlled by \"zhbot ctl\"")
	return serve(ctx, l, newHandler(o, secret), log)
}

// serve serves HTTP on a listener until stop is called.
func serve(ctx context.Context, l net.Listener, h http.Handler, log zerolog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	server := &http.Server{
		Handler: h, BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: stdlog.New(debugLog{log}, "", 0),
	}
	web.LimitConnections(server, maxConnections)
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Warn().Err(err).Msg("\"zhbot ctl\" cannot reach this bot any more")
		}
	})
	return func() {
		last, end := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer end()
		if server.Shutdown(last) != nil { // commands are still in progress
			_ = server.Close()
		}
		cancel()
		serving.Wait()
	}
}

// debugLog logs errors of the HTTP server, which are about clients.
type debugLog struct{ log zerolog.Logger }

// Write implements io.Writer.
func (d debugLog) Write(line []byte) (int, error) {
	d.log.Debug().Bytes("text", line).Msg("control server")
	return len(line), nil
}

// newHandler returns the handler of all requests, which must have the secret if there is
// one.
func newHandler(o Doer, secret string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pingPath, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST "+commandPath, func(w http.ResponseWriter, r *http.Request) {
		status, answer := CarryOut(o, Origin("ctl", r.Header.Get(userHeader)), w, r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer) // or the client is gone
	})
	want := sha256.Sum256([]byte("Bearer " + secret))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if secret != "" && subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			http.Error(w, "the secret is missing or wrong", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
