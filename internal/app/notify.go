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

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
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

// notifier observes the bot, and notifies the operator of some events, one after the other,
// in a goroutine of its own. Nothing is sent twice: what an endpoint does not take is lost,
// and logged once until it takes another.
type notifier struct {
	endpoints func() []config.Endpoint
	client    *resty.Client
	log       zerolog.Logger
	queue     chan notification
	stop      func() // sends what waits, within the timeout; later notifications are not sent

	mu      sync.Mutex // guards the fields below
	notices notices
	failing map[string]bool // endpoints, by their texts
}

// startNotifier starts a notifier whose endpoints may change.
func startNotifier(endpoints func() []config.Endpoint, client *resty.Client, log zerolog.Logger) *notifier {
	n := &notifier{
		endpoints: endpoints, client: client, log: log,
		queue: make(chan notification, notifyQueue), failing: map[string]bool{},
	}
	n.stop = startLoop(n.run)
	return n
}

// observe has the operator notified of an event, unless too many notifications wait.
func (n *notifier) observe(e event.Event) {
	n.mu.Lock()
	name, text := n.notices.describe(e)
	account := n.notices.account
	n.mu.Unlock()
	if text == "" {
		return
	}
	title := strings.TrimSpace("zhbot "+account) + ": " + name
	select {
	case n.queue <- notification{name, title, text, account, time.Now().UTC()}:
		n.report("queue", nil)
	default:
		n.report("queue", errors.New("too many notifications wait"))
	}
}

func (n *notifier) run(ctx context.Context) {
	sending, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(notifyTimeout, cancel) })()
	for ctx.Err() == nil || len(n.queue) > 0 {
		select {
		case message := <-n.queue:
			n.send(sending, message)
		case <-ctx.Done():
		}
	}
}

// send sends a notification to all endpoints at once.
func (n *notifier) send(ctx context.Context, message notification) {
	var requests sync.WaitGroup
	for i, e := range n.endpoints() {
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
	return resty.NewWithClient(&http.Client{Transport: transport}).
		SetTimeout(notifyTimeout).SetResponseBodyLimit(64<<10).
		SetRedirectPolicy(resty.NoRedirectPolicy()).SetDisableWarn(true).SetHeader("User-Agent", userAgent())
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
		return map[string]any{
			"topic": e.Topic.Reveal(), "title": message.Title, "message": truncate(message.Text, maxText),
		}
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
	client := newNotifyClient(nil)
	test := notification{
		Event: "test", Title: "zhbot: test", Text: "Notifications reach you here.", Time: time.Now().UTC(),
	}
	for _, e := range c.Endpoints() {
		failed := post(ctx, client, e, test)
		if err = errors.Join(err, failed); failed == nil {
			sent = append(sent, e.String())
		}
	}
	return sent, err
}

// notices tells which events the operator is notified of. Nothing about a game in progress
// is among them.
type notices struct {
	account string
	refused bool          // the token or the account, since the bot last played
	crash   event.Crashed // to be reported once the bot is back; zero for none
	unsaved bool          // finished games cannot be written
}

// describe returns a word for an event and a sentence about it, "" for nothing to notify of.
func (n *notices) describe(e event.Event) (name, text string) {
	switch e := e.(type) {
	case event.Crashed:
		n.crash = e
	case event.LoggedIn:
		crash, refused := n.crash, n.refused
		n.account, n.crash, n.refused = e.Account, event.Crashed{}, false
		switch {
		case !crash.Began.IsZero():
			return "crashed", "The bot is back after a crash: the run that began on " +
				crash.Began.Format("2 January at 15:04 UTC") + " did not end by itself."
		case refused:
			return "accepted", "Lichess accepts the token and the account again."
		}
	case event.Ended:
		return n.describeEnd(e)
	case event.BacklogChanged:
		if failing := e.Reason != ""; failing != n.unsaved {
			n.unsaved = failing
			return "records", fmt.Sprintf("The records: %s.", e)
		}
	case event.Verdict:
		return "verdict", e.Text
	case event.GameEnded:
		if how := lostByOther(&e.GameView); how != "" {
			return "lost", fmt.Sprintf("The game against %s was lost %s: %s", e.Opponent().Name, how, e.Site)
		}
	}
	return "", ""
}

// describeEnd describes why the bot has stopped. A refusal is told once, however often the
// bot tries again.
func (n *notices) describeEnd(e event.Ended) (name, text string) {
	switch {
	case e.Err == nil && len(e.Games) > 0:
		games := strings.Join(e.Games, ", ")
		return "drained", "The bot has drained and stopped. Left to the next start: " + games + "."
	case e.Err == nil:
		return "drained", "The bot has drained and stopped."
	case errors.Is(e.Err, context.Canceled), n.refused && bot.IsRefused(e.Err):
	case bot.IsRefused(e.Err):
		n.refused = true
		return "refused", fmt.Sprintf("Lichess refuses the token or the account, so the bot does not play: %v", e.Err)
	default:
		return "stopped", fmt.Sprintf("The bot has stopped: %v", e.Err)
	}
	return "", ""
}

// lostByOther tells by what other than chess a game was lost, "" if it was not.
func lostByOther(v *event.GameView) string {
	noFirstMove := v.Status == lichess.StatusNoStart && v.Board.Position().Turn() == v.Us
	if v.Result != rules.WinOf(v.Us.Other()) && !noFirstMove {
		return ""
	}
	switch v.Status {
	case lichess.StatusMate, lichess.StatusResign, lichess.StatusVariantEnd:
		return ""
	case lichess.StatusOutOfTime:
		return "on time"
	case lichess.StatusTimeout:
		return "because the bot was away"
	case lichess.StatusNoStart:
		return "because the bot made no first move"
	}
	return fmt.Sprintf("by %q", v.Status)
}
