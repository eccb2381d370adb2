package lichess

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClient_ErrorResponses(t *testing.T) {
	const page = "a web page instead of JSON"
	enough := http.Header{"X-Oauth-Scopes": {"bot:play,msg:write"}, "X-Accepted-Oauth-Scopes": {"board:play,bot:play"}}
	for name, tt := range map[string]struct {
		status    int
		header    http.Header
		body      string
		explained bool
		want      string // message
		is        error
	}{
		"text":                               {400, nil, `{"error":"Not your turn, or game already over"}`, true, "Not your turn, or game already over", nil},
		"object":                             {400, nil, `{"error":{"clock.limit":["Invalid","Bad"],"global":"No"},"clock.limit":["Invalid"]}`, true, "clock.limit: Invalid, Bad; global: No", nil},
		"object in an object":                {400, nil, `{"error":{"a":{"b":1}}}`, true, `a: {"b":1}`, nil},
		"no such token":                      {401, nil, `{"error":"No such token"}`, true, "No such token", ErrUnauthorized},
		"not found":                          {404, nil, `{"error":"No such game"}`, true, "No such game", ErrNotFound},
		"web page":                           {502, nil, "<html><title>502 Bad Gateway</title></html>", false, page, ErrUnavailable},
		"web page in place of a token check": {401, nil, "<html>", false, page, ErrUnavailable},
		"nothing in place of a game":         {404, nil, "", false, "Not Found", ErrUnavailable},
		"nothing":                            {503, nil, "", false, "Service Unavailable", ErrUnavailable},
		"text with control characters":       {500, nil, "go\r\naway\x1b[31m now", false, "go away [31m now", ErrUnavailable},
		"forbidden for another reason":       {403, enough, `{"error":"Please upgrade"}`, true, "Please upgrade", nil},
		"redirect": {
			301, http.Header{"Location": {"https://evil.example/x"}}, "", false,
			`redirect to "https://evil.example/x", which is never followed: set the server's URL to where it really is`, ErrRedirect,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := testClient(t, answerWith(tt.status, tt.header, tt.body), noRetry).Account(t.Context())
			var got *APIError
			if !errors.As(err, &got) {
				t.Fatalf("error %v is no *APIError", err)
			}
			want := &APIError{Endpoint: "GET /api/account", StatusCode: tt.status, Message: tt.want, Explained: tt.explained}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			for _, sentinel := range []error{ErrUnauthorized, ErrNotFound, ErrUnavailable, ErrRedirect} {
				if errors.Is(err, sentinel) != (sentinel == tt.is) {
					t.Errorf("errors.Is(%v, %v) = %t", err, sentinel, sentinel != tt.is)
				}
			}
		})
	}
}

// answerWith returns a handler that always sends the same response.
func answerWith(status int, header http.Header, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		respond(status, body)(w, r)
	}
}

func TestClient_MissingScope(t *testing.T) {
	headers := http.Header{"X-Oauth-Scopes": {"challenge:read,msg:write"}, "X-Accepted-Oauth-Scopes": {"bot:play,board:play"}}
	for want, answer := range map[string]http.HandlerFunc{
		"lacks the scope bot:play or board:play (it has: challenge:read, msg:write)": answerWith(403, headers, ""),
		"lacks the scope bot:play (it has: none)":                                    respond(403, `{"error":"Missing scope: bot:play"}`),
	} {
		_, err := testClient(t, answer).StreamEvents(t.Context())
		checkError(t, "scope", err, want)
		var scope *ScopeError
		var api *APIError
		if !errors.As(err, &scope) || scope.Accepted[0] != "bot:play" || !errors.As(err, &api) || api.StatusCode != http.StatusForbidden {
			t.Errorf("error %#v", err)
		}
	}
}

func TestClient_ChallengeWithoutID(t *testing.T) {
	c := testClient(t, respond(http.StatusOK, "{}"))
	if _, err := c.CreateChallenge(t.Context(), "PocketBot", ChallengeRequest{}); !errors.Is(err, errNoID) {
		t.Errorf("error %v", err)
	}
}

// What is not JSON is not from Lichess, which may be back later; what is, but has another
// form, is no matter of time.
func TestClient_InvalidResponse(t *testing.T) {
	for body, tt := range map[string]struct {
		want      string
		temporary bool
	}{
		"<html>":          {"server unavailable: a web page instead of JSON", true},
		"Down, " + secret: {"server unavailable: Down, ", true},
		"":                {"server unavailable: an empty body", true},
		`[1]`:             {"json: cannot unmarshal array", false},
	} {
		_, err := testClient(t, respond(http.StatusOK, body), noRetry).Account(t.Context())
		if err == nil || !strings.Contains(err.Error(), "GET /api/account: invalid response (status 200): "+tt.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: error %v", body, err)
		}
		if IsTemporary(err) != tt.temporary || errors.Is(err, ErrUnavailable) != tt.temporary || IsRefusal(err) {
			t.Errorf("%q: temporary is %t", body, IsTemporary(err))
		}
	}
}

// Only a message about the move itself marks it as illegal.
func TestIsAboutMove(t *testing.T) {
	for text, want := range map[string]bool{
		"Piece on e2 cannot move to e4":                true,
		"No piece on e2":                               true,
		"Can't drop Pawn on e4":                        true,
		"Invalid UCI: e2e4":                            true,
		"Not your turn, or game already over":          false,
		"game zH4kQ2e4 is finished":                    false,
		"Pov(zH4kQ2ab,White) not your turn":            false,
		"This game cannot be played with the Bot API.": false,
		"move refused for some reason":                 false,
	} {
		err := &APIError{StatusCode: 400, Message: text, Explained: true}
		if got := isAboutMove(err, "e2e4"); got != want {
			t.Errorf("%q condemns e2e4: %t", text, got)
		}
	}
	if isAboutMove(&APIError{StatusCode: 400, Message: "e2"}, "e2e4") {
		t.Error("a proxy's page condemns a move")
	}
}
