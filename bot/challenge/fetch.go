package challenge

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-resty/resty/v2"

	"github.com/zhbot/zhbot/lichess"
)

// Limits of a block list.
const (
	blockTimeout   = 10 * time.Second // for the whole of it
	maxBlockSize   = 1 << 20          // bytes, unpacked
	blockRedirects = 5
)

var (
	errNotHTTPS = errors.New("block list URL must use https")
	errNoList   = errors.New("not a list of users: want one user per line")
)

// fetch downloads the list, unless the server confirms that the old one is up to date. It
// has its own HTTP client, which does not have the token, and follows https only. Requests
// are too rare to keep connections.
func (l *Blocklist) fetch(ctx context.Context, old cachedList) (cachedList, error) {
	if !strings.HasPrefix(strings.ToLower(old.URL), "https://") {
		return old, errNotHTTPS
	}
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	client := resty.NewWithClient(&http.Client{Transport: &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: l.opts.RootCAs},
		DisableKeepAlives: true,
	}}).SetResponseBodyLimit(maxBlockSize).SetRedirectPolicy(resty.FlexibleRedirectPolicy(blockRedirects), resty.RedirectPolicyFunc(httpsOnly))
	request := client.R().SetContext(ctx).SetHeader("Accept", "text/plain").SetHeader("User-Agent", l.opts.Agent)
	if !old.Read.IsZero() && old.ETag != "" {
		request.SetHeader("If-None-Match", old.ETag)
	}
	if !old.Read.IsZero() && old.Modified != "" {
		request.SetHeader("If-Modified-Since", old.Modified)
	}
	response, err := request.Get(old.URL)
	if err == nil {
		err = ctx.Err() // a cancelled response may look complete
	}
	if err != nil {
		return old, withoutURL(err)
	}
	switch response.StatusCode() {
	case http.StatusOK:
	case http.StatusNotModified:
		old.Read = time.Now().UTC()
		return old, nil
	default:
		return old, fmt.Errorf("%s answers %d", response.RawResponse.Request.URL.Hostname(), response.StatusCode())
	}
	users, err := parseBlocklist(response.Body())
	return cachedList{
		URL: old.URL, Users: users, Read: time.Now().UTC(),
		ETag: response.Header().Get("ETag"), Modified: response.Header().Get("Last-Modified"),
	}, err
}

func httpsOnly(r *http.Request, _ []*http.Request) error {
	if r.URL.Scheme != "https" {
		return errNotHTTPS
	}
	return nil
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
