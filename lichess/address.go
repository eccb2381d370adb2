package lichess

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
)

var userName = regexp.MustCompile(`^[A-Za-z0-9_-]{2,30}$`)

// ValidUserName reports whether a name can be that of a user.
func ValidUserName(name string) bool { return userName.MatchString(name) }

// ParseBaseURL parses the URL of a server, without a path, and rejects one that would
// send the token unencrypted over a network. Its errors name form as an example and show
// no password.
func ParseBaseURL(text, form string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err // without the URL, which may hold a password
		}
		return nil, fmt.Errorf("is not an address: %w; want the form %s", err, form)
	}
	if problem := baseURLProblem(u); problem != "" {
		return nil, fmt.Errorf("%q %s; want the form %s", u.Redacted(), problem, form)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

// baseURLProblem returns what is wrong with the URL of a server, "" if nothing.
func baseURLProblem(u *url.URL) string {
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return "lacks the scheme https"
	case u.Hostname() == "":
		return "names no host"
	case u.User != nil:
		return "has a user name or password"
	case u.Path != "" && u.Path != "/":
		return "has a path"
	case u.RawQuery != "" || u.Fragment != "":
		return "has a query or a fragment"
	case u.Scheme == "http" && !IsLoopback(u.Hostname()):
		return "would show the token to the network"
	}
	return ""
}

// IsLoopback reports whether a host is this machine, by its name or address.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
