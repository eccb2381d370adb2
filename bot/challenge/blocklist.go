package challenge

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-resty/resty/v2"
	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/lichess"
)

// BlocklistOptions configure how lists are read.
type BlocklistOptions struct {
	Cache    string         // file that caches the lists between runs; "" for none
	ReadOnly bool           // leave the cache as it is
	Agent    string         // User-Agent header
	RootCAs  *x509.CertPool // nil for the system's

	// Run needs these, too.
	Settings func() *config.Config // the current ones
	Log      zerolog.Logger
}

// Blocklist holds the lists of users to decline, one from each URL: the newest that could
// be downloaded or, before that, the cached one. A list is a text with one user per line,
// and comments after #. A failed refresh leaves it unchanged. Has and Len are safe for
// concurrent use.
type Blocklist struct {
	opts    BlocklistOptions
	timeout time.Duration
	retry   event.Backoff // between tries to read the lists
	changed chan struct{} // capacity 1: the sources may have changed
	updated chan struct{} // capacity 1: a list has changed

	mu    sync.Mutex // for all that follows
	lists []cachedList
	users map[string]bool // ids, of all lists
}

// cachedList is a list as it is cached on disk.
type cachedList struct {
	URL   string    `json:"url"`  // its source
	Read  time.Time `json:"read"` // when it was last downloaded
	Users []string  `json:"users"`
}

// NewBlocklist returns a Blocklist without lists.
func NewBlocklist(o BlocklistOptions) *Blocklist {
	return &Blocklist{
		opts: o, timeout: blockTimeout, retry: event.Backoff{Initial: time.Minute, Max: time.Hour},
		changed: make(chan struct{}, 1), updated: make(chan struct{}, 1),
	}
}

// Notify makes Run look at the settings again.
func (l *Blocklist) Notify() { event.Wake(l.changed) }

// Updated delivers when Run has changed a list.
func (l *Blocklist) Updated() <-chan struct{} { return l.updated }

// Load sets the URLs of the lists to those of the settings.
func (l *Blocklist) Load() {
	if err := l.Use(l.opts.Settings().Challenges.BlockURL); err != nil {
		l.opts.Log.Warn().Err(err).Msg("cached block list not loaded")
	}
}

// Run keeps the lists up to date until the context ends.
func (l *Blocklist) Run(ctx context.Context) error {
	waits := l.retry.Start()
	for {
		l.Load()
		var due <-chan time.Time
		if len(l.lists) > 0 {
			due = time.After(l.refresh(ctx, waits))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-due:
		case <-l.changed:
		}
	}
}

// refresh downloads the lists and returns when to do so again.
func (l *Blocklist) refresh(ctx context.Context, waits *event.Waits) (wait time.Duration) {
	changed, err := l.Refresh(ctx)
	users, read := l.Len()
	switch wait = l.opts.Settings().Challenges.BlockRefresh; {
	case ctx.Err() != nil:
		return wait
	case err != nil:
		wait = min(waits.Next(), max(wait, l.retry.Initial))
		l.opts.Log.Warn().Err(err).Int("users", users).Time("read", read).
			Stringer("retry_in", wait.Round(time.Millisecond)).Msg("block list not up to date")
	default:
		waits.Reset()
		l.opts.Log.Debug().Int("users", users).Bool("changed", changed).Msg("block list up to date")
	}
	if changed {
		l.opts.Log.Info().Int("users", users).Msg("block list read")
		event.Wake(l.updated)
	}
	return wait
}

// Use sets the URLs of the lists. A new one starts from the cache.
func (l *Blocklist) Use(urls []string) (err error) {
	if slices.EqualFunc(l.lists, urls, func(list cachedList, url string) bool { return list.URL == url }) {
		return nil
	}
	known := l.lists
	if len(urls) > 0 && l.opts.Cache != "" {
		var cached []cachedList
		cached, err = file.ReadJSON[[]cachedList](l.opts.Cache)
		known = slices.Concat(known, cached)
	}
	lists := make([]cachedList, len(urls))
	for i, url := range urls {
		lists[i].URL = url
		if k := slices.IndexFunc(known, func(list cachedList) bool { return list.URL == url }); k >= 0 {
			lists[i] = known[k]
		}
	}
	l.set(lists)
	return err
}

