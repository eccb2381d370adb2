package lichesstest

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
)

// route is an endpoint: its class for faults, the scopes of which it needs one, and
// its handler. An open one needs no token.
type route struct {
	class  string
	scopes []string
	open   bool
	handle func(w http.ResponseWriter, r *http.Request, u *user)
}

// token is an access token of a user.
type token struct {
	text     string
	user     *user
	scopes   []string
	openings []time.Time // of event streams
}

const maxBody = 64 << 10

// wrap returns a handler that applies faults, checks the token and then handles the
// request.
func (s *Server) wrap(h route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.traffic.count(time.Now())
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := readJSONForm(r); err != nil {
			writeError(w, http.StatusBadRequest, "Invalid JSON body")
			return
		}
		w, done := s.Faults.intercept(w, h.class)
		if done == nil {
			return
		}
		defer done()
		if h.open {
			h.handle(w, r, nil)
			return
		}
		if u := s.authorize(w, r, h.scopes); u != nil {
			h.handle(w, r, u)
		}
	})
}

// authorize returns the user of the request's token, or nil after writing an error.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request, scopes []string) *user {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || text == "" {
		writeError(w, http.StatusUnauthorized, "Missing authorization header")
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tokens[text]
	if t == nil {
		writeError(w, http.StatusUnauthorized, "No such token")
		return nil
	}
	w.Header().Set("X-OAuth-Scopes", strings.Join(t.scopes, ", "))
	accepted := strings.Join(scopes, ", ")
	w.Header().Set("X-Accepted-OAuth-Scopes", accepted)
	if len(scopes) > 0 && !slices.ContainsFunc(scopes, func(scope string) bool { return slices.Contains(t.scopes, scope) }) {
		writeError(w, http.StatusForbidden, "Missing scope: "+accepted)
		return nil
	}
	if t.user.closed {
		writeError(w, http.StatusUnauthorized, "No such user")
		return nil
	}
	if _, name, ok := strings.Cut(r.UserAgent(), "user:"); ok && !strings.EqualFold(strings.Fields(name + " -")[0], t.user.name) {
		writeError(w, http.StatusUnauthorized, "The user in the user-agent doesn't match the token bearer")
		return nil
	}
	return t.user
}

// tokenOf returns the request's token, which wrap has checked.
func (s *Server) tokenOf(r *http.Request) *token {
	return s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
}

// readJSONForm accepts a flat JSON object in place of a form.
func readJSONForm(r *http.Request) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return nil
	}
	var fields map[string]any
	if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
		return err
	}
	r.Form = r.URL.Query()
	for key, value := range fields {
		r.Form.Set(key, fmt.Sprint(value))
	}
	r.PostForm = r.Form
	return nil
}
