package challenge

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/zhbot/zhbot/lichess"
)

// Limits of a block list.
const (
	blockTimeout   = 10 * time.Second // for the whole of it
	maxBlockSize   = 1 << 20          // bytes, unpacked
	blockRedirects = 5
)

var (
	errNotHTTPS      = errors.New("block list URL must use https")
	errBlockSize     = fmt.Errorf("more than %d bytes", maxBlockSize)
	errBlockRedirect = fmt.Errorf("more than %d redirects", blockRedirects)
	errNoList        = errors.New("not a list of users: want one user per line")
)

// fetch downloads the list, unless the server confirms that the old one is up to date. It
// has its own HTTP client, which does not have the token.
func (l *Blocklist) fetch(ctx context.Context, s BlockSource, old cachedList) (cachedList, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return old, withoutURL(err)
	}
	if request.URL.Scheme != "https" {
		return old, errNotHTTPS
	}
	request.Header.Set("Accept", "text/plain")
	request.Header.Set("User-Agent", l.opts.Agent)
	if !old.Read.IsZero() {
		setNonEmpty(request.Header, "If-None-Match", old.ETag)
		setNonEmpty(request.Header, "If-Modified-Since", old.Modified)
	}
	response, err := l.httpClient().Do(request)
	if err != nil {
		return old, withoutURL(err)
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotModified:
		old.Read = time.Now().UTC()
		return old, nil
	default:
		return old, fmt.Errorf("%s answers %d", request.URL.Hostname(), response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxBlockSize+1))
	if err == nil {
		err = ctx.Err() // a cancelled response may look complete
	}
	switch {
	case err != nil:
		return old, withoutURL(err)
	case len(text) > maxBlockSize:
		return old, errBlockSize
	}
	users, err := parseBlocklist(text)
	return cachedList{
		URL: s.URL, Users: users, Read: time.Now().UTC(),
		ETag: response.Header.Get("ETag"), Modified: response.Header.Get("Last-Modified"),
	}, err
}

func setNonEmpty(h http.Header, key, value string) {
	if value != "" {
		h.Set(key, value)
	}
}

// httpClient returns an HTTP client that follows https only. Requests are too rare
// to keep connections.
func (l *Blocklist) httpClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:             http.ProxyFromEnvironment,
			TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: l.opts.RootCAs},
			DisableKeepAlives: true,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			switch {
			case r.URL.Scheme != "https":
				return errNotHTTPS
			case len(via) > blockRedirects:
				return errBlockRedirect
			}
			return nil
		},
	}
}

// withoutURL removes the URL from an error, since it may contain a secret key.
func withoutURL(err error) error {
	var named *url.Error
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

// parseBlocklist parses a list. Some invalid lines are ignored; if most are invalid,
// it is not a list but, say, a web page.
func parseBlocklist(text []byte) (users []string, err error) {
	if !utf8.Valid(text) {
		return nil, errNoList
	}
	odd := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		switch name := strings.TrimPrefix(strings.TrimSpace(line), "@"); {
		case name == "":
		case lichess.ValidUserName(name):
			users = append(users, name)
		default:
			odd++
		}
	}
	if odd > len(users) {
		return nil, errNoList
	}
	return users, nil
}
