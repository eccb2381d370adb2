package lichesstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// route is an endpoint: its class for faults, the scopes of which a token must have one, any
// scope, or "" if it needs no token, and its handler.
type route struct {
	class  string
	scopes string
	handle handler
}

const anyScope = "any"

// handler answers a request under the server's lock: with a JSON value, a document, a
// refusal, or a subscriber to stream from.
type handler func(r *request) (answer any)

// request is a request with its token and user, unless the route is open, and with the
// game or the arena that its path names.
type request struct {
	*http.Request
	token *token
	user  *user
	game  *game
	side  int // of the user in the game
	arena *arena
}

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
	switch answer := s.answer(w.Header(), &request{Request: r}, h).(type) {
	case *subscriber:
		s.serveStream(w, r, h.class, answer)
	case document:
		for line := range bytes.Lines(answer.body) {
			s.record(r, http.StatusOK, answer.contentType, line)
		}
		w.Header().Set("Content-Type", answer.contentType)
		_, _ = w.Write(answer.body) // the client may be gone
	case *refusal:
		s.record(r, answer.status, jsonType, encode(answer.body))
		writeJSON(w, answer.status, answer.body)
	default:
		s.record(r, http.StatusOK, jsonType, encode(answer))
		writeJSON(w, http.StatusOK, answer)
	}
}

const tokenTestPath = "/api/token/test"

// readForm reads the body into memory and parses the form, or the JSON in its place as Play
// binds it: objects flattened, arrays indexed, nulls left out. A list of tokens is neither.
func readForm(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.URL.Path == tokenTestPath {
		return nil
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return r.ParseForm()
	}
	var fields map[string]any
	numbers := json.NewDecoder(bytes.NewReader(body))
	numbers.UseNumber() // as they were written
	if err := numbers.Decode(&fields); err != nil {
		return err
	}
	r.Form = r.URL.Query()
	for key, value := range fields {
		bind(r.Form, key, value)
	}
	return nil
}

// bind sets what a key of a JSON object has.
func bind(form url.Values, key string, value any) {
	switch v := value.(type) {
	case nil:
	case map[string]any:
		for k, inner := range v {
			bind(form, key+"."+k, inner)
		}
	case []any:
		for i, inner := range v {
			bind(form, fmt.Sprintf("%s[%d]", key, i), inner)
		}
	default:
		form.Set(key, fmt.Sprint(v))
	}
}

// answer handles a request under the lock.
func (s *Server) answer(header http.Header, r *request, h route) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused := s.authorize(header, r, h.scopes); refused != nil {
		return refused
	}
	if refused := s.lookUp(r); refused != nil {
		return refused
	}
	return h.handle(r)
}

// agentUser matches a User-Agent that is nothing but the name of a user.
var agentUser = regexp.MustCompile(`^(?:user|as): ?([\w-]{3,31})$`)

const noSuchToken = "No such token"

// authorize finds the token and the user of a request that needs one of some scopes.
func (s *Server) authorize(header http.Header, r *request, accepted string) *refusal {
	if accepted == "" {
		return nil
	}
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || text == "" {
		return refuse(http.StatusUnauthorized, "Missing authorization header")
	}
	t := s.tokens[text]
	if t.expired() {
		return refuse(http.StatusUnauthorized, noSuchToken)
	}
	header.Set("X-OAuth-Scopes", strings.Join(t.scopes, ","))
	if accepted != anyScope {
		scopes := strings.Fields(accepted)
		header.Set("X-Accepted-OAuth-Scopes", strings.Join(scopes, ","))
		if !slices.ContainsFunc(scopes, func(scope string) bool { return slices.Contains(t.scopes, scope) }) {
			return refuse(http.StatusForbidden, "Missing scope: "+strings.Join(scopes, " || "))
		}
	}
	if t.user.closed {
		return refuse(http.StatusUnauthorized, "No such user")
	}
	if named := agentUser.FindStringSubmatch(r.UserAgent()); named != nil && !strings.EqualFold(named[1], t.user.name) {
		return refuse(http.StatusUnauthorized, "The user in the user-agent doesn't match the token bearer")
	}
	r.token, r.user = t, t.user
	return nil
}

// lookUp finds the game or the arena that the path of a request names.
func (s *Server) lookUp(r *request) *refusal {
	switch {
	case strings.Contains(r.Pattern, "/tournament/"):
		r.arena = s.arenas[r.PathValue("id")]
		switch {
		case r.arena != nil:
		case r.Method == http.MethodPost:
			return badRequest("This tournament no longer exists")
		default:
			return notFound("Not found")
		}
	case strings.Contains(r.Pattern, "/game/"):
		r.game = s.games[r.PathValue("gameId")]
		switch {
		case r.game == nil:
			return notFound("No such game")
		case !r.game.has(r.user):
			return notFound("Not your game")
		case !r.user.bot() && !strings.Contains(r.Pattern, "/board/"):
			return badRequest("This endpoint can only be used with a Bot account. See " +
				"https://lichess.org/api#operation/botAccountUpgrade")
		}
		r.side = r.game.side(r.user)
	}
	return nil
}
