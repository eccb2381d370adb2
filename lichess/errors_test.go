package lichess

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClient_ErrorResponses(t *testing.T) {
	tests := []struct {
		name   string
		status int
		header http.Header
		body   string
		want   APIError
		is     error
	}{
		{
			name: "text", status: 400, body: `{"error":"Not your turn, or game already over"}`,
			want: APIError{StatusCode: 400, Message: "Not your turn, or game already over", Explained: true},
		},
		{
			name: "object", status: 400, body: `{"error":{"clock.limit":["Invalid","Bad"],"global":"No"},"clock.limit":["Invalid"]}`,
			want: APIError{
				StatusCode: 400, Message: "clock.limit: Invalid, Bad; global: No", Explained: true,
			},
		},
		{
			name: "object in an object", status: 400, body: `{"error":{"a":{"b":1}}}`,
			want: APIError{StatusCode: 400, Message: `a: {"b":1}`, Explained: true},
		},
		{
			name: "no such token", status: 401, body: `{"error":"No such token"}`,
			want: APIError{StatusCode: 401, Message: "No such token", Explained: true}, is: ErrUnauthorized,
		},
		{
			name: "not found", status: 404, body: `{"error":"No such game"}`,
			want: APIError{StatusCode: 404, Message: "No such game", Explained: true}, is: ErrNotFound,
		},
		{
			name: "web page", status: 502, body: "<html><title>502 Bad Gateway</title></html>",
			want: APIError{StatusCode: 502, Message: "a web page instead of JSON"}, is: ErrUnavailable,
		},
		{
			name: "web page in place of a token check", status: 401, body: "<html>",
			want: APIError{StatusCode: 401, Message: "a web page instead of JSON"}, is: ErrUnavailable,
		},
		{
			name: "nothing in place of a game", status: 404,
			want: APIError{StatusCode: 404, Message: "Not Found"}, is: ErrUnavailable,
		},
		{
			name: "nothing", status: 503,
			want: APIError{StatusCode: 503, Message: "Service Unavailable"}, is: ErrUnavailable,
		},
		{
			name: "text with control characters", status: 500, body: "go\r\naway\x1b[31m now",
			want: APIError{StatusCode: 500, Message: "go away [31m now"}, is: ErrUnavailable,
		},
		{
			name: "redirect", status: 301, header: http.Header{"Location": {"https://evil.example/x"}},
			want: APIError{
				StatusCode: 301,
				Message:    `redirect to "https://evil.example/x", which is never followed: set the server's URL to where it really is`,
			},
			is: ErrRedirect,
		},
		{
			name: "forbidden for another reason", status: 403, body: `{"error":"Please upgrade"}`,
			header: http.Header{"X-Oauth-Scopes": {"bot:play,msg:write"}, "X-Accepted-Oauth-Scopes": {"board:play,bot:play"}},
			want:   APIError{StatusCode: 403, Message: "Please upgrade", Explained: true},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			c := testClient(t, answerWith(tc.status, tc.header, tc.body), noRetry)
			_, err := c.Account(t.Context())
			var got *APIError
			if !errors.As(err, &got) {
				t.Fatalf("error %v is no *APIError", err)
			}
			tc.want.Endpoint = "GET /api/account"
			if diff := cmp.Diff(tc.want, *got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			for _, sentinel := range []error{ErrUnauthorized, ErrNotFound, ErrUnavailable, ErrRedirect} {
				if errors.Is(err, sentinel) != (sentinel == tc.is) {
					t.Errorf("errors.Is(%v, %v) = %t", err, sentinel, sentinel != tc.is)
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
	tests := map[string]struct {
		header http.Header
		body   string
		want   string
	}{
		"in the headers": {headers, "", "lacks the scope bot:play or board:play (it has: challenge:read, msg:write)"},
		"in the text":    {nil, `{"error":"Missing scope: bot:play"}`, "lacks the scope bot:play (it has: none)"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := testClient(t, answerWith(403, tc.header, tc.body))
			_, err := c.StreamEvents(t.Context())
			var scope *ScopeError
			if !errors.As(err, &scope) || scope.Accepted[0] != "bot:play" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
			var api *APIError
			if !errors.As(err, &api) || api.StatusCode != http.StatusForbidden {
				t.Errorf("error %v holds no answer", err)
			}
		})
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