// set replaces the lists.
func (l *Blocklist) set(lists []cachedList) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lists, l.users = lists, map[string]bool{}
	for _, list := range lists {
		for _, user := range list.Users {
			l.users[strings.ToLower(user)] = true
		}
	}
}

// Refresh downloads the lists and reports whether any has changed. Like Use, it must not be
// called while Run runs.
func (l *Blocklist) Refresh(ctx context.Context) (changed bool, err error) {
	lists, failed := slices.Clone(l.lists), 0 // which only this goroutine changes
	for i := range lists {
		old := lists[i]
		users, unread := l.fetch(ctx, old.URL)
		if unread != nil {
			failed++
			err = errors.Join(err, fmt.Errorf("read the block list: %w", unread))
			continue
		}
		lists[i] = cachedList{old.URL, time.Now().UTC(), users}
		changed = changed || old.Read.IsZero() || !slices.Equal(users, old.Users)
	}
	if failed == len(lists) {
		return false, err
	}
	l.set(lists)
	return changed, errors.Join(err, l.save(lists))
}

// save writes lists to the cache.
func (l *Blocklist) save(lists []cachedList) error {
	if l.opts.Cache == "" || l.opts.ReadOnly {
		return nil
	}
	if err := file.WriteJSON(l.opts.Cache, lists, 0o600); err != nil {
		return fmt.Errorf("cache the block list: %w", err)
	}
	return nil
}

// Has reports whether a player is on one of the lists.
func (l *Blocklist) Has(p *lichess.Player) bool {
	if p == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.users[strings.ToLower(p.ID)] || l.users[strings.ToLower(p.Name)]
}

// Len returns the number of users on the lists, and when the oldest list was
// downloaded; zero if none was.
func (l *Blocklist) Len() (users int, read time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range l.lists {
		if read.IsZero() || !list.Read.IsZero() && list.Read.Before(read) {
			read = list.Read
		}
	}
	return len(l.users), read
}

// Limits of a block list.
const (
	blockTimeout   = 10 * time.Second // for the whole of it
	maxBlockSize   = 1 << 20          // bytes, unpacked
	blockRedirects = 5                // resty's policy counts the first request too
)

var (
	errNotHTTPS = errors.New("block list URL must use https")
	errNoList   = errors.New("not a list of users: want one user per line")
)

// fetch downloads a list. It has its own HTTP client, which does not have the token, and follows
// https only. Requests are too rare to keep connections.
func (l *Blocklist) fetch(ctx context.Context, address string) (users []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	client := resty.NewWithClient(&http.Client{Transport: lichess.Transport{Transport: &http.Transport{
		Proxy:             proxyOfHTTPS,
		TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: l.opts.RootCAs},
		DisableKeepAlives: true,
	}}}).SetResponseBodyLimit(maxBlockSize).SetRedirectPolicy(resty.FlexibleRedirectPolicy(blockRedirects+1),
		resty.RedirectPolicyFunc(func(r *http.Request, _ []*http.Request) error {
			r.Header.Del("Referer") // its URL may contain a secret key
			r.Header.Set("User-Agent", l.opts.Agent)
			return nil
		}))
	request := client.R().SetContext(ctx).SetHeader("Accept", "text/plain").SetHeader("User-Agent", l.opts.Agent)
	response, err := request.Get(address)
	if err == nil {
		err = ctx.Err() // a cancelled response may look complete
	}
	if named, ok := errors.AsType[*url.Error](err); ok {
		err = named.Err // its URL may contain a secret key
	}
	if err != nil {
		return nil, err
	}
	if code := response.StatusCode(); code != http.StatusOK {
		return nil, fmt.Errorf("%s answers %d", response.RawResponse.Request.URL.Hostname(), code)
	}
	return parseBlocklist(response.Body())
}

// proxyOfHTTPS returns the proxy of a request, redirected or not, and refuses all but https.
func proxyOfHTTPS(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme != "https" {
		return nil, errNotHTTPS
	}
	return http.ProxyFromEnvironment(r)
}

// parseBlocklist parses a list. Some invalid lines are ignored; if most are invalid,
// it is not a list but, say, a web page; and without users, which would unblock everybody, a
// mistake of the server.
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
	if odd > len(users) || users == nil {
		return nil, errNoList
	}
	return users, nil
}
