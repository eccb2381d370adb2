package lichess

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClient_UserAgentNamesTheAccount(t *testing.T) {
	var agents []string
	name := `{"username":"zhBot"}`
	c := testClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent())
		respond(http.StatusOK, name)(w, r)
	}))
	for range 2 {
		if _, err := c.Account(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	name = `{"username":"no\r\nname"}`
	for range 2 {
		if _, err := c.Account(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	named := "zhbot/1.2.3 user:zhBot"
	if diff := cmp.Diff([]string{"zhbot/1.2.3", named, named, named}, agents); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
}

func TestClient_BadArguments(t *testing.T) {
	c := testClient(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("sent %s %s", r.Method, r.RequestURI)
	}))
	many := make([]string, maxUserStatuses+1)
	calls := map[string]struct {
		err  error
		want string
	}{
		"path in an id": {c.Abort(t.Context(), "../../account"), `"../../account" cannot be the id`},
		"empty id":      {c.AcceptChallenge(t.Context(), "", Human), `"" cannot be the id`},
		"query in uci":  {c.Move(t.Context(), MoveRequest{GameID: "a", UCI: "e2e4?x"}), `"e2e4?x" cannot be the uci`},
		"long id":       {c.Resign(t.Context(), strings.Repeat("x", 65)), "cannot be the id"},
		"long chat":     {c.Chat(t.Context(), "a", PlayerRoom, strings.Repeat("é", 141)), "141 characters, Lichess takes 140"},
		"wide chat":     {c.Chat(t.Context(), "a", PlayerRoom, strings.Repeat("😀", 71)), "142 characters, Lichess takes 140"},
		"many users":    {second(c.UserStatuses(t.Context(), many...)), "the limit is 100"},
		"stream":        {second(c.StreamGame(t.Context(), "a/b")), `"a/b" cannot be the id`},
	}
	for name, tc := range calls {
		if tc.err == nil || !strings.Contains(tc.err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", name, tc.err, tc.want)
		}
	}
}

// second drops an unused result.
func second[T any](_ T, err error) error { return err }

func TestNew(t *testing.T) {
	token, err := NewToken(" " + secret + "\n")
	if err != nil {
		t.Fatal(err)
	}
	good := []string{"", "https://lichess.org", "https://lichess.dev:8443/", "http://localhost:9663", "http://127.0.0.1:80", "http://[::1]:80"}
	for _, u := range good {
		if _, err := New(Options{URL: u, Token: token}); err != nil {
			t.Errorf("New(%q): %v", u, err)
		}
	}
	bad := map[string]string{
		"lichess.org":                "it needs the scheme https",
		"ftp://lichess.org":          "it needs the scheme https",
		"https://":                   "it names no host",
		"https://me:pw1@lichess.org": "user name or password",
		"https://lichess.org/api":    "it has a path",
		"https://lichess.org?x=1":    "it has a query",
		"http://lichess.org":         "unencrypted",
		"http://127.0.0.1.evil.org":  "unencrypted",
		"https://me:pw1@li chess":    "server URL",
	}
	for u, want := range bad {
		_, err := New(Options{URL: u, Token: token})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw1") {
			t.Errorf("New(%q): error %v, want one with %q", u, err, want)
		}
	}
	if _, err := New(Options{}); err != ErrNoToken {
		t.Errorf("without a token: %v", err)
	}
}
