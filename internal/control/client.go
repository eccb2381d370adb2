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

	"github.com/zhbot/zhbot/config"
)

const (
	pingTimeout = 2 * time.Second
	maxAnswer   = 1 << 20 // bytes
)

// ErrNotRunning means that no bot listens at the place of the settings.
var ErrNotRunning = errors.New("no bot runs with these settings")

// NotRunning returns [ErrNotRunning] with the place, and what to do.
func NotRunning(place string) error {
	return fmt.Errorf("%w (nothing at %s): start it with \"zhbot run\", or use the same --config, --set and environment as the bot", ErrNotRunning, place)
}

// Do has the bot that runs with the settings carry out a command. The error of an invalid
// command is a [*control.UsageError]; without a bot it is [ErrNotRunning].
func Do(ctx context.Context, c *config.Config, r Request) (Result, error) {
	place, err := PlaceOf(c)
	if err != nil {
		return Result{}, err
	}
	client, err := place.client()
	if err == nil {
		var result Result
		if result, err = client.do(ctx, r); err == nil {
			return result, nil
		}
	}
	var network *net.OpError
	switch {
	case errors.Is(err, fs.ErrPermission):
		return Result{}, fmt.Errorf("%w; only the user who started the bot may control it", err)
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &network) && network.Op == "dial" && ctx.Err() == nil:
		return Result{}, fmt.Errorf("%w; a relative records.dir is relative to the folder in which it was started", NotRunning(place.String()))
	}
	return Result{}, err
}

// client speaks to the bot at a place.
type client struct {
	http   http.Client
	base   string
	secret string
}

// client returns a client of the bot at the place.
func (p Place) client() (*client, error) {
	if err := p.checkPrivate(); err != nil {
		return nil, err
	}
	transport := &http.Transport{DisableKeepAlives: true} // straight there, whatever proxy is set
	c := &client{base: "http://zhbot", http: http.Client{Transport: transport}}
	if p.socket != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", p.socket)
		}
		return c, nil
	}
	s, err := readSecrets(p.file)
	if err != nil {
		return nil, err
	}
	c.base, c.secret = "http://"+s.Address, s.Secret
	return c, nil
}

// ping returns nil if a bot answers.
func (c *client) ping(ctx context.Context) error {
	answer, err := c.send(ctx, http.MethodGet, pingPath, nil)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusNoContent {
		return errors.New(answer.Status)
	}
	return nil
}

// do sends a command.
func (c *client) do(ctx context.Context, r Request) (result Result, err error) {
	text, err := json.Marshal(r)
	if err != nil {
		return result, err
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	answer, err := c.send(ctx, http.MethodPost, commandPath, bytes.NewReader(text))
	if err != nil {
		return result, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err = io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
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
		return result, NewUsageError(f.Error)
	}
	return result, errors.New(f.Error)
}

func (c *client) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	if c.secret != "" {
		r.Header.Set("Authorization", "Bearer "+c.secret)
	}
	if u, err := user.Current(); err == nil {
		r.Header.Set(userHeader, u.Username)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the bot does not answer: %w", err)
	}
	return answer, nil
}
