package app

import (
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// StreamIdle is the silence after which a stream counts as dead: Lichess sends
// a blank line every 7 s.
const StreamIdle = 10 * time.Second

// interactiveTimeout bounds calls for which a person waits. The second name server is asked
// after 5 s, the third after 10 s.
const interactiveTimeout = 15 * time.Second

// NewClient returns a client of the configured server whose calls are not retried, since a
// person waits.
func NewClient(c *config.Config, token config.Secret) (*lichess.Client, error) {
	o, err := clientOptions(c, token)
	if err != nil {
		return nil, err
	}
	o.RetryFor, o.CallTimeout = -1, interactiveTimeout
	return lichess.New(o)
}

// Connect is [NewClient] with the token of the settings.
func Connect(c *config.Config) (*lichess.Client, error) {
	token, err := c.Token()
	if err != nil {
		return nil, err
	}
	return NewClient(c, token)
}

// clientOptions returns the options of a client of the configured server.
func clientOptions(c *config.Config, token config.Secret) (o lichess.Options, err error) {
	o = lichess.Options{URL: c.Lichess.URL, UserAgent: UserAgent(), StreamIdle: StreamIdle}
	o.Token, err = lichess.NewToken(token.Reveal())
	return o, err
}
