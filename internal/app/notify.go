package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

const (
	// notifyTimeout bounds a request, and what is left to send when the program ends.
	notifyTimeout = 10 * time.Second
	// notifyQueue is how many notifications wait for a slow endpoint before any is dropped.
	notifyQueue = 32
)

// notification is a message to the operator.
type notification struct {
	Event   string // a word for programs
	Title   string
	Text    string
	Account string
	Time    time.Time
}

// notifier sends notifications, one after the other, in a goroutine of its own. Nothing is
// sent twice: what an endpoint does not take is lost, and logged once until it takes
// another.
type notifier struct {
	notices

	endpoints func() ([]config.Endpoint, error)
	client    *resty.Client
	log       zerolog.Logger
	queue     chan notification
	stopping  chan struct{} // closed by stop
	ended     chan struct{} // closed at the end of the goroutine

	mu      sync.Mutex
	failing map[string]bool // endpoints, by their texts
}

// startNotifier starts a notifier whose endpoints may change.
func startNotifier(endpoints func() ([]config.Endpoint, error), client *resty.Client, log zerolog.Logger) *notifier {
	n := &notifier{
		endpoints: endpoints, client: client, log: log, queue: make(chan notification, notifyQueue),
		stopping: make(chan struct{}), ended: make(chan struct{}), failing: map[string]bool{},
	}
	go n.run()
	return n
}

// enqueue has a notification sent, unless too many wait.
func (n *notifier) enqueue(message notification) {
	select {
	case n.queue <- message:
		n.report("queue", nil)
	default:
		n.report("queue", errors.New("too many notifications wait"))
	}
}

func (n *notifier) run() {
	defer close(n.ended)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for stopping := false; !stopping; {
		select {
		case message := <-n.queue:
			n.send(ctx, message)
		case <-n.stopping:
		}
		select {
		case <-n.stopping:
			stopping = true // even if messages wait
		default:
		}
	}
	ctx, stop := context.WithTimeout(ctx, notifyTimeout)
	defer stop()
	for {
		select {
		case message := <-n.queue:
			n.send(ctx, message)
		default:
			return
		}
	}
}

// stop sends what waits, within the timeout. Later notifications are not sent.
func (n *notifier) stop() {
	close(n.stopping)
	select {
	case <-n.ended:
	case <-time.After(3 * notifyTimeout): // a request hangs
	}
}

// send sends a notification to all endpoints at once.
func (n *notifier) send(ctx context.Context, message notification) {
	list, err := n.endpoints()
	if n.report("settings", err); err != nil {
		return
	}
	var requests sync.WaitGroup
	for i, e := range list {
		requests.Go(func() { n.report(fmt.Sprintf("%d: %s", i, e), post(ctx, n.client, e, message)) })
	}
	requests.Wait()
}

// report logs the first of several failures, and their end.
func (n *notifier) report(endpoint string, err error) {
	n.mu.Lock()
	failed := n.failing[endpoint]
	n.failing[endpoint] = err != nil
	n.mu.Unlock()
	switch {
	case err != nil && !failed:
		n.log.Warn().Err(err).Str("endpoint", endpoint).Msg("notification not sent; further failures are not logged")
	case err == nil && failed:
		n.log.Info().Str("endpoint", endpoint).Msg("notifications are sent again")
	}
}

// newNotifyClient returns a client for notifications; a nil transport is the usual one. It
// follows no redirects: a URL is a secret of the host that it names.
func newNotifyClient(transport http.RoundTripper) *resty.Client {
	if transport == nil {
		transport = lichess.Transport{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		}}
	}
	return resty.NewWithClient(&http.Client{Transport: transport}).SetTimeout(notifyTimeout).SetResponseBodyLimit(64<<10).
		SetRedirectPolicy(resty.NoRedirectPolicy()).SetDisableWarn(true).SetHeader("User-Agent", UserAgent())
}

// post sends a notification to an endpoint. Its error does not show what is secret.
func post(ctx context.Context, client *resty.Client, e config.Endpoint, message notification) error {
	response, err := client.R().SetContext(ctx).SetBody(bodyFor(e, message)).Post(e.Address.Reveal())
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // without the URL
	}
	switch {
	case errors.Is(err, resty.ErrAutoRedirectDisabled):
		return fmt.Errorf("%s redirects to another address, which is not followed", e)
	case err != nil && strings.Contains(err.Error(), e.Address.Reveal()):
		return fmt.Errorf("%s cannot be reached", e)
	case err != nil:
		return fmt.Errorf("%s: %w", e, err)
	case !response.IsSuccess():
		return fmt.Errorf("%s answers %d %s", e, response.StatusCode(), http.StatusText(response.StatusCode()))
	}
	return nil
}

// The maximum lengths of a message: on Discord, and on the other services.
const (
	maxContent = 2000
	maxText    = 4000
)

// bodyFor returns what an endpoint understands, to be sent as JSON. Of a webhook's fields,
// Discord shows content, and Slack, Mattermost and Telegram show text; each ignores the rest.
func bodyFor(e config.Endpoint, message notification) map[string]any {
	if e.Topic != "" {
		return map[string]any{"topic": e.Topic.Reveal(), "title": message.Title, "message": truncate(message.Text, maxText)}
	}
	text := message.Title + "\n" + message.Text
	return map[string]any{
		"event": message.Event, "title": message.Title, "account": message.Account, "time": message.Time,
		"text": truncate(text, maxText), "content": truncate(text, maxContent),
		"allowed_mentions": map[string]any{"parse": []string{}},
	}
}

// truncate returns the first characters of a text.
func truncate(text string, length int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), length)])
}

// SendTest sends a test notification to each endpoint of the settings, and returns those that
// took it.
func SendTest(ctx context.Context, c *config.Config) (sent []string, err error) {
	list, err := c.Endpoints()
	if err != nil {
		return nil, err
	}
	client := newNotifyClient(nil)
	for _, e := range list {
		failed := post(ctx, client, e, notification{Event: "test", Title: "zhbot: test", Text: "Notifications reach you here.", Time: time.Now().UTC()})
		if err = errors.Join(err, failed); failed == nil {
			sent = append(sent, e.String())
		}
	}
	return sent, err
}
