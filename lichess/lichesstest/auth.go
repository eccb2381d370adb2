package lichesstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// route is an endpoint: its class for faults, the scopes of which it needs one, and
// its handler.
type route struct {
	class  string
	scopes []string
	handle handler
}

// handler answers a request of a user, nil on an open route, under the server's lock:
// with a JSON value, a document, or a subscriber to stream from. Its
// error is a refusal.
type handler func(r *http.Request, u *user) (answer any, err error)

// token is an access token of a user.
type token struct {
	text     string
	user     *user
	scopes   []string
	expires  time.Time // zero for never
	openings charges   // of event streams
}

// expired reports whether a token, nil for none, is no longer accepted.
func (t *token) expired() bool { return t == nil || !t.expires.IsZero() && time.Now().After(t.expires) }

const maxBody = 64 << 10

// wrap returns a handler that applies faults, checks the token and then answers the
// request.
func (s *Server) wrap(h route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.do(func() { s.requests = append(s.requests, time.Now()) })
		if err := readForm(w, r); err != nil {
			writeJSON(w, http.StatusBadRequest, object{"error": "Invalid body"})
			return
		}
		s.Faults.intercept(w, h.class, func() { s.serve(w, r, h) })
	})
}

// serve answers a request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, h route) {
	answer, err := s.answer(w.Header(), r, h)
	status := http.StatusOK
	var refused *refusal
	if errors.As(err, &refused) {
		status, answer = refused.status, refused.body
	}
	switch answer := answer.(type) {
	case *subscriber:
		s.serveStream(w, r, h.class, answer)
	case document:
		w.Header().Set("Content-Type", answer.contentType)
		_, _ = w.Write(answer.body) // the client may be gone
	default:
		writeJSON(w, status, answer)
	}
}

// readForm reads the body into memory and parses the form. A flat JSON object may take
// its place.
func readForm(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return r.ParseForm()
	}
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		return err
	}
	r.Form = r.URL.Query()
	for key, value := range fields {
		r.Form.Set(key, fmt.Sprint(value))
	}
	return nil
}

// answer handles a request under the lock.
func (s *Server) answer(header http.Header, r *http.Request, h route) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.scopes == nil {
		return h.handle(r, nil)
	}
	u, err := s.authorize(header, r, h.scopes)
	if err != nil {
		return nil, err
	}
	return h.handle(r, u)
}

// agentUser matches a User-Agent that is nothing but the name of a user.
var agentUser = regexp.MustCompile(`^(?:user|as):([\w-]{3,31})$`)

const noSuchToken = "No such token"

// authorize returns the user of the request's token.
func (s *Server) authorize(header http.Header, r *http.Request, scopes []string) (*user, error) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || text == "" {
		return nil, refuse(http.StatusUnauthorized, "Missing authorization header")
	}
	t := s.tokens[text]
	if t.expired() {
		return nil, refuse(http.StatusUnauthorized, noSuchToken)
	}
	header.Set("X-OAuth-Scopes", strings.Join(t.scopes, ", "))
	accepted := strings.Join(scopes, ", ")
	header.Set("X-Accepted-OAuth-Scopes", accepted)
	if len(scopes) > 0 && !slices.ContainsFunc(scopes, func(scope string) bool {
		return slices.Contains(t.scopes, scope)
	}) {
		return nil, refuse(http.StatusForbidden, "Missing scope: "+accepted)
	}
	if t.user.closed {
		return nil, refuse(http.StatusUnauthorized, "No such user")
	}
	if named := agentUser.FindStringSubmatch(r.UserAgent()); named != nil && !strings.EqualFold(named[1], t.user.name) {
		return nil, refuse(http.StatusUnauthorized, "The user in the user-agent doesn't match the token bearer")
	}
	return t.user, nil
}

// tokenOf returns the request's token, which authorize has checked.
func (s *Server) tokenOf(r *http.Request) *token {
	return s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
}
