package control

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/lichess"
)

// userHeader is the header with the user's name. The protocol is HTTP, and each request a command.
const userHeader = "Zhbot-User"

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
	if err == nil {
		l, secret, err = place.listen(ctx)
	}
	if err != nil {
		log.Warn().Err(err).Msg("\"zhbot ctl\" cannot reach this bot, which plays without it")
		return func() {}
	}
	log.Info().Stringer("at", place).Msg("controlled by \"zhbot ctl\"")
	stopServing := web.Start(ctx, l, newHandler(e, secret), log, "\"zhbot ctl\" cannot reach this bot any more")
	return func() {
		_ = os.Remove(place.path) // while nobody else can listen there
		stopServing()
	}
}

// newHandler returns the handler of all requests, which must have the secret if there is
// one.
func newHandler(e Executor, secret string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if secret != "" && !web.IsSecret(r.Header.Get("Authorization"), "Bearer "+secret) {
			http.Error(w, "the secret is missing or wrong", http.StatusUnauthorized)
			return
		}
		ServeCommand(e, Origin("ctl", r.Header.Get(userHeader)), w, r)
	})
}

// ServeCommand executes the command in an HTTP request by origin, and answers with the
// result.
func ServeCommand(e Executor, origin string, w http.ResponseWriter, r *http.Request) {
	var request Request
	var result Result
	err := web.ReadJSON(w, r, &request)
	if err != nil {
		err = usageErrorf("request not understood, perhaps since the bot is of another version: %v", err)
	} else {
		result, err = e.Execute(r.Context(), origin, request)
	}
	status := http.StatusOK
	if err != nil {
		status, result.Error = http.StatusConflict, err.Error()
	}
	if _, ok := errors.AsType[*UsageError](err); ok {
		status = http.StatusBadRequest
	}
	web.SendJSON(w, status, result)
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

// listen listens at the place. What a bot that was killed has left there is replaced. The
// secret is that which clients must send, "" if they need none.
func (p Place) listen(ctx context.Context) (l net.Listener, secret string, err error) {
	if p.address == "" {
		l, err = p.listenSocket(ctx)
		return l, "", err
	}
	if l, err = new(net.ListenConfig).Listen(ctx, "tcp", p.address); err != nil {
		return nil, "", err
	}
	s := secrets{Address: l.Addr().String(), Secret: rand.Text()}
	if err := file.WriteJSON(p.path, s, 0o600); err != nil {
		return nil, "", errors.Join(err, l.Close())
	}
	return l, s.Secret, nil
}

// listenSocket binds a socket in a folder that nobody else can enter, and moves it to its
// place when only its owner can open it.
func (p Place) listenSocket(ctx context.Context) (net.Listener, error) {
	if other, err := p.dial(ctx, "", ""); err == nil {
		return nil, errors.Join(other.Close(),
			fmt.Errorf("%s: another bot listens there; give this one its own ctl.listen", p))
	}
	switch info, err := os.Lstat(p.path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s exists and is not a socket; set ctl.listen to another path", p.path)
	}
	dir, err := os.MkdirTemp(filepath.Dir(p.path), ".ctl-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "ctl")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it will be elsewhere
	if err := errors.Join(os.Chmod(path, 0o600), os.Rename(path, p.path)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// secrets is the content of the secret file of a port.
type secrets struct {
	Address string `json:"address"`
	Secret  string `json:"secret"`
}

// readSecrets reads the secret file of a port.
func readSecrets(path string) (secrets, error) {
	s, err := file.ReadJSON[secrets](path)
	host, _, _ := net.SplitHostPort(s.Address)
	switch {
	case err != nil:
		return s, err
	case s == secrets{}:
		return s, fs.ErrNotExist
	case !net.ParseIP(host).IsLoopback():
		return s, fmt.Errorf("%s: %q is not an address of this machine", path, s.Address)
	}
	return s, nil
}

const (
	sendTimeout   = 100 * time.Second // more than any command takes
	statusTimeout = time.Second
	maxAnswer     = 1 << 20 // bytes
)

// NotRunning returns an error that says that no bot listens at a place, and what to do.
func NotRunning(place string) error {
	return fmt.Errorf("no bot runs with these settings (nothing at %s): start it with \"zhbot run\", "+
		"or use the same --config, --set and environment as the bot", place)
}

// Send has the bot that runs with the settings execute a command. The error of an invalid
// command is a [*UsageError].
func Send(ctx context.Context, c *config.Config, r Request) (result Result, err error) {
	if err := r.validate(); err != nil {
		return result, err
	}
	place, err := PlaceOf(c)
	if err != nil {
		return result, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return result, err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	answer, err := place.send(ctx, bytes.NewReader(text))
	network, isNetwork := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return result, fmt.Errorf("%w; only the user who started the bot may control it", err)
	case errors.Is(err, fs.ErrNotExist), isNetwork && network.Op == "dial" && ctx.Err() == nil:
		err = NotRunning(place.String())
		return result, fmt.Errorf("%w; a relative records.dir is relative to the folder in which it was started", err)
	case err != nil:
		return result, err
	}
	defer func() { _ = answer.Body.Close() }()
	return readAnswer(answer)
}

// AskStatus returns what the bot that runs with the settings is doing, nil if none answers
// within a second.
func AskStatus(ctx context.Context, c *config.Config) *bot.Status {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	result, _ := Send(ctx, c, Request{Command: "status"})
	return result.Status
}

// dial connects to the socket.
func (p Place) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", p.path)
}

// send sends a command to the bot at the place.
func (p Place) send(ctx context.Context, command io.Reader) (*http.Response, error) {
	s := secrets{Address: "zhbot"}
	transport := &http.Transport{DisableKeepAlives: true} // straight there, whatever proxy is set
	if p.address == "" {
		transport.DialContext = p.dial
	} else {
		var err error
		if s, err = readSecrets(p.path); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.Address, command)
	if err != nil {
		return nil, err
	}
	if s.Secret != "" {
		r.Header.Set("Authorization", "Bearer "+s.Secret)
	}
	if u, err := user.Current(); err == nil {
		r.Header.Set(userHeader, u.Username)
	}
	answer, err := (&http.Client{Transport: lichess.Transport{Transport: transport}}).Do(r)
	if err != nil {
		return nil, fmt.Errorf("the bot does not answer: %w", err)
	}
	return answer, nil
}

// readAnswer reads the answer to a command.
func readAnswer(answer *http.Response) (Result, error) {
	var result Result
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	switch {
	case err != nil:
		return Result{}, fmt.Errorf("the bot's answer, %s, was not understood: %w", answer.Status, err)
	case answer.StatusCode == http.StatusBadRequest:
		return Result{}, &UsageError{result.Error}
	case answer.StatusCode != http.StatusOK:
		return Result{}, errors.New(cmp.Or(result.Error, answer.Status))
	}
	return result, nil
}
