package lichess

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An error has the status, the message, whether Lichess itself explained it, and is at most one
// of those that callers tell apart.
func TestClient_ErrorResponses(t *testing.T) {
	header := http.Header{
		"Location":       {"https://evil.example/x"},
		"X-Oauth-Scopes": {"bot:play,msg:write"}, "X-Accepted-Oauth-Scopes": {"board:play,bot:play"},
	}
	for _, row := range rows(`
		400 | {"error":"Not your turn, or game already over"} | true | Not your turn, or game already over |
		400 | {"error":{"clock.limit":["Bad","Not"],"global":"No"}} | true | clock.limit: Bad, Not, global: No |
		400 | {"error":{"a":{"b":1}}}        | true  | a: b: 1                    |
		401 | {"error":"No such token"}      | true  | No such token              | the token is not accepted
		404 | {"error":"No such game"}       | true  | No such game               | not found
		502 | <html><title>502 Bad Gateway</title></html> | false | a web page instead of JSON | server unavailable
		401 | <html>                         | false | a web page instead of JSON | server unavailable
		404 |                                | false | Not Found                  | server unavailable
		503 |                                | false | Service Unavailable        | server unavailable
		500 | go` + "\taway\x1b[31m\u00a0now" + ` | false | go away [31m now           | server unavailable
		403 | {"error":"Please upgrade"}     | true  | Please upgrade             |
		301 |                                | false | redirect to "https://evil.example/x", which is never followed: ` +
		`set the server's URL to where it really is | redirect not followed
	`) {
		status, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		_, err = testClient(t, answerWith(status, header, row[1]), noRetry).Account(t.Context())
		var got *APIError
		if !errors.As(err, &got) {
			t.Fatalf("error %v is no *APIError", err)
		}
		want := &APIError{
			Endpoint: "GET /api/account", StatusCode: status, Message: row[3], Explained: row[2] == "true",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
		for _, sentinel := range []error{ErrUnauthorized, ErrNotFound, ErrUnavailable, ErrRedirect} {
			if errors.Is(err, sentinel) != (sentinel.Error() == row[4]) {
				t.Errorf("errors.Is(%v, %v) = %t", err, sentinel, errors.Is(err, sentinel))
			}
		}
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
	headers := http.Header{
		"X-Oauth-Scopes": {"challenge:read,msg:write"}, "X-Accepted-Oauth-Scopes": {"bot:play,board:play"},
	}
	for want, answer := range map[string]http.HandlerFunc{
		"the scope bot:play or board:play (it has: challenge:read, msg:write)": answerWith(403, headers, ""),
		"the scope bot:play (it has: none)": respond(
			403, `{"error":"Missing scope: bot:play"}`),
		"the scope bot:play or board:play (it has: none)": respond(
			403, `{"error":"Missing scope: bot:play || board:play"}`),
	} {
		_, err := testClient(t, answer).StreamEvents(t.Context())
		checkError(t, "scope", err, want)
		var scope *ScopeError
		var api *APIError
		if !errors.As(err, &scope) || scope.Accepted[0] != "bot:play" || !errors.As(err, &api) ||
			api.StatusCode != http.StatusForbidden {
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
		if err == nil || !strings.Contains(err.Error(), "GET /api/account: invalid response (status 200): "+tt.want) ||
			strings.Contains(err.Error(), secret) {
			t.Errorf("%q: error %v", body, err)
		}
		if IsTemporary(err) != tt.temporary || errors.Is(err, ErrUnavailable) != tt.temporary || IsRefusal(err) {
			t.Errorf("%q: temporary is %t", body, IsTemporary(err))
		}
	}
}

// Only a message about the move itself marks it as illegal.
func TestIsAboutMove(t *testing.T) {
	for _, row := range rows(`
		true  | Piece on e2 cannot move to e4
		true  | No piece on e2
		true  | Can't drop Pawn on e4
		true  | Invalid UCI: e2e4
		false | Not your turn, or game already over
		false | game zH4kQ2e4 is finished
		false | Pov(zH4kQ2ab,White) not your turn
		false | This game cannot be played with the Bot API.
		false | move refused for some reason
	`) {
		text, want := row[1], row[0] == "true"
		err := &APIError{StatusCode: 400, Message: text, Explained: true}
		if got := isAboutMove(err, "e2e4"); got != want {
			t.Errorf("%q condemns e2e4: %t", text, got)
		}
	}
	if isAboutMove(&APIError{StatusCode: 400, Message: "e2"}, "e2e4") {
		t.Error("a proxy's page condemns a move")
	}
}
