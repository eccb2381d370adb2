package lichess

import (
	"errors"
	"net/http"
)

// Transport is a transport on which no server can switch protocols (101). No request asks
// for that, and net/http ends such a response neither by a timeout nor with its context.
type Transport struct{ *http.Transport }

var errSwitched = errors.New("the server switches protocols (101), which was not asked for")

// RoundTrip sends a request, and closes the connection if the server switches protocols.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.Transport.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusSwitchingProtocols {
		_ = response.Body.Close()
		return nil, errSwitched
	}
	return response, err
}
