package config

import (
	"errors"
	"net/url"
	"strings"

	"github.com/zhbot/zhbot/lichess"
)

// Notify configures where the operator is notified. The URLs are secrets.
type Notify struct {
	URLs []Secret `key:"urls" form:"endpoint"`
}

// Endpoint is a webhook or ntfy, where notifications are sent.
type Endpoint struct {
	Host    string
	Address Secret // that a request is sent to
	Topic   Secret // of ntfy; "" for a webhook
}

// String names the endpoint, without what is secret.
func (e Endpoint) String() string {
	if e.Topic != "" {
		return "ntfy at " + e.Host
	}
	return "webhook at " + e.Host
}

// Endpoints returns the endpoints of the settings.
func (c *Config) Endpoints() (list []Endpoint) {
	for _, text := range c.Notify.URLs {
		e, _ := parseEndpoint(text.Reveal()) // which has been checked
		list = append(list, e)
	}
	return list
}

const (
	telegramHost = "api.telegram.org"
	telegramForm = "https://" + telegramHost + "/botTOKEN/sendMessage?chat_id=ID"
)

var errEndpoint = errors.New("not the URL of a webhook or of ntfy; want the form https://example.org/hook " +
	"(Discord, Slack and Mattermost show theirs), " + telegramForm +
	" or ntfy://ntfy.sh/topic (the URL itself is not shown)")

// parseEndpoint parses a URL. Its error does not show it.
func parseEndpoint(text string) (e Endpoint, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return e, errEndpoint
	}
	e.Host = u.Hostname()
	switch path := strings.Trim(u.Path, "/"); u.Scheme {
	case "https", "http":
		if e.Host == telegramHost && u.Query().Get("chat_id") == "" {
			return e, errors.New("a Telegram URL without a chat; want the form " + telegramForm)
		}
	case "ntfy":
		if path == "" || strings.Contains(path, "/") {
			return e, errors.New("an ntfy URL without a topic; want the form ntfy://ntfy.sh/topic")
		}
		e.Topic = Secret(path)
		scheme := "https"
		if u.Query().Get("scheme") == "http" {
			scheme = "http"
		}
		u = &url.URL{Scheme: scheme, User: u.User, Host: u.Host, Path: "/"}
	default:
		return e, errEndpoint
	}
	if u.Scheme == "http" && !lichess.IsLoopback(strings.ToLower(e.Host)) {
		return e, errors.New("want https, since the URL is a secret; http is for this machine only")
	}
	e.Address = Secret(u.String())
	return e, nil
}

func checkEndpoint(text string) error {
	_, err := parseEndpoint(text)
	return err
}
