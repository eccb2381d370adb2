package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os/user"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

const (
	sendTimeout   = 100 * time.Second // more than any command takes
	statusTimeout = time.Second
	maxAnswer     = 1 << 20 // bytes
)

// ErrNotRunning means that no bot listens at the place of the settings.
var ErrNotRunning = errors.New("no bot runs with these settings")

// NotRunning returns [ErrNotRunning] with the place, and what to do.
func NotRunning(place string) error {
	return fmt.Errorf("%w (nothing at %s): start it with \"zhbot run\", or use the same --config, --set and environment as the bot", ErrNotRunning, place)
}

// Send has the bot that runs with the settings execute a command. The error of an invalid
// command is a [*UsageError]; without a bot it is [ErrNotRunning].
func Send(ctx context.Context, c *config.Config, r Request) (Result, error) {
	place, err := PlaceOf(c)
	if err != nil {
		return Result{}, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	answer, err := place.send(ctx, http.MethodPost, commandPath, bytes.NewReader(text))
	var network *net.OpError
	switch {
	case errors.Is(err, fs.ErrPermission):
		return Result{}, fmt.Errorf("%w; only the user who started the bot may control it", err)
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &network) && network.Op == "dial" && ctx.Err() == nil:
		return Result{}, fmt.Errorf("%w; a relative records.dir is relative to the folder in which it was started", NotRunning(place.String()))
	case err != nil:
		return Result{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	return readAnswer(answer)
}

// AskStatus returns what the bot that runs with the settings is doing, nil if none answers
// within a second.
func AskStatus(ctx context.Context, c *config.Config) *bot.Status {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	result, err := Send(ctx, c, Request{Command: "status"})
	if err != nil {
		return nil
	}
	return result.Status
}

// send sends an HTTP request to the bot at the place.
func (p Place) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	if err := p.checkPrivate(); err != nil {
		return nil, err
	}
	s := secrets{Address: "zhbot"}
	transport := &http.Transport{DisableKeepAlives: true} // straight there, whatever proxy is set
	if p.address == "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", p.path)
		}
	} else {
		var err error
		if s, err = readSecrets(p.path); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+s.Address+path, body)
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
func readAnswer(answer *http.Response) (result Result, err error) {
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return result, fmt.Errorf("the bot's answer is incomplete: %w", err)
	}
	if answer.StatusCode == http.StatusOK {
		if err := json.Unmarshal(text, &result); err != nil {
			return result, fmt.Errorf("the bot's answer was not understood: %w", err)
		}
		return result, nil
	}
	var f Failure
	if json.Unmarshal(text, &f) != nil || f.Error == "" {
		return result, fmt.Errorf("the bot answers %s: %s", answer.Status, strings.TrimSpace(string(text)))
	}
	if answer.StatusCode == http.StatusBadRequest {
		return result, &UsageError{f.Error}
	}
	return result, errors.New(f.Error)
}
