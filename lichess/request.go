package lichess

import (
	"fmt"
	"net/url"
	"strings"
)

// endpoint is a class of requests: Lichess counts and limits per class.
type endpoint struct {
	method string
	path   string // template: braces stand for arguments
}

// String names the endpoint without anything that varies.
func (e endpoint) String() string { return e.method + " " + e.path }

// request is one request to an endpoint.
type request struct {
	endpoint
	args     []string // for the template's braces, in order
	query    url.Values
	form     url.Values   // body
	text     string       // body, if there is no form
	opponent OpponentKind // Bot counts against the daily games between bots
	early    bool         // sent although its class is closed
	urgent   bool         // sent although everything else is to wait: our clock runs

	into any     // the answer's JSON goes here, if set
	raw  *[]byte // or the answer as it came
}

// url returns the request's address on a server.
func (r *request) url(base *url.URL) (string, error) {
	path := r.path
	for _, arg := range r.args {
		from, to := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		if !isSegment(arg) {
			return "", fmt.Errorf("%s: %q cannot be the %s", r.endpoint, excerpt(arg), path[from+1:to])
		}
		path = path[:from] + arg + path[to+1:]
	}
	u := *base
	u.Path = path
	u.RawQuery = r.query.Encode()
	return u.String(), nil
}

// isSegment reports whether an id, a name or a move may stand in a path: some
// come from the network.
func isSegment(s string) bool {
	const others = "-_@"
	for i := range len(s) {
		c := s[i] | 0x20
		letter := c >= 'a' && c <= 'z' || s[i] >= '0' && s[i] <= '9'
		if !letter && strings.IndexByte(others, s[i]) < 0 {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// pairs returns a query of one pair.
func pairs(key, value string) url.Values { return url.Values{key: {value}} }

// wrap says what failed and for which id.
func wrap(err error, doing, id string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", doing, excerpt(id), err)
}

// excerpt makes outside text fit for a message: one line, printable, bounded.
func excerpt(s string) string {
	const most = 160
	cut := len(s) > most
	if cut {
		s = s[:most]
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), isControlOrSpace), " ")
	if cut {
		s += "…"
	}
	return s
}

func isControlOrSpace(r rune) bool { return r <= ' ' || r >= 0x7f && r <= 0xa0 }
